import OTAManifest
import Testing

@Suite("A manifest is read strictly and written the same way each time")
struct ManifestTests {
  private static let digest = String(repeating: "ab", count: 32)

  /// A manifest of nothing but what must be there, with `more` members after it.
  private func text(version: String = "38", bytes: String = "10", _ more: String = "") -> [UInt8] {
    let file = #"{ "url": "a.js", "sha256": "\#(Self.digest)", "bytes": \#(bytes) }"#
    return Array(#"{ "version": \#(version), "bundle": \#(file), "sources": \#(file)\#(more) }"#.utf8)
  }

  @Test(
    "B33: versions and sizes are plain integers, and a refusal names the field",
    arguments: [
      "38.0", "3.8e1", "1e2", "\"38\"", "38.5", "-1", "0", "true", "null", "9007199254740992",
      "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1e400",
      "340282366920938463463374607431768211456",
    ])
  func integers(text number: String) throws {
    let version = try #require(throws: InputError.self) { try Manifest.decode(text(version: number)) }
    #expect(version.field == "version" && version.message.hasPrefix("version is "), "\(version.message)")
    let bytes = try #require(throws: InputError.self) { try Manifest.decode(text(bytes: number)) }
    #expect(bytes.field == "bundle.bytes" && bytes.message.hasPrefix("bundle.bytes is "), "\(bytes.message)")
  }

  @Test("B33: the ends of the allowed ranges are allowed")
  func ends() throws {
    #expect(try Manifest.decode(text(version: "1")).version == .first)
    #expect(try Manifest.decode(text(version: "9007199254740991")).version == .maximum)
    #expect(try Manifest.decode(text(bytes: "16777216")).sources.bytes == 16 << 20)
    let error = try #require(throws: InputError.self) { try Manifest.decode(text(bytes: "16777217")) }
    #expect(error.field == "sources.bytes" && error.reason == .outOfRange)
  }

  @Test("What a file does not say has the values that old feeds meant")
  func defaults() throws {
    let manifest = try Manifest.decode(text())
    #expect(
      manifest == Manifest(version: manifest.version, bundle: manifest.bundle, sources: manifest.sources))
    #expect(manifest.channel == .stable && manifest.content == manifest.version)
  }

  @Test("An explicit null is not absence")
  func nulls() {
    for name in [
      "channel", "released", "notes", "contract", "minimumAppVersion", "content", "parent", "parentVersion",
      "withdrawn", "withdrawnContent", "aliases", "requires", "fixtures", "allowed",
    ] {
      let error = #expect(throws: InputError.self) { try Manifest.decode(text(", \"\(name)\": null")) }
      #expect(error?.reason == .wrongType && error?.field == name, "\(name)")
    }
  }

  @Test("A manifest with every field survives writing and reading")
  func everyField() throws {
    let plain = try Manifest.decode(text())
    var manifest = Manifest(
      version: try #require(ReleaseVersion(40)), bundle: plain.bundle, sources: plain.sources)
    manifest.channel = try #require(Channel("beta-2"))
    manifest.released = Timestamp(secondsSinceEpoch: 1_781_169_164)
    manifest.notes = "quotes \" and \\ and \u{1}\u{7F}\n作品"
    manifest.contract = 5
    manifest.minimumAppVersion = AppVersion("2.1")
    manifest.content = try #require(ReleaseVersion(36))
    manifest.parent = Digest(hex: String(repeating: "0", count: 64))
    manifest.parentVersion = ReleaseVersion(39)
    manifest.withdrawn = [39, 38, 37].compactMap { ReleaseVersion($0) }
    manifest.withdrawnContent = [
      WithdrawnContent(version: try #require(ReleaseVersion(38)), pair: plain.pair)
    ]
    manifest.aliases = [SourceAlias(old: "OLD", new: "NEW"), SourceAlias(old: "A", new: "OLD")]
    manifest.requires = ["delta", "delta-2"]
    manifest.fixtures = FixtureScore(sources: 12, same: 9, changed: 1, better: 2, worse: 0)
    manifest.allowed = ["dangling-call:ABC", "no-engine"]
    let again = try Manifest.decode(manifest.encoded())
    #expect(again == manifest)
    #expect(again.encoded() == manifest.encoded())
    #expect(again.unknownFeatures == ["delta", "delta-2"])
  }

  @Test("Fields are written in one order, empty ones left out, digests in lower case")
  func order() throws {
    let manifest = try Manifest.decode(text())
    let expected = """
      {
        "version": 38,
        "bundle": {
          "url": "a.js",
          "sha256": "\(Self.digest)",
          "bytes": 10
        },
        "sources": {
          "url": "a.js",
          "sha256": "\(Self.digest)",
          "bytes": 10
        },
        "channel": "stable",
        "content": 38
      }

      """
    #expect(String(decoding: manifest.encoded(), as: UTF8.self) == expected)
  }

  @Test("A refusal tells a wrong kind from a wrong value in names of sources and features")
  func names() {
    let long = String(repeating: "n", count: 257)
    let cases: [(String, InputError.Reason, String)] = [
      (#""aliases": { "A": "B", "C": 5 }"#, .wrongType, "aliases.C"),
      (#""aliases": { "A": "\#(long)" }"#, .malformed, "aliases.A"),
      (#""requires": ["a", []]"#, .wrongType, "requires[1]"),
      (#""requires": ["\#(long)"]"#, .malformed, "requires[0]"),
    ]
    for (member, reason, field) in cases {
      let error = #expect(throws: InputError.self) { try Manifest.decode(text(", \(member)")) }
      #expect(error?.reason == reason && error?.field == field, "\(member.prefix(40))")
    }
  }

  @Test("A release is its two digests, whatever its number and its addresses")
  func pair() throws {
    let one = try Manifest.decode(text())
    let two = try Manifest.decode(text(version: "39"))
    #expect(one != two && one.pair == two.pair)
  }

  @Test("B50: no bundle begins with a byte-order mark, a page, or nothing at all")
  func bundleHeads() throws {
    try ReleaseContentCheck.checkBundle(head: Array("\"use strict\";".utf8))
    let refused: [([UInt8], InputError.Reason)] = [
      ([], .empty), (Array(" \r\n\t".utf8), .empty),
      ([0xEF, 0xBB, 0xBF] + Array("var a;".utf8), .byteOrderMark),
      (Array("\n <!doctype html>".utf8), .html),
    ]
    for (head, reason) in refused {
      let error = #expect(throws: InputError.self) { try ReleaseContentCheck.checkBundle(head: head) }
      #expect(error?.reason == reason)
    }
  }
}
