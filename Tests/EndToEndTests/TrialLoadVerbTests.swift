import TestSupport
import Testing

/// `device activate --trial-load`: a staged release is loaded in the engine before it is used.
@Suite(.ownThreads) struct TrialLoadVerbTests {
  @Test("B06: a bundle that throws is rejected before its first use, and the release before it runs on")
  func rejects() throws {
    try withPlayground { playground in
      try playground.makeApp()
      try playground.initDevice(feed: "feed")
      try playground.write("throws.js", Array("throw new Error('markup');\n".utf8))
      try playground.must("publish --feed feed --bundle throws.js --sources sources.json --allow no-engine")
      try playground.must("device update --store store")
      let engine = try BuiltProducts.path(of: "parser-ota-engine")
      let launch = try playground.tool.json("device activate --store store --trial-load --engine \(engine)")
      #expect(launch.string("trialLoad.verdict") == "fails", "\(launch.answer)")
      #expect(
        launch.string("trialLoad.reason")?.hasPrefix("parsers.bundle.js:1:") == true, "\(launch.answer)")
      #expect(launch.string("origin") == "embedded")
      let again = try playground.tool.json("device activate --store store --trial-load --engine \(engine)")
      #expect(again.string("trialLoad.verdict") == "nothing-to-try")
      #expect(try playground.tool("device status --store store").output.contains("rejected"))
    }
  }

  @Test("without an engine nothing is decided, and --engine alone is refused")
  func withoutEngine() throws {
    try withPlayground { playground in
      try playground.makeApp()
      try playground.initDevice(feed: "feed")
      try playground.must("publish --feed feed --bundle bundle-2.js --sources sources.json --allow no-engine")
      try playground.must("device update --store store")
      #expect(
        try playground.tool.json("device activate --store store --engine x", status: 2).code
          == "conflicting-options")
      let launch = try playground.tool.json("device activate --store store --trial-load")
      #expect(launch.string("trialLoad.verdict") == "undecided", "\(launch.answer)")
      #expect(launch.number("version") == 2)
    }
  }
}
