import Foundation
import TestSupport
import Testing

/// A maintainer's evening from an empty folder on: each verb that is used every day needs no option at all.
@Suite(.ownThreads) struct MaintainerDayTests {
  /// The repository of a maintainer: sources, a build script, and the unsigned feed that old apps read.
  private func withRepository(_ body: (Playground) throws -> Void) throws {
    try withPlayground { playground in
      try playground.write("build.sh", "mkdir -p dist && cp src/parsers.js dist/parsers.bundle.js\n")
      try playground.write("src/parsers.js", Fixtures.bundle(marker: "live", bytes: 2000))
      try playground.write("old/parsers.bundle.js", Fixtures.bundle(marker: "live", bytes: 2000))
      try playground.write("old/sources.json", try playground.read("sources.json"))
      func digest(_ name: String) throws -> String {
        try playground.tool.shell("sha256sum old/\(name)").output.prefix(64).description
      }
      func file(_ name: String) throws -> String {
        "{\"url\": \"\(name)\", \"sha256\": \"\(try digest(name))\", \"bytes\": \(try playground.read("old/\(name)").count)}"
      }
      try playground.write(
        "old/manifest.json",
        "{\"version\": 28, \"bundle\": \(try file("parsers.bundle.js")), \"sources\": \(try file("sources.json"))}"
      )
      _ = try playground.tool.shell(
        "git init -q . && git -c user.name=a -c user.email=a@b.example commit -q --allow-empty -m 'Live parsers'"
      )
      try body(playground)
    }
  }

  @Test(
    "config init, adopt, publish, break, roll back, status: publish, rollback and status without an option")
  func day() throws {
    try withRepository { playground in
      for key in ["root", "release"] { try playground.must("key generate --out \(key).pem") }
      _ = try playground.tool.shell("sh build.sh")
      try playground.must("config init --release-key release.pem --root-key root.pem --notes-from-git")
      try playground.must("init --adopt old")
      #expect(try playground.tool.json("releases").number("releases.0.version") == 28)
      // A fix.
      try playground.write("src/parsers.js", Fixtures.bundle(marker: "fixed", bytes: 2000))
      _ = try playground.tool.shell(
        "sh build.sh && git -c user.name=a -c user.email=a@b.example commit -q --allow-empty -m 'Alpha: dates'"
      )
      let published = try playground.must("publish")
      #expect(published.errors.contains("published release 29"), "\(published)")
      // A slip, and the way back, at a terminal, with open eyes.
      try playground.write("src/parsers.js", Fixtures.bundle(marker: "broken", bytes: 2000))
      _ = try playground.tool.shell(
        "sh build.sh && git -c user.name=a -c user.email=a@b.example commit -q --allow-empty -m 'Beta: a slip'"
      )
      try playground.must("publish")
      let back = try Terminal(tool: playground.tool)("rollback", typing: "y\n")
      #expect(back.code == 0, "\(back)")
      for part in [
        "live now  release 30", "Beta: a slip", "back to   release 29", "Alpha: dates", "as release 31",
        "changes   ", "devices   ", "next      deploy", "deploy the feed as after a publish, revert",
      ] {
        #expect(back.output.contains(part), "\(part): \(back)")
      }
      // Impatience.
      let again = try Terminal(tool: playground.tool)("rollback --yes")
      #expect(again.code == 1 && again.output.contains("--to"), "\(again)")
      let status = try playground.must("status")
      #expect(status.output.contains("release 31") && status.output.contains("withdrawn: 30"), "\(status)")
      #expect(try playground.tool.json("status").string("channels.0.notes") == "roll back to 29")
      #expect(try playground.tool("status --exit-code").code == 0)
      let page = String(decoding: try playground.read("feed/index.html"), as: UTF8.self)
      for part in ["Alpha: dates", "Beta: a slip", "withdrawn", "release 31"] { #expect(page.contains(part)) }
      try playground.must("verify")
    }
  }

  @Test("status says when something is to be done, on a folder and at an address, and monitors get 1")
  func status() throws {
    try withPlayground { playground in
      try playground.makeSignedFeed()
      let later = try playground.tool.shell(
        "faketime -f +25d parser-ota status --feed signed --exit-code")
      #expect(later.status == .exited(1), "\(later.output) \(later.errors)")
      #expect(later.output.contains("timestamp expires at"), "\(later.output)")
      #expect(later.errors.contains("parser-ota refresh"), "\(later.errors)")
      let now = try playground.tool("status signed --exit-code --format shell")
      #expect(now.code == 0 && now.output.contains("PARSER_OTA_TO_DO=''"), "\(now)")
      let files = playground.path("signed")
      let server = try LoopbackServer { .directory(files, $0) }
      defer { server.stop() }
      let remote = try playground.tool.json("status \(server.url) --allow-http-loopback")
      #expect(remote.number("channels.0.version") == 2, "\(remote.answer)")
      #expect(remote.list("roles").count == 4, "\(remote.answer)")
      #expect(remote.value("rootGiven") as? Bool == false)
      let rooted = try playground.tool.json(
        "status \(server.url) --root signed/metadata/1.root.json --allow-http-loopback")
      #expect(rooted.value("rootGiven") as? Bool == true)
    }
  }

  @Test(
    "diff compares releases, folders, archives and the files of the next publish, and escapes what goes into Markdown"
  )
  func diff() throws {
    try withPlayground { playground in
      try playground.makeFeed()
      try playground.publish(1)
      try playground.must("embed --feed feed --out app")
      try playground.must("export --feed feed --out one.tar.zst")
      try playground.write(
        "sources.json", Fixtures.smallCatalog(ids: Playground.ids + ["DELTA`<b>"]))
      try playground.publish(2)
      let more = "--feed feed --no-gate"
      for line in [
        "1 live", "1 2", "app live", "one.tar.zst live", "app feed",
        "1 new --bundle bundle-2.js --sources sources.json",
      ] {
        let answer = try playground.must("diff \(line) \(more)")
        #expect(answer.output.contains("+ DELTA`<b>"), "\(line): \(answer)")
      }
      let same = try playground.must("diff 2 live \(more)")
      #expect(same.output.contains("do the same"), "\(same)")
      let page = try playground.must("diff 1 2 --markdown \(more)")
      #expect(page.output.contains("- `` DELTA`<b> ``"), "\(page)")
      let gate = try playground.must("diff 1 2 --feed feed")
      #expect(gate.output.contains("checks"), "\(gate)")
    }
  }
}
