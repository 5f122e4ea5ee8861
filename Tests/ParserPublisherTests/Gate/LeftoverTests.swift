import Foundation
import OTAManifest
import TestSupport
import Testing

@testable import ParserPublisher

@Suite("What is left from a workshop is found, and ordinary code is not taken for it")
struct LeftoverTests {
  private func kinds(_ text: String) throws -> [String] {
    try findings(text).map { "\($0.subject ?? ""):\($0.place.line ?? 0)" }
  }

  private func findings(_ text: String) throws -> [Finding] {
    LeftoverCheck.findings(try candidate(bundle: text))
  }

  @Test(
    "each kind is named with its line",
    arguments: [
      ("a;\ndebugger;", ["debugger:2"]), ("if (a) { debugger }", ["debugger:1"]),
      ("a;\n<<<<<<< HEAD\nb;\n=======\nc;\n", ["merge-marker:2"]),
      ("a;\n//# sourceMappingURL=data:application/json;base64,e30=", ["inline-source-map:2"]),
      ("a;\n//# sourceMappingURL=bundle.js.map", ["source-map:2"]),
      ("// /home/me/parsers/src/base.js\na", ["local-path:1"]),
      ("a = '/Users/me/x/node_modules/y'", ["local-path:1"]),
      (#"a = 'C:\\Users\\me\\x'"#, ["local-path:1"]), ("a = 'file:///srv/x'", ["local-path:1"]),
      ("a = `-----BEGIN RSA PRIVATE KEY-----\nx`", ["private-key:1"]),
      ("a = '-----BEGIN PRIVATE KEY-----'", ["private-key:1"]),
      ("a = 'AKIA" + "ABCDEFGHIJKLMNOP'", ["token:1"]),
      ("a = 'ghp_" + String(repeating: "a1", count: 18) + "'", ["token:1"]),
      ("// xoxb-" + "1234567890-abc", ["token:1"]),
      ("a = 'AIza" + String(repeating: "x", count: 35) + "'", ["api-key:1"]),
      ("x = { api_key: 'abcdefghij0123456789xyz' }", ["api-key:1"]),
      ("this.clientSecret = \"KL9K40zaSyC9K40vOMLLbEcepIFB\"", ["api-key:1"]),
      ("a = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N'", ["api-key:1"]),
    ])
  func found(text: String, expected: [String]) throws { #expect(try kinds(text) == expected) }

  @Test(
    "what only looks like it is passed over",
    arguments: [
      "a = 'debugger;'; b = `debugger`; // debugger\n/* debugger */ c = /debugger;/",
      "x.debugger; y?.debugger; z = { debugger: 1 }; class A { debugger() {} }",
      "// Title\n// =======\n", "a = '=======';\n=======", "a = '//# sourceMappingURL=x'",
      "a = `https://site/home/latest` + '/home/' + '/home/page/2'", "a = 'https://x/Users/list.html'",
      "a = '-----BEGIN CERTIFICATE-----'", "a = '-----BEGIN PUBLIC KEY-----'",
      "a = 'xAKIA" + "ABCDEFGHIJKLMNOP'",
      "a = 'AKIA'; b = 'ghp_'; c = 'eyJ'",
      "token = 'a short one'; secret = ''; password: 'two words and 123 more'",
      "tokenizer = 'abcdefghij0123456789xyz'", "key = 'abcdefghij0123456789xyz'",
    ])
  func passedOver(text: String) throws { #expect(try kinds(text) == []) }

  @Test(
    "an address that no site has is named, in code that no page reaches too",
    arguments: [
      ("a = 'http://localhost:3000/x'", "own-machine"), ("a = `http://[::1]:8080${b}`", "own-machine"),
      ("a = 'http://127.0.0.1'", "own-machine"), ("a = 'http://10.0.0.5:8000/'", "own-machine"),
      ("a = 'http://192.168.1.20/feed'", "own-machine"), ("a = 'https://172.16.3.1'", "own-machine"),
      ("a = \"https://${this.domain}/\"", "plain-template"),
      ("a = '${this.origin}/a?p=${page}'", "plain-template"),
      ("a = '/s/${encodeURIComponent(q)}'", "plain-template"), ("a = `https:/${b}/`", "misspelt-scheme"),
      ("a = `https//${b}/`", "misspelt-scheme"), ("a = 'htps://x.example'", "misspelt-scheme"),
      ("a = 'https;//x.example'", "misspelt-scheme"), ("a = 'ttps://x.example'", "misspelt-scheme"),
    ])
  func addressSlips(text: String, kind: String) throws { #expect(try kinds(text) == ["\(kind):1"]) }

  @Test(
    "addresses as sites have them are passed over, and texts with a place for a name",
    arguments: [
      "a = 'https://localhost.example/' + `https://${b}/c`", "a = 'https:' + url; b = `https:${url}`",
      "a = 'http://172.32.1.1/' + 'http://100.1.2.3'", "a = '/api/${id}/x'.replace('${id}', id)",
      "a = 'say ${this.never()}'", "a = \"https://\"; b = 'http'; c = '${}'; d = 'https://${}'",
      "a = 'https://10.example/' + 'https://127.0.example/'", "// http://localhost:3000\nx",
    ])
  func addressesOfSites(text: String) throws { #expect(try kinds(text) == []) }

  @Test("a secret is not printed in full, and many places are counted")
  func shown() throws {
    let secret = "ghp_" + String(repeating: "b2", count: 18)
    let found = try findings(String(repeating: "a = '\(secret)';\n", count: 7))
    #expect(found.count == 1)
    let message = try #require(found.first?.message)
    #expect(!message.contains(secret) && message.contains("on lines 1, 2, 3, 4, 5 and 2 more"), "\(message)")
  }

  @Test("made-up bundles of real size have nothing of it, minified or not")
  func clean() throws {
    let release = try SyntheticRelease(1, bytes: 60_000)
    let text = String(decoding: release.bundle, as: UTF8.self)
    #expect(try kinds(text) == [])
    #expect(try kinds(text.replacing(#/ *\n */#, with: " ")) == [])
  }

  @Test("the catalog is searched too")
  func catalog() throws {
    let sources = String(decoding: Fixtures.smallCatalog(ids: ["A"]), as: UTF8.self).replacing(
      "\"overrides\":{}", with: "\"overrides\":{\"apiKey\":\"abcdefghij0123456789xyz\"}")
    let found = LeftoverCheck.findings(try candidate(bundle: "var a = 1;", sources: Array(sources.utf8)))
    #expect(found.map(\.subject) == ["api-key"] && found.first?.place.file == "sources.json")
  }
}

/// A release to check, made from texts.
func candidate(bundle: String, sources: [UInt8] = Fixtures.smallCatalog(ids: ["ABC"])) throws -> GateCandidate
{
  let folder = try TemporaryDirectory()
  let paths = (folder.path("parsers.bundle.js"), folder.path("sources.json"))
  try Data(bundle.utf8).write(to: URL(fileURLWithPath: paths.0))
  try Data(sources).write(to: URL(fileURLWithPath: paths.1))
  return GateCandidate(
    try ReleaseInputs(bundlePath: paths.0, sourcesPath: paths.1), bundleName: "parsers.bundle.js",
    sourcesName: "sources.json", aliases: [])
}
