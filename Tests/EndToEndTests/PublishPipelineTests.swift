import Foundation
import TestSupport
import Testing

/// `publish` as a CI job runs it: its status through shells and pipes, its inputs, its numbers.
@Suite(.ownThreads) struct PublishPipelineTests {
  private static let publish = "publish --feed feed --bundle bundle-3.js --sources sources.json"

  /// Command lines that must fail in a playground with a damaged copy of everything, and their status.
  static let failing: [(line: String, status: Int32)] = [
    ("publish --feed feed --bundle nowhere.js --sources sources.json", 2),
    ("publish --feed feed --bundle page.js --sources sources.json", 3),
    ("publish --feed feed --bundle bundle-3.js --sources page.js", 3),
    ("publish --feed feed --bundle bundle-3.js --sources fewer.json", 1),
    ("\(publish) --version 2", 1), ("\(publish) --tag v2.10 --version 7", 1), ("\(publish) --version x", 2),
    ("\(publish) --expect-parent \(String(repeating: "0", count: 64))", 6),
    ("publish --feed nowhere --bundle bundle-3.js --sources sources.json", 2),
    ("publish --feed html --bundle bundle-3.js --sources sources.json", 3),
    ("publish --feed garbage --bundle bundle-3.js --sources sources.json", 3),
    ("\(publish) --key secret", 2),
  ]

  @Test("B39: a publish that fails stops a script and a pipeline with its documented status")
  func failures() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      for name in ["html", "garbage"] { try playground.copy("feed", to: name) }
      try playground.write("html/manifest.json", "<!DOCTYPE html><p>maintenance")
      try playground.write("garbage/manifest.json", "\u{1}\u{2}")
      try playground.write("page.js", "<html>")
      try playground.write("fewer.json", Fixtures.smallCatalog(ids: ["ALPHA"]))
      let before = try ["feed", "html", "garbage"].map(playground.snapshot)
      for (line, status) in Self.failing {
        let script = try playground.tool.shell(
          "parser-ota \(line); echo went on", shell: ["/bin/sh", "-e", "-c"])
        #expect(script.status == .exited(status), "\(line): \(script.errors)")
        #expect(!script.output.contains("went on"), "\(line)")
        let pipe = try playground.tool.shell("set -o pipefail; parser-ota \(line) --json | tee last.json")
        #expect(pipe.status == .exited(status), "\(line): \(pipe.errors)")
        #expect(pipe.output.hasPrefix("{\"ok\":false,\"code\":\""), "\(line): \(pipe.output)")
      }
      #expect(try ["feed", "html", "garbage"].map(playground.snapshot) == before)
    }
  }

  @Test("B05: a folder that was never made a feed does not start again with version 1")
  func freshFolder() throws {
    try withPlayground { playground in
      try FileManager.default.createDirectory(
        atPath: playground.path("checkout"), withIntermediateDirectories: false)
      let answer = try playground.tool.json(
        "publish --feed checkout --bundle bundle-1.js --sources sources.json", status: 2)
      #expect(answer.code == "not-a-feed")
      #expect(answer.string("hint")?.contains("parser-ota init --feed") == true)
      #expect(try namesInDirectory(playground.path("checkout")) == [])
    }
  }

  @Test("B05: a manifest that cannot be read stops the publish, and one that is missing is never version 0")
  func unreadableManifest() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      let live = try playground.read("feed/manifest.json")
      for text in ["<html>login</html>", "not found", "", "{\"version\":1}"] {
        try playground.write("feed/manifest.json", text)
        let answer = try playground.tool.json(Self.publish, status: 3)
        #expect(answer.message.contains("manifest.json"), "\(answer.answer)")
        #expect(answer.string("hint") != nil)
        #expect(try playground.read("feed/manifest.json") == Array(text.utf8))
      }
      try playground.remove("feed/manifest.json")
      _ = try playground.tool.json(Self.publish, status: 3)
      try playground.write("feed/manifest.json", live)
      #expect(try playground.tool.json(Self.publish).number("version") == 3)
    }
  }

  @Test("B05: the same content again is nothing to publish, and no error; a copy of the feed counts on")
  func unchanged() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      let before = try playground.snapshot("feed")
      let again = try playground.tool.json("publish --feed feed --bundle bundle-2.js --sources sources.json")
      #expect(again.code == "nothing-to-publish")
      #expect(try playground.snapshot("feed") == before)
      try playground.copy("feed", to: "checkout")
      let next = try playground.tool.json(
        "publish --feed checkout --bundle bundle-3.js --sources sources.json")
      #expect(next.number("version") == 3)
      #expect(next.number("previous") == 2)
    }
  }

  @Test("B51: line ends are bytes: three forms of one catalog have three digests, each true")
  func lineEnds() throws {
    try withPlayground { playground in
      let text = String(decoding: Fixtures.smallCatalog(ids: Playground.ids), as: UTF8.self)
      let forms = [text, text.replacing("\n", with: "\r\n"), String(text.dropLast())]
      try playground.makeFeed()
      var digests: Set<String> = []
      for (number, form) in zip(1..., forms) {
        try playground.write("form.json", form)
        let answer = try playground.tool.json("publish --feed feed --bundle bundle-1.js --sources form.json")
        let url = try #require(answer.string("manifest.sources.url"))
        #expect(try playground.read("feed/\(url)") == Array(form.utf8))
        #expect(
          answer.string("manifest.sources.sha256").map { Substring($0) }
            == (try run("/usr/bin/sha256sum", [playground.path("form.json")]).output.prefix(64)))
        digests.insert(answer.string("manifest.sources.sha256") ?? "")
        let warnings = answer.list("warnings").compactMap { $0 as? String }.filter { $0.contains("CRLF") }
        #expect(warnings.count == (number == 2 ? 1 : 0), "\(answer.answer)")
      }
      #expect(digests.count == 3)
      try playground.must("verify --feed feed")
    }
  }

  @Test("B84: what an operating system leaves beside the inputs changes no byte of the feed")
  func litter() throws {
    try withPlayground { playground in
      var tool = playground.tool
      tool.environment = ["SOURCE_DATE_EPOCH": "1781000000"]
      for (feed, folder) in [("clean", "in"), ("littered", "full")] {
        try playground.write("\(folder)/parsers.bundle.js", playground.read("bundle-1.js"))
        try playground.write("\(folder)/sources.json", playground.read("sources.json"))
        if folder == "full" {
          for name in [
            ".DS_Store", "._sources.json", "__MACOSX/x", "Thumbs.db", "sources.json~", ".git/HEAD",
          ] {
            try playground.write("full/\(name)", "litter")
          }
          symlink("/nowhere", playground.path("full/link"))
        }
        try playground.must("init --feed \(feed) --checksums-only")
        let inputs = "--bundle \(folder)/parsers.bundle.js --sources \(folder)/sources.json"
        #expect(try tool("publish --feed \(feed) \(inputs)").code == 0)
      }
      try Self.expectIdentical(playground, "clean", "littered")
    }
  }

  @Test("B90: time zone and clock make no number and no byte: the same input twice gives the same feed")
  func reproducible() throws {
    try withPlayground { playground in
      for (feed, zone) in [("east", "Asia/Tokyo"), ("west", "America/Los_Angeles")] {
        try playground.must("init --feed \(feed) --checksums-only")
        var tool = playground.tool
        tool.environment = ["TZ": zone, "SOURCE_DATE_EPOCH": "1781000000"]
        for number in 1...2 {
          let answer = try tool.json(
            "publish --feed \(feed) --bundle bundle-\(number).js --sources sources.json")
          #expect(answer.number("version") == number)
          #expect(answer.string("manifest.released") == "2026-06-09T10:13:20Z")
        }
      }
      try Self.expectIdentical(playground, "east", "west")
      var tool = playground.tool
      tool.environment = ["SOURCE_DATE_EPOCH": "1000000000"]
      let earlier = try tool.json("publish --feed east --bundle bundle-3.js --sources sources.json")
      #expect(earlier.number("version") == 3, "an earlier clock must not lower the number")
    }
  }

  @Test("B94: whatever inputs are called, no two names on the feed differ only by case")
  func names() throws {
    try withPlayground { playground in
      try playground.write("Index", playground.read("bundle-1.js"))
      try playground.write("index", playground.read("sources.json"))
      try playground.makeFeed()
      try playground.must("publish --feed feed --bundle Index --sources index")
      let names = try playground.snapshot("feed").keys
      #expect(Set(names.map { $0.lowercased() }).count == names.count)
      #expect(names.allSatisfy { $0 == $0.lowercased() }, "\(names)")
    }
  }

  @Test(
    "B97: a tag gives one number, by one formula",
    arguments: [("v2.6", 2_006_000), ("v2.10", 2_010_000), ("v2.1.6", 2_001_006), ("v10.0", 10_000_000)])
  func tags(tag: String, number: Int) throws {
    try withPlayground { playground in
      try playground.makeFeed()
      let line = "publish --feed feed --bundle bundle-1.js --sources sources.json --tag \(tag)"
      let mismatch = try playground.tool.json("\(line) --version 7", status: 1)
      for part in ["version 7 ", "\(number)", tag] {
        #expect(mismatch.message.contains(part), "\(mismatch.message)")
      }
      #expect(try playground.tool.json("\(line) --version \(number)").number("version") == number)
    }
  }

  private static func expectIdentical(_ playground: Playground, _ one: String, _ other: String) throws {
    let result = try run("/usr/bin/diff", ["-r", playground.path(one), playground.path(other)])
    #expect(result.status == .exited(0), "\(result.output)\(result.errors)")
  }
}
