import Foundation
import OTAManifest
import OTAStorage
import ParserPublisher
import Testing
import TestSupport

@Suite struct InputTests {
  static let bundle = Fixtures.bundle(marker: "x", bytes: 1000)
  static let entry =
    #"{"id":"A","className":"AParser","title":"A","locale":"en","domain":"a.example","family":"F","isNsfw":false,"overrides":{}}"#

  /// The problem of publishing these bytes into an empty feed, which must stay empty.
  private func refusal(bundle: [UInt8] = bundle, sources: [UInt8]) async throws -> Problem? {
    let feed = try await TestFeed()
    let before = try feed.tree()
    let request = try feed.request(bundle: bundle, sources: sources)
    let refused = await problem { _ = try await feed.publisher.publish(request) }
    if refused != nil { #expect(try feed.tree() == before) }
    return refused
  }

  @Test(
    "B29, B31, B50, B57: a catalog with one bad place is refused with the file and the field",
    arguments: [
      ("B29", "[]", "has no sources"),
      ("B29", "{}", "not an array"),
      ("B29", "[\(entry),{\"className\":\"B\"}]", "[1].id is missing"),
      ("B29", "[\(entry.replacing("false", with: "1"))]", "[0].isNsfw is a number"),
      ("B29", "[\(entry.replacing("\"a.example\"", with: "null"))]", "[0].domain is null"),
      ("B29", "[\(entry.replacing("{}", with: "[]"))]", "[0].overrides is an array"),
      ("B31", "[\(entry.replacing("\"family\"", with: "\"i\\u0064\""))]", "[0].id"),
      ("B50", "\u{FEFF}[\(entry)]", "BOM at byte 0"),
      ("B57", "[\(entry),\(entry)]", "[1].id is \"A\", the same source as \"A\" at [0].id"),
      ("B57", "[\(entry),\(entry.replacing("\"A\"", with: "\"JS_a\""))]", "at [0].id"),
      ("page", "<html>", "sources.json"),
    ])
  func badCatalogs(name: String, sources: String, expected: String) async throws {
    let refused = try await refusal(sources: Array(sources.utf8))
    #expect(refused?.code == .inputInvalid)
    #expect(refused?.message.contains("sources.json") == true)
    #expect(refused?.message.contains(expected) == true, "\(refused?.message ?? "accepted")")
  }

  @Test("unknown fields of an entry are accepted")
  func unknownFields() async throws {
    let sources = "[\(entry.replacing("\"overrides\"", with: "\"icon\":\"x\",\"overrides\""))]"
    #expect(try await refusal(sources: Array(sources.utf8)) == nil)
  }

  private var entry: String { Self.entry }

  @Test(
    "B50: a bundle that is empty, has a BOM, is a page, is UTF-16 or no UTF-8 at all is refused",
    arguments: [
      ([], "is empty"), ([0x20, 0x0A], "is empty"), ([0xEF, 0xBB, 0xBF, 0x61], "BOM at byte 0"),
      (Array("  <!doctype html>".utf8), "HTML page"), ([0xFF, 0xFE, 0x61, 0x00], "UTF-16"),
      ([0x61, 0x62, 0x63, 0x64, 0xFF], "offset 4"),
    ] as [([UInt8], String)])
  func badBundles(bundle: [UInt8], expected: String) async throws {
    let refused = try await refusal(bundle: bundle, sources: Fixtures.smallCatalog(ids: ["A"]))
    #expect(refused?.code == .inputInvalid)
    #expect(refused?.message.contains("parsers.bundle.js") == true)
    #expect(refused?.message.contains(expected) == true, "\(refused?.message ?? "accepted")")
  }

  @Test("B51: LF, CRLF and a missing final newline are three contents; CRLF is warned about, never rewritten")
  func lineEndings() async throws {
    let feed = try await TestFeed()
    let lines = String(decoding: Fixtures.smallCatalog(ids: ["A", "B"]), as: UTF8.self)
    let variants = [lines, lines.replacing("\n", with: "\r\n"), String(lines.dropLast())]
    var digests: Set<Digest> = []
    for variant in variants {
      let bytes = Array(variant.utf8)
      let report = try await feed.publisher.publish(try feed.request(bundle: Self.bundle, sources: bytes))
      #expect(report.outcome == .published)
      #expect(try feed.read(report.manifest.sources.location.text) == bytes)
      #expect(report.warnings.count == (variant.contains("\r\n") ? 1 : 0))
      #expect(report.warnings.allSatisfy { $0.contains("sources.json has CRLF") })
      digests.insert(report.manifest.sources.sha256)
    }
    #expect(digests.count == 3)
    try await feed.checkAsClient()
  }

  @Test("B84: litter beside the inputs changes nothing: exactly two files are read")
  func litter() async throws {
    let (clean, littered) = (try await TestFeed(), try await TestFeed())
    for name in [".DS_Store", "._x", "Thumbs.db", "x~"] { _ = try littered.write(name, [1, 2, 3]) }
    for folder in ["__MACOSX", ".git"] { _ = try Directory.create(littered.folder.path(folder)) }
    try await clean.publish("one")
    try await littered.publish("one")
    #expect(try run("/usr/bin/diff", ["-r", clean.feed, littered.feed]).status == .exited(0))
  }

  @Test("B94: no two files of a feed have names that differ only by case, whatever the inputs are called")
  func caseOfNames() async throws {
    let feed = try await TestFeed()
    let bundle = try feed.write("Index.js", Self.bundle)
    let sources = try feed.write("index.js", Fixtures.smallCatalog(ids: ["A"]))
    _ = try await feed.publisher.publish(requestWithoutEngine(bundlePath: bundle, sourcesPath: sources))
    let names = try feed.tree()
    #expect(Set(names.map { $0.lowercased() }).count == names.count)
    #expect(names.allSatisfy { $0.allSatisfy(\.isASCII) })
  }

  @Test("a name that is not ASCII is refused before the file is read")
  func nonASCIIName() async throws {
    let feed = try await TestFeed()
    let bundle = try feed.write("b\u{E4}ndel.js", Self.bundle)
    let sources = try feed.write("sources.json", Fixtures.smallCatalog(ids: ["A"]))
    let refused = await problem {
      _ = try await feed.publisher.publish(requestWithoutEngine(bundlePath: bundle, sourcesPath: sources))
    }
    #expect(refused?.code == .inputInvalid && refused?.message.contains("ASCII") == true)
  }

  @Test(
    "a missing file, a folder and a pipe are told apart and named", arguments: ["missing", "folder", "pipe"])
  func notAFile(kind: String) async throws {
    let feed = try await TestFeed()
    let path = feed.folder.path(kind)
    if kind == "folder" { _ = try Directory.create(path) }
    if kind == "pipe" { #expect(mkfifo(path, 0o600) == 0) }
    var request = try feed.request("one")
    request.sourcesPath = path
    let refused = await problem { [request] in _ = try await feed.publisher.publish(request) }
    #expect(refused?.code == (kind == "missing" ? .inputMissing : .inputWrongKind))
    #expect(refused?.message.contains(path) == true)
  }

  @Test("one file for both, or the catalog twice, is refused")
  func sameFile() async throws {
    let feed = try await TestFeed()
    let path = try feed.write("sources.json", Fixtures.smallCatalog(ids: ["A"]))
    let copy = try feed.write("copy.json", Fixtures.smallCatalog(ids: ["A"]))
    for bundle in [path, copy] {
      let refused = await problem {
        _ = try await feed.publisher.publish(requestWithoutEngine(bundlePath: bundle, sourcesPath: path))
      }
      #expect(refused?.code == .inputInvalid)
    }
  }

  @Test("files and values beyond the limits that clients have are refused here already")
  func limits() async throws {
    let feed = try await TestFeed()
    var large = try feed.request("one")
    large.bundlePath = feed.folder.path("large.js")
    #expect(try run("/usr/bin/truncate", ["-s", "67108865", large.bundlePath]).status == .exited(0))
    let notes = String(repeating: "n", count: 4097)
    let requests = [
      large, try feed.request("one") { $0.notes = notes }, try feed.request("one") { $0.contract = 0 },
    ]
    for request in requests {
      let code = await problem { _ = try await feed.publisher.publish(request) }?.code
      #expect(code == (request.bundlePath == large.bundlePath ? .inputInvalid : .inputRefused))
    }
    #expect(try feed.tree().contains("./manifest.json") == false)
  }
}
