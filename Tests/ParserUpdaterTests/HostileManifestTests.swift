import OTAManifest
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// Manifests that must be refused before anything else is asked for.
@Suite("Hostile manifests")
struct HostileManifestTests {
  /// Serves a manifest as text; the device must refuse it after this one request, naming `field`.
  private func expectRefusal(
    _ text: String, naming field: String, code: ProblemCode = .manifestInvalid,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let device = try Device(embedded: 30)
    try device.feed.publish(31)
    device.feed.put(Array(text.utf8), at: "manifest.json")
    for _ in 0..<2 {
      let problem = await problem { try await device.update() }
      #expect(problem?.code == code, "\(problem?.message ?? "taken")", sourceLocation: sourceLocation)
      #expect(
        problem?.message.contains(field) == true, "\(problem?.message ?? "")", sourceLocation: sourceLocation)
      #expect(problem?.kept != nil, sourceLocation: sourceLocation)
    }
    #expect(device.feed.takeRequests() == ["manifest.json", "manifest.json"], sourceLocation: sourceLocation)
    #expect(device.scratch == [] && device.stored == [], sourceLocation: sourceLocation)
    #expect(device.launch().version == 30, sourceLocation: sourceLocation)
    try await expectSignedRefusal(text, naming: field, sourceLocation: sourceLocation)
  }

  /// The same manifest, signed by whoever holds the keys: a signature makes no bad manifest good.
  private func expectSignedRefusal(
    _ text: String, naming field: String, sourceLocation: SourceLocation
  ) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(.signed))
    try device.feed.publish(31)
    device.feed.signer?.list(Array(text.utf8), at: "manifest.json", on: device.feed)
    device.feed.signer?.sign(on: device.feed)
    let problem = await problem { try await device.update() }
    #expect(problem?.code.responsibility == .untrustedContent, sourceLocation: sourceLocation)
    if problem?.code == .manifestInvalid {
      #expect(problem?.message.contains(field) == true, sourceLocation: sourceLocation)
    }
    #expect(problem?.kept != nil, sourceLocation: sourceLocation)
    let requests = device.feed.takeRequests()
    #expect(requests.contains { $0.hasPrefix("metadata/") }, sourceLocation: sourceLocation)
    let files = requests.filter { !$0.hasPrefix("metadata/") && !$0.hasSuffix("manifest.json") }
    #expect(files == [], sourceLocation: sourceLocation)
    #expect(device.scratch == [] && device.stored == [], sourceLocation: sourceLocation)
    #expect(device.launch().version == 30, sourceLocation: sourceLocation)
  }

  private static let digest = String(repeating: "ab", count: 32)

  /// A manifest in the old shape, some of its values replaced by other JSON text.
  private func manifest(
    version: String = "31", url: String = "\"b.js\"", sha256: String? = nil, bytes: String = "3000",
    extra: String = ""
  ) -> String {
    """
    {"version": \(version),
     "bundle": {"url": \(url), "sha256": \(sha256 ?? "\"\(Self.digest)\""), "bytes": \(bytes)},
     "sources": {"url": "s.json", "sha256": "\(Self.digest)", "bytes": 10}\(extra)}
    """
  }

  @Test(
    "B31: two readings of one manifest are refused",
    arguments: [
      (#", "version": 32"#, "version"), (#", "versio\u006e": 32"#, "version"),
      (#", "Version": 32"#, "Version"),
      (#", "bundle": {}"#, "bundle"), (#", "SHA256": 1, "sources": {}"#, "sources"),
    ])
  func duplicateKeys(extra: String, field: String) async throws {
    try await expectRefusal(manifest(extra: extra), naming: field)
  }

  @Test(
    "B33: numbers that are no version are refused by name",
    arguments: [
      "38.0", "3.8e1", "1e2", "\"38\"", "38.5", "-1", "0", "true", "null", "9007199254740993",
      "9223372036854775808", "1e400", "038",
    ])
  func versions(text: String) async throws {
    try await expectRefusal(manifest(version: text), naming: text == "038" ? "manifest.json" : "version")
  }

  @Test(
    "B33: numbers that are no size are refused by name",
    arguments: ["3000.0", "3e3", "\"3000\"", "-1", "0", "true", "null", "67108865", "9223372036854775808"])
  func sizes(text: String) async throws {
    try await expectRefusal(manifest(bytes: text), naming: "bundle.bytes")
  }

  @Test(
    "B34, B35: spellings that are no digest are refused before any download",
    arguments: [
      "\"\"", "null", "\"\(String(repeating: "a", count: 63))\"", "\"\(String(repeating: "a", count: 65))\"",
      "\"sha256:\(digest)\"", "\" \(digest)\"", "\"q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=\"", "12",
    ])
  func digests(text: String) async throws {
    try await expectRefusal(manifest(sha256: text), naming: "bundle.sha256")
  }

  @Test("B34: the digest in upper case is the same digest")
  func upperCase() async throws {
    let device = try Device(embedded: 30)
    let release = try SampleRelease(31)
    device.feed.publish(release)
    let text = String(decoding: release.bytes, as: UTF8.self)
    let digest = release.manifest.bundle.sha256.hex
    let upper = text.replacing("\"sha256\": \"\(digest)\"", with: "\"sha256\": \"\(digest.uppercased())\"")
    try #require(upper != text)
    device.feed.put(Array(upper.utf8), at: "manifest.json")
    #expect(try await device.update() == .staged(.number(31)))
  }

  @Test(
    "B35: a missing size, digest or file is refused, not taken as nothing to check",
    arguments: [
      (#"{"version":31}"#, "bundle"),
      (#"{"version":31,"bundle":{"url":"b.js","bytes":1},"sources":{}}"#, "bundle.sha256"),
      (#"{"version":31,"bundle":{"url":"b.js","sha256":"\#(digest)"},"sources":{}}"#, "bundle.bytes"),
      (#"{"version":31,"bundle":{"sha256":"\#(digest)","bytes":1},"sources":{}}"#, "bundle.url"),
      (#"[]"#, "manifest.json"), ("", "manifest.json"), ("{", "manifest.json"), ("null", "manifest.json"),
    ])
  func missing(text: String, field: String) async throws {
    try await expectRefusal(text, naming: field)
  }

  @Test(
    "B67: addresses that leave the feed are refused",
    arguments: [
      "../b.js", "%2e%2e%2fb.js", "a/../b.js", "//evil.example/x", "/etc/passwd", "C:\\\\x", "", ".", "..",
      "a//b.js", "b.js?x=1", "b.js#x", "a b.js", "b.js\\u0000", "https://good\\\\@evil.example/x",
      "https://user@evil.example/x", "file:///etc/passwd", "ftp://a.example/b.js", "javascript:alert(1)",
      "https://a.example/../b.js", "https://a.example/%2e%2e/b.js", "https:///b.js", "é.js",
      "https://é.example/b.js", String(repeating: "a", count: 5000),
    ])
  func addresses(url: String) async throws {
    try await expectRefusal(manifest(url: "\"\(url)\""), naming: "bundle.url")
  }

  @Test(
    "B38, B67: plain http is refused for both files before the first is fetched",
    arguments: ["http://cdn.example/b.js", "http://127.0.0.1/b.js", "HTTP://[::1]/b.js"])
  func plainHTTP(url: String) async throws {
    for field in ["bundle", "sources"] {
      let device = try Device(embedded: 30)
      try device.feed.publish(31) { manifest in
        let location = try ArtifactLocation(url)
        let (bundle, sources) = (manifest.bundle, manifest.sources)
        if field == "bundle" {
          manifest.bundle = Artifact(location: location, sha256: bundle.sha256, bytes: bundle.bytes)
        } else {
          manifest.sources = Artifact(location: location, sha256: sources.sha256, bytes: sources.bytes)
        }
      }
      let problem = await problem { try await device.update() }
      #expect(problem?.code == .forbiddenURL && problem?.message.contains("plain http") == true)
      #expect(
        await ParserUpdaterTests.problem { _ = try await device.updater().check() }?.code == .forbiddenURL)
      #expect(device.feed.takeRequests() == ["manifest.json", "manifest.json"])
    }
  }

  @Test("B67: names on the device are our own, whatever the manifest calls its files")
  func localNames() async throws {
    let device = try Device(embedded: 30)
    let release = try SampleRelease(31) { manifest in
      manifest.bundle = Artifact(
        location: try ArtifactLocation("NUL/state.json"), sha256: manifest.bundle.sha256,
        bytes: manifest.bundle.bytes)
    }
    device.feed.publish(release)
    #expect(try await device.update() == .staged(.number(31)))
    let folder = try device.folder(of: 31)
    #expect(try namesInDirectory(folder) == ["manifest.json", "parsers.bundle.js", "sources.json"])
  }

  @Test("an absolute https address on another host is allowed, since the digest decides")
  func otherHost() async throws {
    let device = try Device(embedded: 30)
    let url = "https://cdn.example/any/b.js"
    let release = try SampleRelease(31) { manifest in
      manifest.bundle = Artifact(
        location: try ArtifactLocation(url), sha256: manifest.bundle.sha256, bytes: manifest.bundle.bytes)
    }
    device.feed.publish(release)
    #expect(try await device.update() == .staged(.number(31)))
    #expect(device.feed.takeRequests() == ["manifest.json", url, release.sourcesPath])
  }

  @Test("an endless, deep or padded manifest is refused by its size")
  func oversized() async throws {
    try await expectRefusal(
      manifest(extra: String(repeating: " ", count: 70_000)), naming: "manifest.json", code: .tooLarge)
    try await expectRefusal(
      manifest(extra: ", \"x\": " + String(repeating: "[", count: 20_000)), naming: "manifest.json")
  }

  private static let badCatalogs: [(String, String)] = [
    ("[]", "no sources"), ("{}", "array"), ("", ""), ("[{}]", "[0]"), ("[1]", "[0]"), ("{", ""),
    (
      #"[{"id":"A","className":"A","title":"A","locale":"en","domain":null,"family":"f","isNsfw":false,"overrides":{}}]"#,
      "domain"
    ),
    (
      #"[{"id":"A","className":"A","title":"A","locale":"en","domain":"d","family":"f","isNsfw":"yes","overrides":{}}]"#,
      "isNsfw"
    ),
    (
      #"[{"id":"A","className":"A","title":"A","locale":"en","domain":"d","family":"f","isNsfw":1,"overrides":{}}]"#,
      "isNsfw"
    ),
    (
      #"[{"id":"A","className":"A","title":"A","locale":"en","domain":"d","family":"f","isNsfw":false,"overrides":[]}]"#,
      "overrides"
    ),
    (
      #"[{"id":"A","id":"B","className":"A","title":"A","locale":"en","domain":"d","family":"f","isNsfw":false,"overrides":{}}]"#,
      "id"
    ),
  ]

  @Test(
    "B29: a catalog that is none is refused before activation, although its digest is right",
    arguments: badCatalogs)
  func badCatalog(text: String, word: String) async throws {
    guard !text.isEmpty else { return }
    try await expectCatalogRefused(Array(text.utf8), word: word)
  }

  @Test(
    "B57: two entries with one id are refused, and the old pair stays",
    arguments: [["ABC", "ABC"], ["ABC", "abc"], ["ABC", "JS_ABC"], ["caf\u{E9}", "cafe\u{301}"]])
  func twins(ids: [String]) async throws {
    try await expectCatalogRefused(Fixtures.smallCatalog(ids: ids), word: "")
  }

  private func expectCatalogRefused(_ catalog: [UInt8], word: String) async throws {
    for mode in TrustMode.allCases { try await expectCatalogRefused(catalog, word: word, mode) }
  }

  private func expectCatalogRefused(_ catalog: [UInt8], word: String, _ mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    try await device.take(31)
    let release = try device.feed.publish(
      32, .init(bundle: SampleRelease.Content(of: 32).bundle, sources: catalog))
    _ = device.feed.takeRequests()
    let problem = await problem { try await device.update() }
    #expect(
      problem?.code == .sourcesInvalid && problem?.message.contains(word) == true, "\(problem?.message ?? "")"
    )
    let files = [release.bundlePath, release.sourcesPath]
    #expect(device.feed.takeRequests().filter(files.contains) == files)
    // The same broken release costs no second download.
    _ = await ParserUpdaterTests.problem { try await device.update() }
    #expect(device.feed.takeRequests().filter(files.contains) == [])
    #expect(device.launch().version == 31)
    #expect(device.stored == [31])
    try device.feed.publish(33)
    #expect(try await device.update() == .staged(.number(33)))
    #expect(device.scratch == [])
  }

  @Test("a bundle with the right digest that is empty, a page or begins with a BOM is refused")
  func badBundles() async throws {
    for bytes in [Array(" \n\t".utf8), Array("<html>".utf8), [0xEF, 0xBB, 0xBF] + Array("var x".utf8)] {
      let device = try Device(embedded: 30)
      try device.feed.publish(31, .init(bundle: bytes, sources: SampleRelease.Content(of: 31).sources))
      #expect(await problem { try await device.update() }?.code == .bundleInvalid)
      #expect(device.launch().version == 30)
      #expect(device.scratch == [])
    }
  }
}
