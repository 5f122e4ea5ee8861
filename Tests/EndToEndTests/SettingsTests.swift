import TestSupport
import Testing

/// Running `init` again, and the ways to write one path.
@Suite(.ownThreads) struct SettingsTests {
  @Test("init again changes what is given and keeps the rest")
  func initAgain() throws {
    try withPlayground { playground in
      try playground.makeFeed("--keep 3 --base-url https://parsers.example/feed")
      let settings = try playground.read("feed/.parser-ota/feed.json")
      let again = try playground.tool.json("init --feed feed --checksums-only")
      #expect(again.code == "nothing-to-do", "\(again.answer)")
      #expect(try playground.read("feed/.parser-ota/feed.json") == settings)
      let changed = try playground.tool.json("init --feed feed --checksums-only --keep 5")
      #expect(changed.code == "updated")
      #expect(changed.list("changes").count == 1, "\(changed.answer)")
      try playground.publish(1)
      let url = try playground.tool.json("publish --feed feed --bundle bundle-2.js --sources sources.json")
        .string("manifest.bundle.url")
      #expect(url?.hasPrefix("https://parsers.example/feed/files/releases/2/") == true)
    }
  }

  @Test("device init with the same settings, written in another way, changes nothing")
  func deviceInitAgain() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      let feed = playground.path("feed")
      for (feed, app) in [("./feed/", "./app"), (feed, "app//"), ("file://\(feed)", "./././app/.")] {
        let answer = try playground.tool.json(
          "device init --store ./store/ --feed \(feed) --checksums-only --embedded \(app)")
        #expect(answer.code == "unchanged", "\(answer.answer)")
      }
      let other = try playground.tool.json(
        "device init --store store --feed feed --checksums-only --embedded app --channel beta --contract 5 --contract 4"
      )
      #expect(other.code == "updated")
      #expect(other.string("channel") == "beta")
      #expect(other.list("contracts").compactMap { $0 as? Int } == [4, 5])
    }
  }

  @Test("device init that is refused leaves the store and its settings as they were")
  func refusedInit() throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      let before = try playground.snapshot("store")
      for rest in [
        "--feed feed --embedded feed", "--feed nowhere --embedded app",
        "--feed http://a.example/ --embedded app",
      ] {
        #expect(try playground.tool("device init --store store --checksums-only \(rest)").code != 0)
      }
      #expect(try playground.snapshot("store") == before)
    }
  }

  @Test("a device takes only releases of its channel, and only those that its app can run")
  func capabilities() throws {
    try withPlayground { playground in
      try playground.makeApp()
      try playground.initDevice("--contract 5 --app-version 2.1")
      try playground.publish(2, "--contract 6")
      let other = try playground.tool.json("device update --store store")
      #expect(other.message.contains("contract 6"), "\(other.answer)")
      #expect(other.string("outcome") == "needs-other-contract")
      try playground.publish(3, "--contract 5 --minimum-app-version 3.0")
      #expect(try playground.tool.json("device update --store store").message.contains("3.0"))
      try playground.publish(4, "--contract 5 --minimum-app-version 2.1.0")
      #expect(try playground.tool.json("device update --store store").number("version") == 4)

      try playground.publish(2, "--channel beta")
      #expect(try playground.tool.json("device check --store store").code == "staged")
      try playground.initDevice("--channel beta")
      #expect(try playground.tool.json("device update --store store").number("version") == 5)
    }
  }

  @Test(
    "an empty word is no verb and no argument",
    arguments: [[""], ["device", ""], ["releases", "--feed", "feed", ""]])
  func emptyWords(arguments: [String]) throws {
    try withPlayground { playground in
      let answer = try playground.tool(arguments)
      #expect(answer.code == 2, "\(answer)")
      #expect(answer.line("error")?.hasSuffix(" ") == false, "\(answer)")
    }
  }
}
