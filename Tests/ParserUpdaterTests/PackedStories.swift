import OTAArchive
import OTACrypto
import OTAFeed
import OTAManifest
import OTATransfer
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// How the files of a release come here: as a patch, compressed, or as they are.
@Suite("Patches and compressed files")
struct PackedStories {
  /// A bundle of a usual kind, with one line that each version changes.
  private static func bundle(_ version: Int64) -> [UInt8] {
    Fixtures.bundle(marker: "same", bytes: 60_000) + Array("// fix \(version) of the day\n".utf8)
  }

  private static func content(_ version: Int64) -> SampleRelease.Content {
    .init(bundle: bundle(version), sources: Fixtures.smallCatalog(ids: ["ABC"]))
  }

  /// Publishes a release with a compressed form and patches from these versions; returns the paths of all forms.
  @discardableResult
  private func publish(
    _ version: Int64, from bases: [Int64], on feed: MemoryFeed, _ edit: (inout Artifact) -> Void = { _ in }
  ) throws -> (whole: String, patches: [Int64: String]) {
    let new = Self.bundle(version)
    var paths: (whole: String, patches: [Int64: String]) = ("", [:])
    func form(_ name: String, base: [UInt8]) throws -> PackedFile {
      let packed = try Zstd.pack(new, base: base)
      let path = "files/releases/\(version)/\(try sha256(packed.bytes)).\(name)"
      feed.put(packed.bytes, at: path)
      return PackedFile(
        from: base.isEmpty ? nil : try sha256(base), location: try ArtifactLocation(path),
        sha256: try sha256(packed.bytes), bytes: Int64(packed.bytes.count), memory: Int64(packed.memory))
    }
    let encodings = [try form("parsers.bundle.js.zst", base: [])]
    paths.whole = encodings[0].location.text
    var patches: [PackedFile] = []
    for base in bases {
      patches.append(try form("parsers.bundle.js.\(base).zst", base: Self.bundle(base)))
      paths.patches[base] = patches.last?.location.text
    }
    try feed.publish(version, Self.content(version)) { manifest in
      manifest.bundle.encodings = encodings
      manifest.bundle.patches = patches
      edit(&manifest.bundle)
    }
    return paths
  }

  private func device(embedded: Int64 = 30, feed: MemoryFeed = MemoryFeed()) throws -> Device {
    let device = try Device(embedded: nil, feed: feed)
    device.embed(try SampleRelease(embedded, Self.content(embedded)))
    return device
  }

  @Test(
    "the embedded, the current, the previous and the staged release are bases, and nothing but a patch comes")
  func everyBase() async throws {
    let device = try device()
    let feed = device.feed
    let first = try publish(31, from: [30], on: feed)
    #expect(try await device.update() == .staged(.number(31)))
    #expect(feed.takeRequests() == ["manifest.json", try #require(first.patches[30])])
    // Staged, and never launched.
    let second = try publish(32, from: [31], on: feed)
    #expect(try await device.update() == .staged(.number(32)))
    #expect(feed.takeRequests() == ["manifest.json", try #require(second.patches[31])])
    #expect(device.launchAndConfirm() == 32)
    // The current one; and a version that was skipped.
    let third = try publish(34, from: [33, 32, 31], on: feed)
    #expect(try await device.update() == .staged(.number(34)))
    #expect(feed.takeRequests() == ["manifest.json", try #require(third.patches[32])])
    #expect(device.launchAndConfirm() == 34)
    // The previous one.
    let fourth = try publish(35, from: [32], on: feed)
    #expect(try await device.update() == .staged(.number(35)))
    #expect(feed.takeRequests() == ["manifest.json", try #require(fourth.patches[32])])
    #expect(device.launch().release.bundle == Self.bundle(35))
    #expect(device.scratch == [])
  }

  @Test("without a base the compressed file comes, and without either the plain one")
  func noBase() async throws {
    let device = try device()
    let paths = try publish(31, from: [7], on: device.feed)
    #expect(try await device.update() == .staged(.number(31)))
    #expect(device.feed.takeRequests() == ["manifest.json", paths.whole])
    #expect(device.launch().release.bundle == Self.bundle(31))
  }

  /// What can be wrong with a patch.
  enum Wrong: String, CaseIterable {
    case missing, damaged, cut, page, wrongBase, bomb, needsMemory, lies, longer, serverError, damagedBase
    case otherDigest
  }

  @Test("whatever is wrong with a patch, the update succeeds in the same run", arguments: Wrong.allCases)
  func wrongPatch(_ wrong: Wrong) async throws {
    let device = try device()
    let feed = device.feed
    let bomb = try Zstd.pack([UInt8](repeating: 32, count: 40 << 20))
    let other = try Zstd.pack(Self.bundle(31), base: Array(Self.bundle(30).reversed()))
    let lie = try Zstd.pack(Self.bundle(99), base: Self.bundle(30))
    func replaced(_ artifact: inout Artifact, by packed: Zstd.Packed) {
      guard let digest = try? sha256(packed.bytes) else { return }
      let patch = artifact.patches[0]
      feed.put(packed.bytes, at: patch.location.text)
      artifact.patches[0] = PackedFile(
        from: patch.from, location: patch.location, sha256: digest, bytes: Int64(packed.bytes.count),
        memory: 100_000)
    }
    let paths = try publish(31, from: [30], on: feed) { artifact in
      switch wrong {
      case .bomb: replaced(&artifact, by: bomb)
      case .wrongBase: replaced(&artifact, by: other)
      case .lies: replaced(&artifact, by: lie)
      case .needsMemory:
        let patch = artifact.patches[0]
        artifact.patches[0] = PackedFile(
          from: patch.from, location: patch.location, sha256: patch.sha256, bytes: patch.bytes,
          memory: 17 << 20)
      default: break
      }
    }
    let path = try #require(paths.patches[30])
    var bytes = try #require(feed.files[path])
    switch wrong {
    case .missing: feed.remove(path)
    case .damaged:
      bytes[bytes.count / 2] ^= 1
      feed.put(bytes, at: path)
    case .otherDigest: feed.put(bytes.reversed(), at: path)
    case .cut: feed.answer(path, .cut(after: 20))
    case .page: feed.put(Array("<!doctype html>".utf8), at: path)
    case .longer: feed.put(bytes + [0], at: path)
    case .serverError: feed.answer(path, .failure(.server, status: 500))
    case .damagedBase: flipByte(in: device.home.path("app/parsers.bundle.js"))
    default: break
    }
    #expect(try await device.update() == .staged(.number(31)), "\(wrong)")
    #expect(feed.takeRequests().last == paths.whole, "\(wrong)")
    #expect(device.launch().release.bundle == Self.bundle(31))
    #expect(device.scratch == [])
  }

  @Test("with every packed form spoilt the plain file comes")
  func allSpoilt() async throws {
    let device = try device()
    let paths = try publish(31, from: [30], on: device.feed)
    device.feed.put([1, 2, 3], at: paths.whole)
    device.feed.put([1, 2, 3], at: try #require(paths.patches[30]))
    #expect(try await device.update() == .staged(.number(31)))
    #expect(device.launch().release.bundle == Self.bundle(31))
    #expect(device.scratch == [])
  }

  @Test("a small patch inside the express file makes an update a single request")
  func enclosed() async throws {
    let feed = MemoryFeed(signer: FeedSigner())
    feed.signer?.change { $0.hasExpress = true }
    let device = try device(feed: feed)
    try feed.publish(31, Self.content(31))
    try await device.update()
    device.launchAndConfirm()
    let patch = try Zstd.pack(Self.bundle(32), base: Self.bundle(31))
    let digest = try sha256(patch.bytes)
    let path = "files/releases/32/\(digest).parsers.bundle.js.31.zst"
    feed.signer?.change { $0.enclosed[path] = patch.bytes }
    _ = feed.takeRequests()
    try feed.publish(32, Self.content(32)) { manifest in
      manifest.bundle.patches = [
        PackedFile(
          from: try sha256(Self.bundle(31)), location: try ArtifactLocation(path), sha256: digest,
          bytes: Int64(patch.bytes.count), memory: Int64(patch.memory))
      ]
    }
    #expect(try await device.update() == .staged(.number(32)))
    #expect(feed.takeRequests() == [ExpressFile.path])
    #expect(device.launch().release.bundle == Self.bundle(32))
  }

  @Test("a download that was begun as the plain file goes on when that is less than any other form")
  func resumesPlain() async throws {
    let device = try device()
    let feed = device.feed
    let paths = try publish(31, from: [], on: feed)
    feed.put([0], at: paths.whole)
    let plain = "files/releases/31/\(try sha256(Self.bundle(31))).parsers.bundle.js"
    feed.answer(plain, .cut(after: 59_990))
    await #expect(throws: Problem.self) { try await device.update() }
    feed.answer(plain, nil)
    _ = feed.takeRequests()
    #expect(try await device.update() == .staged(.number(31)))
    #expect(feed.takeRequests() == ["manifest.json", plain])
  }
}
