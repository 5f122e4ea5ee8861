import TestSupport
import Testing

/// Check 4 of the contract: a catalog in which sources were renamed and left out.
@Suite(.ownThreads) struct RenamedSourcesTests {
  private static let gone = ["HINTEV", "NENYX", "TALLOKEL", "TEVTOKEL"]
  private static let publish = "publish --feed feed --bundle bundle-2.js --sources new.json"

  private func withFeed(_ body: (Playground) throws -> Void) throws {
    try withPlayground { playground in
      try playground.write("old.json", Fixtures.catalog121)
      try playground.write("new.json", Fixtures.catalog235)
      try playground.makeFeed()
      try playground.must("publish --feed feed --bundle bundle-1.js --sources old.json")
      try body(playground)
    }
  }

  @Test("check 4: ids that would be gone are named and stop the publish; the live release is unchanged")
  func refused() throws {
    try withFeed { playground in
      let before = try playground.snapshot("feed")
      for dryRun in ["", " --dry-run"] {
        let answer = try playground.tool.json(Self.publish + dryRun, status: 1)
        #expect(answer.code == "ids-removed")
        for id in Self.gone { #expect(answer.message.contains(id), "\(answer.message)") }
        #expect(answer.string("kept")?.contains("release 1") == true)
        #expect(answer.string("hint")?.contains("--alias OLD=NEW") == true)
      }
      let half = try playground.tool.json(
        Self.publish + " --allow-removed HINTEV --allow-removed NENYX", status: 1)
      #expect(half.message.contains("TALLOKEL") && !half.message.contains("NENYX"), "\(half.message)")
      #expect(try playground.snapshot("feed") == before)
    }
  }

  @Test("check 4: with aliases and permissions it goes through, and old references resolve through the alias")
  func renamed() throws {
    try withFeed { playground in
      let new = try #require(
        String(decoding: Fixtures.catalog235, as: UTF8.self).firstMatch(of: #/"id": *"([^"]+)"/#))
      let target = String(new.output.1)
      let answer = try playground.tool.json(
        Self.publish
          + " --alias HINTEV=\(target) --allow-removed NENYX --allow-removed TALLOKEL --allow-removed TEVTOKEL"
      )
      #expect(answer.code == "published")
      #expect(answer.number("version") == 2)
      #expect(answer.list("catalog.removed").count == 4)
      #expect(answer.list("catalog.added").count == 118)
      #expect(answer.string("manifest.aliases.HINTEV") == target)

      let resolve = ["source", "resolve", "--sources", "new.json", "--manifest", "feed/manifest.json"]
      for reference in ["HINTEV", "JS_HINTEV", "parser:HINTEV", #"{"name":"JS_HINTEV"}"#] {
        let resolved = try playground.tool.json(resolve + [reference])
        #expect(resolved.string("results.0.id") == target, "\(reference)")
        #expect(resolved.string("results.0.alias") == "HINTEV", "\(reference)")
      }
      #expect(try playground.tool.json(resolve + ["JS_NENYX"], status: 1).code == "unresolved")
      let lines = try playground.tool(
        resolve, stdin: Array("JS_HINTEV\r\n\(target)\n".utf8))
      #expect(lines.output.split(separator: "\n").count == 2, "\(lines)")

      let releases = try playground.tool.json("releases --feed feed")
      #expect(releases.list("releases").count == 2)
      #expect(releases.value("releases.0.live") as? Bool == true)
      try playground.must("verify --feed feed")
    }
  }

  @Test("N17: each option that the refusal names works for ids with a comma, a sign, a blank and a quote")
  func oddIDs() throws {
    try withPlayground { playground in
      let ids = ["a,b", "a=b", "a b", "it's", "x"]
      try playground.write("old.json", Fixtures.smallCatalog(ids: ids))
      try playground.write("new.json", Fixtures.smallCatalog(ids: ["x", "NEW"]))
      try playground.makeFeed()
      try playground.must("publish --feed feed --bundle bundle-1.js --sources old.json")
      let refused = try playground.tool.json(Self.publish, status: 1)
      let hint = try #require(refused.string("hint"))
      for part in [
        "--allow-removed a,b", "--allow-removed a=b", "--allow-removed 'a b'", #"'{"a=b":"NEW"}'"#,
      ] {
        #expect(hint.contains(part), "\(hint)")
      }
      let removals = "--allow-removed a,b --allow-removed 'a b' --allow-removed 'it'\\''s'"
      let aliases = #"--alias '{"a=b":"NEW"}'"#
      let check = "check --bundle bundle-2.js --sources new.json --against feed --checksums-only"
      for verb in [check, Self.publish + " --allow no-engine"] {
        let result = try playground.tool.shell("parser-ota \(verb) \(removals) \(aliases)")
        #expect(result.status == .exited(0), "\(result.output)\(result.errors)")
      }
      let resolve = ["source", "resolve", "--sources", "new.json", "--manifest", "feed/manifest.json", "a=b"]
      #expect(try playground.tool.json(resolve).string("results.0.id") == "NEW")
      let wrong = try playground.tool("\(Self.publish) --alias a=b=NEW")
      #expect(wrong.code == 2 && wrong.line("error")?.contains("JSON") == true, "\(wrong)")
    }
  }

  @Test("check 4: an alias stays in later releases without being said again")
  func carried() throws {
    try withFeed { playground in
      let new = try #require(
        String(decoding: Fixtures.catalog235, as: UTF8.self).firstMatch(of: #/"id": *"([^"]+)"/#))
      let target = String(new.output.1)
      try playground.must(Self.publish + " --alias HINTEV=\(target) --allow ids-removed")
      let next = try playground.tool.json("publish --feed feed --bundle bundle-3.js --sources new.json")
      #expect(next.string("manifest.aliases.HINTEV") == target)
    }
  }
}
