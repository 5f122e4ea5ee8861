import OTAManifest
import OTATransfer
import TestSupport
import Testing
import UpdaterTestSupport

@testable import OTAFeed

/// Which address a file of a feed gets, and which it never gets.
@Suite("Addresses of a feed's files")
struct FeedReaderTests {
  private func reader(_ location: String, loopback: Bool = false) throws -> FeedReader {
    FeedReader(
      try FeedLocation(location), fetcher: MemoryFeed(), allowsPlainHTTPOnLoopback: loopback)
  }

  @Test(
    "relative names lie below the feed's folder, for every form of its address",
    arguments: [
      ("https://a.example", "https://a.example/files/x.js"),
      ("https://a.example/p", "https://a.example/p/files/x.js"),
      ("https://a.example/p/", "https://a.example/p/files/x.js"),
      ("https://a.example/p/manifest.json", "https://a.example/p/files/x.js"),
      ("/srv/feed", "feed:/files/x.js"),
    ])
  func relative(feed: String, address: String) throws {
    #expect(try reader(feed).address(of: ArtifactLocation("files/x.js")) == address)
  }

  @Test("an absolute https address is used as it stands, also on another host")
  func absolute() throws {
    let url = "https://cdn.example:8443/x.js?v=1"
    #expect(try reader("https://a.example/").address(of: ArtifactLocation(url)) == url)
  }

  @Test(
    "plain http is for loopback alone, and only when it is allowed",
    arguments: [
      ("http://a.example/x.js", false, false), ("http://a.example/x.js", true, false),
      ("http://127.0.0.1:80/x.js", false, false), ("http://127.0.0.1:80/x.js", true, true),
      ("http://localhost/x.js", true, true), ("http://[::1]/x.js", true, true),
      ("http://127.0.0.1.evil.example/x.js", true, false),
      ("http://localhost.evil.example/x.js", true, false),
      ("http://128.0.0.1/x.js", true, false), ("http://10.0.0.1/x.js", true, false),
    ])
  func plainHTTP(url: String, allowed: Bool, used: Bool) throws {
    let reader = try reader("https://a.example/", loopback: allowed)
    let location = try ArtifactLocation(url)
    if used {
      #expect(try reader.address(of: location) == url)
    } else {
      #expect { try reader.address(of: location) } throws: { ($0 as? Problem)?.code == .forbiddenURL }
    }
  }

  @Test("a folder has a file with an absolute address when its path is one of our layout")
  func absoluteInFolder() throws {
    let reader = try reader("/srv/feed")
    #expect(
      try reader.address(of: ArtifactLocation("https://a.example/p/files/releases/3/ab.js"))
        == "feed:/files/releases/3/ab.js")
    #expect(
      try reader.address(of: ArtifactLocation("https://a.example/files/releases/x/files/releases/3/ab.js"))
        == "feed:/files/releases/3/ab.js")
    for url in [
      "https://a.example/b.js", "https://a.example/files/releases/", "https://a.example/files/releases//x",
    ] {
      #expect(throws: Problem.self) { try reader.address(of: ArtifactLocation(url)) }
    }
  }

  @Test("a file of a feed is never longer than asked for")
  func limit() async throws {
    let feed = MemoryFeed()
    feed.put([UInt8](repeating: 1, count: 100), at: "a")
    #expect(try await feed.reader.read(RelativePath("a"), maxBytes: 100).count == 100)
    await #expect { try await feed.reader.read(RelativePath("a"), maxBytes: 99) } throws: {
      ($0 as? Problem)?.code == .tooLarge
    }
    feed.answer("a", .unannounced([UInt8](repeating: 1, count: 100)))
    await #expect { try await feed.reader.read(RelativePath("a"), maxBytes: 99) } throws: {
      ($0 as? Problem)?.code == .tooLarge
    }
  }

  @Test("a manifest without a signature is decoded only after its channel and addresses are right")
  func authority() async throws {
    let feed = MemoryFeed()
    let release = try feed.publish(7)
    let verified = try await Trust.checksumsOnly.authority.newestManifest(of: .stable, from: feed.reader)
    #expect(verified.bytes == release.bytes && verified.digest == release.digest)
    #expect(verified.manifest == release.manifest)
    feed.put(release.bytes, at: "channels/beta/manifest.json")
    let beta = try #require(Channel("beta"))
    await #expect {
      _ = try await Trust.checksumsOnly.authority.newestManifest(of: beta, from: feed.reader)
    } throws: { ($0 as? Problem)?.code == .wrongChannel }
  }

  @Test("what is not signed says so")
  func warning() {
    #expect(Trust.checksumsOnly.name == "checksums-only")
    #expect(Trust.checksumsOnly.warning?.contains("not signed") == true)
  }

  @Test("each failure of a transfer has a code of its kind, a sentence with the address, and no secret")
  func problems() {
    let kinds: [(TransferError.Kind, ProblemCode)] = [
      (.notFound, .notFound), (.forbidden, .forbidden), (.throttled, .throttled), (.server, .serverError),
      (.unreachable, .unreachable), (.timedOut, .timedOut), (.truncated, .truncated), (.tooLarge, .tooLarge),
      (.tls, .tls), (.tlsExpired, .tlsExpired), (.tlsNotYetValid, .tlsNotYetValid),
      (.tlsWrongHost, .tlsWrongHost), (.tlsUnknownAuthority, .tlsUnknownAuthority), (.offline, .offline),
      (.unknownHost, .dns), (.refused, .refused), (.stalled, .stalled), (.portal, .portal),
      (.refusedURL, .forbiddenURL), (.tooManyRedirects, .forbiddenURL), (.proxy, .proxy),
      (.sinkFailed, .storageFailed), (.cancelled, .cancelled), (.libraryMissing, .libraryMissing),
      (.httpStatus, .transferFailed), (.unexpectedEncoding, .unexpectedEncoding),
      (.protocolViolation, .transferFailed),
    ]
    for (kind, code) in kinds {
      let problem = Problem(
        TransferError(
          kind, url: "https://me:secret@a.example/x?token=secret", detail: "went wrong", retryAfter: "5"))
      #expect(problem.code == code)
      #expect(problem.message == "https://a.example/x: went wrong")
      #expect(problem.retryAfter == "5")
    }
  }
}
