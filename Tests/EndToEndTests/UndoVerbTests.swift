import Foundation
import TestSupport
import Testing

/// Roll backs in a hurry, as they are typed: each hint is a command that works where it was printed.
@Suite struct UndoVerbTests {
  /// Runs what a hint says to run: everything from the name of the tool on.
  private func follow(_ answer: JSONAnswer, _ playground: Playground) throws -> JSONAnswer {
    let hint = try #require(answer.string("hint"))
    let command = try #require(hint.firstRange(of: "parser-ota ")).lowerBound
    let result = try playground.tool.shell("\(hint[command...]) --json")
    return try JSONAnswer(Answer(arguments: [], result: result))
  }

  private func publish(_ playground: Playground, _ feed: String, _ numbers: [Int], _ key: String) throws {
    for number in numbers {
      try playground.must(
        "publish --feed \(feed) --bundle bundle-\(number).js --sources sources.json \(key)")
    }
  }

  @Test("D5: the second roll back is refused with a command that goes through, in both trusts")
  func impatience() throws {
    try withPlayground { playground in
      try playground.makeSignedFeed()
      try playground.makeFeed()
      try publish(playground, "feed", [1, 2], "")
      for (feed, key) in [("feed", ""), ("signed", "--release-key release.pem")] {
        try publish(playground, feed, [3], key)
        let reason = ["--reason", "it's the lists"]
        let line = "rollback --feed \(feed) --yes \(key)".split(separator: " ").map(String.init) + reason
        #expect(try playground.tool.json(line).number("version") == 4)
        let again = try playground.tool.json(line, status: 1)
        #expect(again.code == "rollback-again" && again.string("kept") == "release 4 is still live")
        #expect(again.message.contains("release 4") && again.message.contains("release 1"), "\(again.answer)")
        #expect(try playground.tool.json(line + ["--dry-run"], status: 1).code == "rollback-again")
        let named = try follow(again, playground)
        #expect(named.number("version") == 5 && named.number("manifest.content") == 1, "\(named.answer)")
        #expect(named.string("manifest.notes") == "it's the lists")
        #expect(try playground.tool("verify --feed \(feed)").code == 0)
      }
    }
  }

  @Test("D5: a roll back that loses sources is refused with a command that goes through")
  func droppedSources() throws {
    try withPlayground { playground in
      try playground.makeFeed()
      try playground.publish(1)
      try playground.write("sources.json", Fixtures.smallCatalog(ids: Playground.ids + ["DELTA"]))
      try playground.publish(2)
      let refused = try playground.tool.json("rollback --feed feed --yes", status: 1)
      #expect(refused.code == "rollback-drops-sources" && refused.message.contains("DELTA"))
      #expect(try follow(refused, playground).number("version") == 3)
    }
  }

  @Test("D6: withdrawn bytes stay away from check, publish and rollback until they are allowed by name")
  func withdrawn() throws {
    try withPlayground { playground in
      try playground.makeFeed()
      try publish(playground, "feed", [1, 2], "")
      try playground.must("rollback --feed feed --yes")
      let files = "--bundle bundle-2.js --sources sources.json"
      let publish = try playground.tool.json("publish --feed feed \(files)", status: 1)
      #expect(publish.code == "withdrawn-content", "\(publish.answer)")
      let check = try playground.tool("check \(files) --against feed --allow no-engine")
      #expect(check.code == 1 && check.output.contains("withdrawn-content"), "\(check)")
      let back = try playground.tool.json("rollback --feed feed --to 2 --yes", status: 1)
      #expect(back.code == "withdrawn-content")
      let allowed = try follow(back, playground)
      #expect(allowed.number("version") == 4 && allowed.list("manifest.withdrawn") as? [Int] == [3])
      #expect(try playground.tool("rollback --feed feed --allow-withdrawn --yes").code == 2)
      #expect(try playground.tool("verify --feed feed").code == 0)
    }
  }

  @Test("notes and reasons may be empty, as the subject of a commit may be")
  func emptyNotes() throws {
    try withPlayground { playground in
      try playground.makeFeed()
      try playground.publish(1, "--notes=")
      #expect(try playground.tool.json("releases --feed feed").value("releases.0.notes") == nil)
      let line = [
        "publish", "--feed", "feed", "--bundle", "bundle-2.js", "--sources", "sources.json", "--notes",
      ]
      #expect(try playground.tool(line + ["  "]).code == 0)
      let back = try playground.tool.json(["rollback", "--feed", "feed", "--yes", "--reason", ""])
      #expect(back.string("manifest.notes") == "roll back to 1")
    }
  }
}
