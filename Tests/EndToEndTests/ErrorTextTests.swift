import Foundation
import TestSupport
import Testing

/// Check 8 of the contract: many ways to fail, each with a text that names the thing and says what to do.
///
/// The rules that every text must keep are checked wherever the tool is run; here is the breadth.
@Suite(.ownThreads) struct ErrorTextTests {
  /// Runs command lines that must fail, and keeps what they said.
  final class Failures {
    let playground: Playground
    private(set) var texts: Set<String> = []

    init(_ playground: Playground) { self.playground = playground }

    func expect(
      _ line: String, _ status: Int32, _ mentions: String..., environment: [String: String] = [:],
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      var tool = playground.tool
      tool.environment = environment
      let answer = try tool(line, sourceLocation: sourceLocation)
      #expect(answer.code == status, "\(answer)", sourceLocation: sourceLocation)
      let error = answer.failure
      for mention in mentions {
        #expect(error.contains(mention), "expected \(mention): \(answer)", sourceLocation: sourceLocation)
      }
      texts.insert(error.replacing(playground.directory.path, with: ""))
    }
  }

  /// How many different texts each group must bring at least; together far more than 60.
  private static func expectBreadth(
    _ failures: Failures, atLeast count: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(failures.texts.count >= count, "\(failures.texts.sorted())", sourceLocation: sourceLocation)
  }

  @Test("check 8: refused inputs of a publish name the file and the field, and the live release stays")
  func inputs() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      let before = try playground.snapshot("feed")
      let failures = Failures(playground)
      func publish(_ bundle: String, _ sources: String, _ mentions: String, status: Int32 = 3) throws {
        try failures.expect(
          "publish --feed feed --bundle \(bundle) --sources \(sources)", status, mentions)
      }
      for (name, bytes, mention) in Self.bundles {
        try playground.write(name, bytes)
        try publish(name, "sources.json", mention)
      }
      for (name, text, mention) in Self.catalogs {
        try playground.write(name, text)
        try publish("bundle-3.js", name, "\(name)")
        try publish("bundle-3.js", name, mention)
      }
      try publish("sources.json", "sources.json", "both")
      try playground.copy("sources.json", to: "same.json")
      try publish("same.json", "sources.json", "same content")
      #expect(try playground.snapshot("feed") == before)
      Self.expectBreadth(failures, atLeast: 18)
    }
  }

  private static let bundles: [(String, [UInt8], String)] = [
    ("empty.js", [], "empty.js"), ("blank.js", Array(" \n".utf8), "blank.js"),
    ("page.js", Array("<!doctype html><p>maintenance".utf8), "HTML"),
    ("mark.js", [0xEF, 0xBB, 0xBF] + Array("var NyoraParsers = {};".utf8), "byte-order mark"),
    ("wide.js", [0xFF, 0xFE, 0x76, 0x00], "wide.js"), ("latin.js", Array("// caf".utf8) + [0xE9], "UTF-8"),
  ]

  private static func entry(_ id: String, _ rest: String = "") -> String {
    """
    {"id":"\(id)","className":"A","title":"A","locale":"en","domain":"a.example","family":"F",\
    "isNsfw":false,"overrides":{}\(rest)}
    """
  }
  private static let catalogs: [(String, String, String)] = [
    ("empty.json", "", "empty"), ("page.json", "<html><body>login", "HTML"), ("object.json", "{}", "array"),
    ("none.json", "[]", "none.json"), ("comma.json", "[\(entry("ALPHA")),]", "comma.json"),
    ("mark.json", "\u{FEFF}[\(entry("ALPHA"))]", "byte-order mark"),
    ("twice.json", "[\(entry("ALPHA")),\(entry("ALPHA"))]", "ALPHA"),
    ("twins.json", "[\(entry("ALPHA")),\(entry("alpha"))]", "ALPHA"),
    ("wrapped.json", "[\(entry("ALPHA")),\(entry("JS_ALPHA"))]", "JS_ALPHA"),
    ("key.json", "[\(entry("ALPHA", ",\"title\":\"B\""))]", "title"),
    ("type.json", "[\(entry("ALPHA").replacing("\"isNsfw\":false", with: "\"isNsfw\":\"no\""))]", "isNsfw"),
    ("field.json", "[\(entry("ALPHA").replacing("\"family\":\"F\",", with: ""))]", "family"),
    ("id.json", "[\(entry(""))]", "id"),
  ]

  @Test("check 8: a publish that the rules of numbers, names and feeds refuse says which rule")
  func rules() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      let failures = Failures(playground)
      let publish = "publish --feed feed --bundle bundle-3.js --sources sources.json"
      try failures.expect("\(publish) --version 2", 1, "contents changed, version did not")
      try failures.expect("\(publish) --version 1", 1, "version 1")
      try failures.expect("\(publish) --version 5000", 1, "version 5000")
      try failures.expect("\(publish) --version 3.5", 2, "--version 3.5")
      try failures.expect("\(publish) --tag nightly", 1, "nightly")
      try failures.expect("\(publish) --contract 0", 2, "--contract 0")
      try failures.expect("\(publish) --minimum-app-version two", 2, "--minimum-app-version two")
      try failures.expect("\(publish) --channel UPPER", 2, "--channel UPPER")
      try failures.expect("\(publish) --alias OLD", 2, "--alias OLD")
      try failures.expect(
        "\(publish) --alias OLD=NOBODY", 1, "OLD=NOBODY", "NOBODY is not in the new catalog")
      try failures.expect("\(publish) --alias ALPHA=BETA", 1, "ALPHA=BETA")
      try failures.expect("\(publish) --alias ONE=TWO --alias TWO=ONE", 1, "ONE=TWO", "loop")
      try failures.expect("\(publish) --expect-parent \(String(repeating: "0", count: 64))", 6, "release 2")
      try failures.expect("\(publish) --expect-parent parsers.zip", 2, "--expect-parent parsers.zip")
      try failures.expect("\(publish) --notes \(String(repeating: "n", count: 70_000))", 1, "notes")
      try failures.expect(publish, 2, "SOURCE_DATE_EPOCH", environment: ["SOURCE_DATE_EPOCH": "yesterday"])
      try playground.write("fewer.json", Fixtures.smallCatalog(ids: ["ALPHA"]))
      try failures.expect("publish --feed feed --bundle bundle-3.js --sources fewer.json", 1, "BETA, GAMMA")
      try failures.expect("embed --feed feed --out out --version 99", 1, "release 99")
      try failures.expect("embed --feed feed --out out --channel beta", 1, "beta")
      try failures.expect("rollback --feed feed --to 99 --yes", 1, "release 99")
      try failures.expect("rollback --feed feed --to 2 --yes", 1, "release 2")
      try failures.expect("rollback --feed feed", 2, "release 3", "needs confirmation")
      try failures.expect("init --feed feed --checksums-only --base-url http://parsers.example/", 1, "http")
      try failures.expect("init --feed feed --checksums-only --keep 0", 2, "--keep 0")
      try failures.expect("init --feed feed --checksums-only --base-url feed", 2, "--base-url feed")
      Self.expectBreadth(failures, atLeast: 24)
    }
  }

  @Test("check 8: a damaged feed is described by the file that is wrong, to publisher, stranger and device")
  func damagedFeed() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      let failures = Failures(playground)
      let live = try playground.read("feed/manifest.json")
      let publish = "publish --feed feed --bundle bundle-3.js --sources sources.json"
      func all(_ publisher: Int32, _ device: Int32, _ mentions: String) throws {
        try failures.expect(publish, publisher, mentions)
        try failures.expect("verify --feed feed", device, mentions)
        try failures.expect("device update --store store", device, mentions)
      }
      try playground.write("feed/manifest.json", "<html>login</html>")
      try all(3, 3, "manifest.json")
      try playground.write("feed/manifest.json", "garbage")
      try all(3, 3, "manifest.json")
      try playground.remove("feed/manifest.json")
      try failures.expect(publish, 3, "manifest.json")
      try failures.expect("device update --store store", 4, "manifest.json")
      try playground.write("feed/manifest.json", live)

      for name in try playground.snapshot("feed").keys.sorted() where name.contains("parsers.bundle.js") {
        let bytes = try playground.read("feed/\(name)")
        guard String(decoding: bytes, as: UTF8.self).contains("number 2") else { continue }
        try playground.write("feed/\(name)", bytes.dropLast() + [0x20])
        try failures.expect("device update --store store", 3, "bundle")
        try failures.expect("verify --feed feed", 3, "parsers.bundle.js")
        try playground.write("feed/\(name)", Array(bytes.dropLast()))
        try failures.expect("device update --store store", 3, "bundle", "1999 bytes")
        try playground.remove("feed/\(name)")
        try failures.expect("device update --store store", 4, "parsers.bundle.js")
        try failures.expect("verify --feed feed", 3, "parsers.bundle.js")
        try failures.expect("embed --feed feed --out out", 3, "parsers.bundle.js")
        try playground.write("feed/\(name)", bytes)
      }
      try playground.write("feed/.parser-ota/feed.json", "{")
      try failures.expect(publish, 3, "feed.json")
      try playground.remove("feed/.parser-ota/feed.json")
      try failures.expect(publish, 2, "feed.json")
      Self.expectBreadth(failures, atLeast: 10)
    }
  }

  @Test("check 8: each refused sample of the manifest format is refused by a device, and the field is named")
  func refusedManifests() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      let failures = Failures(playground)
      let folder = BuiltProducts.packageRoot() + "/manifests/refused/"
      let table = try String(contentsOfFile: folder + "EXPECTED.tsv", encoding: .utf8)
      var reasons: Set<String> = []
      for row in table.split(separator: "\n").dropFirst() {
        let cells = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: folder + cells[0])))
        try playground.write("feed/manifest.json", bytes)
        let answer = try playground.tool("device check --store store")
        #expect(answer.code == 3, "\(cells[0]): \(answer)")
        let error = answer.line("error") ?? ""
        #expect(error.contains("manifest.json"), "\(cells[0]): \(answer)")
        #expect(cells[2].isEmpty || error.contains(cells[2]), "\(cells[0]) \(cells[2]): \(answer)")
        guard reasons.insert(cells[1]).inserted else { continue }
        try failures.expect(
          "device explain --store store --manifest feed/manifest.json", 3, "feed/manifest.json")
      }
      #expect(reasons.count > 10)
    }
  }
}
