import OTAFeed
import OTAManifest
import OTATransfer
import TestSupport
import Testing
import UpdaterTestSupport

@Suite("An archive holds one whole release, or it is refused as a whole")
struct ReleaseArchiveTests {
  private static let release = Result { try SampleRelease(3) }
  private static let newer = Result { try SampleRelease(4) }

  private func open(_ files: [ArchivedFile]) throws(Problem) -> ReleaseArchive {
    try ReleaseArchive(rawArchive(files), name: "x.tar.zst")
  }

  /// The problem with the archive of release 3 after a change.
  private func refusal(_ change: (inout [ArchivedFile]) throws -> Void) throws -> Problem {
    var files = try Self.release.get().archiveFiles()
    try change(&files)
    do {
      _ = try open(files)
    } catch { return error }
    throw Taken()
  }

  private struct Taken: Error {}

  @Test("A release is read, and its files are answered for")
  func whole() async throws {
    let release = try Self.release.get()
    let archive = try open(release.archiveFiles())
    #expect(archive.manifest == release.manifest && !archive.isSigned)
    let reader = FeedReader(.archive(archive))
    for (artifact, bytes) in [
      (release.manifest.bundle, release.bundle), (release.manifest.sources, release.sources),
    ] {
      let sink = MemorySink()
      let answer = try await reader.fetch(artifact, into: sink)
      #expect(sink.bytes == bytes && answer.totalBytes == bytes.count)
    }
    let newest = try await Trust.checksumsOnly.authority.newestManifest(of: .stable, from: reader)
    #expect(newest.manifest == release.manifest && newest.newest == nil)
  }

  @Test("An older release comes with the newest manifest of its channel")
  func older() async throws {
    let (release, newer) = (try Self.release.get(), try Self.newer.get())
    let reader = FeedReader(.archive(try open(release.archiveFiles(newest: newer))))
    let found = try await Trust.checksumsOnly.authority.newestManifest(of: .stable, from: reader)
    #expect(found.manifest == release.manifest && found.newest == newer.manifest)
  }

  @Test("A release of another channel is that channel's, and no other's")
  func channel() async throws {
    let release = try SampleRelease(3) { $0.channel = try #require(Channel("beta")) }
    let archive = try open(release.archiveFiles())
    let problem = await #expect(throws: Problem.self) {
      try await Trust.checksumsOnly.authority.newestManifest(of: .stable, from: FeedReader(.archive(archive)))
    }
    #expect(problem?.code == .wrongChannel)
  }

  @Test(
    "An archive without one of its files is refused, and says which",
    arguments: [
      (0, "manifest.json"), (1, "manifests that do not belong together"), (2, "manifest of a release"),
      (3, "catalog"), (4, "bundle"),
    ])
  func missing(index: Int, text: String) throws {
    let problem = try refusal { $0.remove(at: index) }
    #expect(problem.code == .archiveInvalid && problem.message.contains(text), "\(problem)")
  }

  @Test(
    "A file that no release has makes it something else",
    arguments: [
      "README", "manifest.json.bak", "metadata/root.json", "metadata/01.root.json", "metadata/0.root.json",
      "metadata/1.mirrors.json", "metadata/timestamp.json.x", "channels/stable/manifest.json",
      "channels/Beta/manifest.json", "files/x.manifest.json", "files/releases/3/x.parsers.bundle.js",
      "files/releases/03/\(String(repeating: "a", count: 64)).sources.json",
      "files/releases/3/\(String(repeating: "A", count: 64)).sources.json",
      "files/releases/3/\(String(repeating: "a", count: 64)).exe", ".parser-ota/feed.json", "index.html",
    ])
  func unknown(name: String) throws {
    let problem = try refusal { $0.append((name, [1])) }
    #expect(problem.code == .archiveInvalid, "\(problem)")
    #expect(problem.message.contains("which is not part of a release"), "\(problem)")
  }

  @Test("A byte that changed is damage, wherever it is")
  func changed() throws {
    for index in 1..<5 {
      let problem = try refusal { $0[index].bytes[20] ^= 1 }
      #expect(
        problem.code == .archiveDamaged && problem.message.contains("not what its name says"), "\(problem)")
    }
    #expect(try refusal { $0[0].bytes[20] ^= 1 }.code.responsibility == .untrustedContent)
  }

  @Test("Files that do not belong together are refused")
  func mixed() throws {
    let (release, newer) = (try Self.release.get(), try Self.newer.get())
    let other = newer.archiveFiles()
    let swaps: [(String, (inout [ArchivedFile]) throws -> Void)] = [
      ("another bundle", { $0[4] = other[4] }), ("another catalog", { $0[3] = other[3] }),
      ("another manifest", { $0[2] = other[2] }), ("another copy", { $0[1] = other[1] }),
      ("another pointer", { $0[0] = other[0] }), ("two bundles", { $0.append(other[4]) }),
      ("two catalogs", { $0.append(other[3]) }), ("two manifests", { $0.append(other[2]) }),
      ("a pointer of another channel", { $0[0].name = "channels/beta/manifest.json" }),
      (
        "a copy of another channel",
        { $0[1].name = $0[1].name.replacing("files/", with: "files/channels/beta/") }
      ),
      (
        "an older pointer",
        { files in files = newer.archiveFiles(newest: release) }
      ),
      ("the number of another release", { $0[2].name = $0[2].name.replacing("/3/", with: "/5/") }),
    ]
    for (what, swap) in swaps {
      let problem = try refusal(swap)
      #expect([.archiveInvalid, .archiveDamaged].contains(problem.code), "\(what): \(problem)")
    }
  }

  @Test(
    "Signed metadata is there as a whole or not at all",
    arguments: [
      ["metadata/timestamp.json"], ["metadata/1.root.json"],
      ["metadata/timestamp.json", "metadata/1.snapshot.json", "metadata/1.targets.json"],
      ["metadata/1.root.json", "metadata/timestamp.json", "metadata/1.snapshot.json"],
      [
        "metadata/2.root.json", "metadata/timestamp.json", "metadata/1.snapshot.json",
        "metadata/1.targets.json",
      ],
      [
        "metadata/1.root.json", "metadata/3.root.json", "metadata/timestamp.json", "metadata/1.snapshot.json",
        "metadata/1.targets.json",
      ],
      [
        "metadata/1.root.json", "metadata/timestamp.json", "metadata/1.snapshot.json",
        "metadata/2.snapshot.json",
        "metadata/1.targets.json",
      ],
    ])
  func metadata(names: [String]) throws {
    let problem = try refusal { files in files += names.map { ($0, [UInt8]("{}".utf8)) } }
    #expect(problem.code == .archiveInvalid, "\(problem)")
  }

  @Test("A file that is too large for its kind is refused before it is read")
  func tooLarge() throws {
    for (index, bytes) in [(0, 70_000), (2, 70_000), (3, 17 << 20)] {
      let problem = try refusal { $0[index].bytes = [UInt8](repeating: 0x20, count: bytes) }
      #expect(problem.code == .archiveTooLarge, "\(problem)")
    }
  }

  @Test("What version control or a host puts in its place is called by its name")
  func strange() throws {
    for (text, words) in [
      ("", "is empty"), ("<html>", "is an HTML page"),
      ("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "is a Git LFS pointer"),
      ("garbage", "is not a release archive"),
    ] {
      let problem = #expect(throws: Problem.self) { try ReleaseArchive(Array(text.utf8), name: "x.tar.zst") }
      #expect(problem?.code == .archiveDamaged && problem?.message.contains("x.tar.zst \(words)") == true)
    }
  }
}
