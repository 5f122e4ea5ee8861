import Foundation
import Glibc
import TestSupport
import Testing

/// Section 5 of "The roads people really take", at a shell: what is unknown is said, ends with 8, and changes nothing.
@Suite(.ownThreads) struct TruthVerbTests {
  @Test(
    "B98: a state that may not be read: each verb says so and ends with 8, and nothing is lost",
    .enabled(if: Stranger.isPossible, "needs setpriv"))
  func unreadableState() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      try playground.must("device update --store store")
      try playground.must("device activate --store store")
      try playground.must("device confirm --store store")
      try playground.must("device pin --store store")
      let before = try playground.read("store/state.json")
      for verb in ["status", "explain", "check", "update", "rollback", "unpin", "confirm"] {
        let answer = try Stranger(playground).run(
          "device \(verb) --store store", forbidding: "store/state.json")
        #expect(answer.code == 8, "\(answer)")
        #expect(answer.errors.contains("store/state.json: Permission denied"), "\(answer)")
      }
      for _ in 0..<3 {
        let answer = try Stranger(playground).run(
          "device activate --store store", forbidding: "store/state.json")
        #expect(answer.code == 0 && answer.output.contains("(embedded, confirmed)"), "\(answer)")
      }
      #expect(try playground.read("store/state.json") == before)
      let history = try Stranger(playground).run(
        "device history --store store", forbidding: "store/history.jsonl")
      #expect(history.code == 8, "\(history)")
    }
  }

  @Test(
    "B98: verify of a folder with a file that may not be read ends with 8, and asks nobody to publish again",
    .enabled(if: Stranger.isPossible, "needs setpriv"))
  func unreadableFeed() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      let bundle = try #require(
        FileManager.default.subpaths(atPath: playground.path("feed"))?.first {
          $0.hasSuffix("parsers.bundle.js")
        })
      let answer = try Stranger(playground).run("verify --feed feed", forbidding: "feed/\(bundle)")
      #expect(answer.code == 8, "\(answer)")
      #expect(answer.line("error")?.contains("cannot be read") == true, "\(answer)")
      #expect(!answer.errors.contains("publish again"), "\(answer)")
    }
  }

  @Test(
    "A7: device init over a folder with other data ends with 2 and leaves it as it was, also through a link")
  func foreignFolder() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      for folder in ["partial", "incoming", "releases"] {
        try FileManager.default.createDirectory(
          atPath: playground.path("mine/\(folder)"), withIntermediateDirectories: true)
        try playground.write("mine/\(folder)/film.mkv", "mine")
      }
      symlink("mine", playground.path("link"))
      let before = try playground.snapshot("mine")
      for place in ["mine", "link"] {
        let answer = try playground.tool(
          "device init --store \(place) --feed feed --checksums-only --embedded app")
        #expect(answer.code == 2 && answer.errors.contains(playground.path(place)), "\(answer)")
        #expect(try playground.snapshot("mine") == before)
      }
    }
  }

  @Test("after device rollback, status says what this launch runs and what the next one will")
  func afterRollback() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      try playground.must("device update --store store")
      let launched = try playground.tool.json("device activate --store store").number("version")
      try playground.must("device confirm --store store")
      try playground.must("device rollback --store store")
      let status = try playground.tool.json("device status --store store")
      #expect(status.number("rolledBack.version") == launched)
      let next = try playground.tool("device status --store store").output
      #expect(next.contains("release \(launched ?? 0) was rolled back on "), "\(next)")
      #expect(next.contains("the next launch runs release") && next.contains("(embedded)"), "\(next)")
    }
  }
}
