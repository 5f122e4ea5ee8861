import OTAFeed
import OTAManifest
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// What hosts do to a feed that is right: each works, or is refused with what its publisher has to change.
@Suite("Odd hosts")
struct OddHostTests {
  /// The answer to a request: what is in the feed's folder under its path, or `nil` when nothing is.
  typealias Answer = @Sendable (_ request: HTTPRequest, _ file: [UInt8]?) -> HTTPReply?

  /// A host that works: the release comes, and a second check with a new process finds nothing new.
  static let working: [String: Answer] = [
    "a relative redirect with a query": { request, _ in
      request.path.hasPrefix("/real/") ? nil : .redirect(to: "/real\(request.path)?X-Sig=a%2Bb&e=1")
    },
    "a redirect relative to the file": { request, _ in
      let depth = request.path.filter { $0 == "/" }.count - 1
      let up = String(repeating: "../", count: depth)
      return request.path.hasPrefix("/real/") ? nil : .redirect(to: "\(up)real\(request.path)", code: 301)
    },
    "a permanent redirect to a whole address": { request, _ in
      let host = request.headers["host"] ?? ""
      return request.path.hasPrefix("/real/")
        ? nil : .redirect(to: "http://\(host)/real\(request.path)", code: 308)
    },
    "a redirect with a blank": { request, _ in
      request.path.hasPrefix("/real/") ? nil : .redirect(to: "/real\(request.path)?name=a b", code: 307)
    },
    "a redirect with a fragment": { request, _ in
      request.path.hasPrefix("/real/") ? nil : .redirect(to: "/real\(request.path)#part", code: 303)
    },
    "early hints": { _, file in
      file.map {
        let hints = Array("HTTP/1.1 103 Early Hints\r\nLink: </x.css>; rel=preload\r\n\r\n".utf8)
        return HTTPReply(
          head: hints + HTTPReply.head(200, ["Content-Length": "\($0.count)"]), steps: [.send($0)],
          keepsAlive: true)
      }
    },
    "HTTP/1.0 without a length": { _, file in file.map { .withoutLength($0) } },
    "HTTP/1.0 with a length": { _, file in
      file.map {
        HTTPReply(
          head: HTTPReply.head(200, ["Content-Length": "\($0.count)"], version: "1.0"), steps: [.send($0)],
          keepsAlive: false)
      }
    },
    "chunks with a trailer": { _, file in
      file.map {
        let size = String($0.count, radix: 16)
        let body =
          Array("\(size)\r\n".utf8) + $0 + Array("\r\n0\r\nX-Trailer: 1\r\nETag: \"no\"\r\n\r\n".utf8)
        return HTTPReply(
          head: HTTPReply.head(200, ["Transfer-Encoding": "chunked"]), steps: [.send(body)], keepsAlive: true)
      }
    },
    "a connection that closes after each answer": { _, file in
      file.map {
        HTTPReply(
          head: HTTPReply.head(200, ["Content-Length": "\($0.count)", "Connection": "close"]),
          steps: [.send($0)], keepsAlive: false)
      }
    },
    "weak entity tags and old copies": { _, file in
      file.map {
        .ok($0, headers: ["ETag": "W/\"1\"", "Age": "599", "Cache-Control": "stale-while-revalidate=86400"])
      }
    },
    "a page as the type of everything": { _, file in
      file.map { .ok($0, contentType: "text/html; charset=iso-8859-1") }
    },
    "status 203": { _, file in file.map { .status(203, $0) } },
    "the label aws-chunked": { _, file in file.map { .ok($0, headers: ["Content-Encoding": "aws-chunked"]) }
    },
    "the label utf-8": { _, file in file.map { .ok($0, headers: ["Content-Encoding": "UTF-8"]) } },
    "the label br on plain bytes": { _, file in file.map { .ok($0, headers: ["Content-Encoding": "br"]) } },
    "the label gzip on plain bytes": { _, file in file.map { .ok($0, headers: ["content-encoding": "gzip"]) }
    },
    "bytes outside ASCII in a head": { _, file in
      file.map {
        let head = Array("HTTP/1.1 200 OK\r\nX-Bad: caf".utf8) + [0xE9, 0x20, 0x01]
        return HTTPReply(
          head: head + Array("\r\nContent-Length: \($0.count)\r\n\r\n".utf8), steps: [.send($0)],
          keepsAlive: true)
      }
    },
    "a status without words": { _, file in
      file.map {
        HTTPReply(
          head: Array("HTTP/1.1 200\r\nContent-Length: \($0.count)\r\n\r\n".utf8), steps: [.send($0)],
          keepsAlive: true)
      }
    },
    "a single-page app": { _, file in
      file == nil ? .ok(page, contentType: "text/html; charset=utf-8") : nil
    },
    "a page that names the file": { request, file in
      file == nil ? .ok(Array("<html><title>no \(request.path)</title>".utf8), contentType: "text/html") : nil
    },
    "a login in place of missing files": { request, file in
      if request.path == "/login" { return .ok(page, contentType: "text/html") }
      return file == nil ? .redirect(to: "/login") : nil
    },
    "the start page in place of missing files": { request, file in
      if request.path == "/" { return .ok(page, contentType: "text/html") }
      return file == nil ? .redirect(to: "/") : nil
    },
    "nothing and 200 for missing files": { _, file in file == nil ? .ok([], contentType: nil) : nil },
    "an error as JSON and 200 for missing files": { request, file in
      file == nil ? .ok(Array(#"{"error":"not found","path":"\#(request.path)"}"#.utf8)) : nil
    },
    "403 for missing files": { _, file in file == nil ? .status(403, page) : nil },
    "410 for missing files": { _, file in file == nil ? .status(410, page) : nil },
    "424 for missing files": { _, file in file == nil ? .status(424) : nil },
    "400 for missing files": { _, file in file == nil ? .status(400) : nil },
  ]

  private static let page = Array("<!doctype html>\n<title>App</title>".utf8)

  /// A host that spoils something: the code, and what the advice must name. On a signed feed another code may come first.
  struct Spoiler: Sendable {
    let code: ProblemCode
    var signed: ProblemCode?
    let advice: String
    let answer: Answer
  }

  static let spoilers: [String: Spoiler] = [
    "gzip although nobody asked": Spoiler(code: .unexpectedEncoding, advice: "without Content-Encoding") {
      _, file in
      file.map { .ok(zipped($0), headers: ["Content-Encoding": "gzip", "Vary": "Accept-Encoding"]) }
    },
    "gzip for scripts": Spoiler(code: .unexpectedEncoding, advice: "without Content-Encoding") {
      request, file in
      guard request.path.hasSuffix(".js"), let file else { return nil }
      return .ok(zipped(file), headers: ["Content-Encoding": "gzip"])
    },
    "gzip without a length": Spoiler(code: .unexpectedEncoding, advice: "without Content-Encoding") {
      request, file in
      guard request.path.hasSuffix(".json"), let file else { return nil }
      return .chunked([zipped(file)], headers: ["Content-Encoding": "br"])
    },
    "minified scripts": Spoiler(code: .sizeMismatch, advice: "minify") { request, file in
      guard request.path.hasSuffix(".js"), let file else { return nil }
      return .ok(file.filter { $0 != UInt8(ascii: "\n") })
    },
    "scripts with an addition": Spoiler(code: .sizeMismatch, advice: "Rocket Loader") { request, file in
      guard request.path.hasSuffix(".js"), let file else { return nil }
      return .ok(Array("/* cf */".utf8) + file)
    },
    "scripts changed in place": Spoiler(code: .digestMismatch, advice: "Rocket Loader") { request, file in
      guard request.path.hasSuffix(".js"), var file else { return nil }
      file[file.count - 2] ^= 1
      return .ok(file)
    },
    "a byte-order mark": Spoiler(code: .manifestInvalid, signed: .trustMalformed, advice: "feed") {
      request, file in
      guard request.path.hasSuffix(".json"), let file else { return nil }
      return .ok([0xEF, 0xBB, 0xBF] + file)
    },
  ]

  /// A gzip stream of one stored block; nobody unpacks it.
  private static func zipped(_ bytes: [UInt8]) -> [UInt8] {
    [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0xFF, 0xFF] + bytes.prefix(bytes.count / 2)
  }

  private func withHost(
    _ answer: @escaping Answer, _ mode: TrustMode, v6: Bool = false,
    _ body: (Device, LoopbackServer) async throws -> Void
  ) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    device.configuration.allowsPlainHTTPOnLoopback = true
    let root = device.home.path("feed")
    let server = try LoopbackServer(v6: v6) { request in
      let path = request.path.hasPrefix("/real/") ? String(request.path.dropFirst(5)) : request.path
      let file = content(root + path)
      return answer(request, file) ?? file.map { .ranged($0, request) } ?? .notFound
    }
    defer { server.stop() }
    try device.feed.publish(31)
    device.feed.write(to: root)
    try await body(device, server)
  }

  @Test(
    "N31-N33: a feed works on a host with this habit", arguments: working.keys.sorted(), TrustMode.allCases)
  func works(habit: String, mode: TrustMode) async throws {
    try await withHost(try #require(Self.working[habit]), mode) { device, server in
      let location = try FeedLocation(server.url)
      #expect(try await device.updater(location).update() == .staged(.number(31)))
      #expect(device.launchAndConfirm() == 31)
      #expect(try await device.updater(location).check() == .upToDate(.number(31)))
      #expect(try device.updater(location).status().lastProblem == nil)
    }
  }

  @Test("a feed works on an address of IPv6", arguments: TrustMode.allCases)
  func ipv6(mode: TrustMode) async throws {
    try await withHost({ _, _ in nil }, mode, v6: true) { device, server in
      #expect(server.url.hasPrefix("http://[::1]:"))
      let location = try FeedLocation(server.url)
      #expect(try await device.updater(location).update() == .staged(.number(31)))
    }
  }

  @Test(
    "N33: what a host spoils is refused with what to change, and the next update goes through without it",
    arguments: spoilers.keys.sorted(), TrustMode.allCases)
  func spoils(habit: String, mode: TrustMode) async throws {
    let spoiler = try #require(Self.spoilers[habit])
    let isMended = Flag()
    try await withHost({ isMended.isSet ? nil : spoiler.answer($0, $1) }, mode) { device, server in
      let location = try FeedLocation(server.url)
      for _ in 0..<2 {
        let problem = await problem { _ = try await device.updater(location).update() }
        let code = mode == .signed ? spoiler.signed ?? spoiler.code : spoiler.code
        #expect(problem?.code == code, "\(problem?.message ?? "")")
        #expect(problem?.code.responsibility == .untrustedContent && problem?.kept != nil)
        #expect(problem?.advice?.contains(spoiler.advice) == true, "\(problem?.advice ?? "")")
      }
      #expect(device.launch().version == 30)
      isMended.set()
      #expect(try await device.updater(location).update() == .staged(.number(31)))
      #expect(device.launch().version == 31)
    }
  }

  @Test("N31: status says that the host answers everything, until it no longer does")
  func oddity() async throws {
    let isMended = Flag()
    let answer: Answer = { _, file in file == nil && !isMended.isSet ? .ok(Self.page) : nil }
    try await withHost(answer, .signed) { device, server in
      device.configuration.feed = try FeedLocation(server.url)
      let location = device.configuration.feed
      _ = try await device.updater(location).update()
      let oddity = try device.updater(location).status().hostOddity
      #expect(oddity == "host-answers-everything: \(server.url) answers 200 for files that are not there")
      isMended.set()
      _ = try await device.updater(location).check()
      #expect(try device.updater(location).status().hostOddity == nil)
    }
  }
}
