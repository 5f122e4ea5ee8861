import Foundation
import TestSupport
import Testing

/// A device that is started by a shell script, as people write them: it stops at the first failure.
@Suite(.ownThreads) struct StartScriptTests {
  /// Launches, reads both files, confirms and updates; a host that is not there stops nothing.
  private static let script = """
    set -eu
    launch=$(parser-ota device activate --store store --out run --format shell)
    eval "$launch"
    test "$PARSER_OTA_BUNDLE" = "$PWD/run/parsers.bundle.js"
    grep -q marker "$PARSER_OTA_BUNDLE"
    test -s "$PARSER_OTA_SOURCES"
    parser-ota device confirm --store store --release "$PARSER_OTA_VERSION" --launch "$PARSER_OTA_LAUNCH"
    parser-ota device update --store store || test $? -eq 4
    echo "ran $PARSER_OTA_VERSION $PARSER_OTA_ORIGIN"
    """

  @Test("D3: a start script with set -e runs on a new device, with an update, and without a network")
  func start() throws {
    try withPlayground { playground in
      try playground.write("bundle-1.js", Fixtures.bundle(marker: "marker 1", bytes: 2000))
      try playground.write("bundle-2.js", Fixtures.bundle(marker: "marker 2", bytes: 2000))
      try playground.makeFeed()
      try playground.publish(1)
      try playground.must("embed --feed feed --out app")
      let root = playground.path("feed")
      let server = try LoopbackServer { .directory(root, $0) }
      try playground.initDevice(feed: server.url, "--allow-http-loopback")
      func run(_ expected: String) throws {
        let result = try playground.tool.shell(Self.script, shell: ["/bin/sh", "-c"])
        #expect(result.status == .exited(0), "\(result.output)\(result.errors)")
        #expect(result.output.hasSuffix("ran \(expected)\n"), "\(result.output)\(result.errors)")
      }
      try run("1 embedded")
      try playground.publish(2)
      try run("1 embedded")
      try run("2 staged")
      server.stop()
      try run("2 current")
      #expect(try namesInDirectory(playground.path("run")).count == 3)
    }
  }

  @Test(
    "A10: one call writes bundle, catalog and manifest of one launch, and replaces those of an earlier one")
  func oneLaunch() throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      try playground.write("sources.json", Fixtures.smallCatalog(ids: Playground.ids + ["DELTA"]))
      try playground.publish(3)
      try playground.write(".tmp-run-0123/sources.json", "left by a killed run")
      for version in [2, 3] {
        let launch = try playground.tool.json("device activate --store store --out run")
        #expect(launch.number("version") == version && launch.number("manifest.version") == version)
        #expect(launch.string("bundle") == playground.path("run/parsers.bundle.js"))
        #expect(launch.string("manifestFile") == playground.path("run/manifest.json"))
        #expect(launch.string("outcome") == "activated" && launch.string("channel") == "stable")
        #expect(try playground.read("run/parsers.bundle.js") == playground.read("bundle-\(version).js"))
        let kept = try playground.tool.shell(
          "cat feed/files/releases/\(version)/*.manifest.json | cmp - run/manifest.json")
        #expect(kept.status == .exited(0), "\(kept.output)\(kept.errors)")
        let hasNew = String(decoding: try playground.read("run/sources.json"), as: UTF8.self).contains(
          "DELTA")
        #expect(hasNew == (version == 3))
        try playground.must("device update --store store")
      }
      #expect(try namesInDirectory(playground.directory.path).allSatisfy { !$0.hasPrefix(".tmp-") })
    }
  }

  @Test("A10: a folder of somebody, a file or a link is never replaced, and no launch is counted")
  func foreignFolder() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      try playground.must("device update --store store")
      try playground.write("mine/notes.txt", "keep")
      try playground.write("mine2/manifest.json", "{}")
      try playground.write("mine2/photo.jpg", "keep")
      symlink(playground.path("app"), playground.path("link"))
      let before = try playground.snapshot("store")
      for name in ["mine", "mine2", "bundle-1.js", "link", "nowhere/run"] {
        let answer = try playground.tool("device activate --store store --out \(name)")
        #expect(answer.code == 2, "\(answer)")
        #expect(answer.line("error")?.hasPrefix("--out: ") == true, "\(answer)")
      }
      #expect(try playground.snapshot("store") == before)
      #expect(try playground.read("mine/notes.txt") == Array("keep".utf8))
    }
  }

  @Test("the shell format gives back every path as it is, and runs nothing that stands in it")
  func quoting() throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      let odd = "a b'c$(touch pwned)`touch pwned`\"d\\e\nf;*"
      let result = try playground.tool.shell(
        """
        set -eu
        launch=$(parser-ota device activate --store store --out "$ODD" --format shell)
        eval "$launch"
        cmp "$PARSER_OTA_BUNDLE" bundle-2.js
        test "$PARSER_OTA_BUNDLE" = "$PWD/$ODD/parsers.bundle.js"
        test "$PARSER_OTA_VERSION $PARSER_OTA_CHANNEL $PARSER_OTA_STANDING" = "2 stable confirmed"
        test ! -e pwned
        """.replacing("set -eu", with: "set -eu; ODD=\(Self.singleQuoted(odd))"), shell: ["/bin/sh", "-c"])
      #expect(result.status == .exited(0), "\(result.output)\(result.errors)")
    }
  }

  private static func singleQuoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }

  @Test("two ways to fill standard output are refused together")
  func combinations() throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      for options in [
        "--print bundle --out run", "--print bundle --format shell", "--format shell --json",
        "--print bundle --print sources", "--format xml",
      ] {
        let answer = try playground.tool("device activate --store store \(options)")
        #expect(answer.code == 2, "\(answer)")
      }
    }
  }

  @Test("a release that was rejected here is no failure of an update, and the command that allows it works")
  func rejectedHere() throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      try playground.publish(3)
      try playground.must("device update --store store")
      try playground.must("device activate --store store")
      try playground.must("device fail --store store --reason blank")
      for verb in ["check", "update"] {
        let answer = try playground.tool.json("device \(verb) --store store")
        #expect(
          answer.string("outcome") == "rejected-here" && answer.number("version") == 3, "\(answer.answer)")
        let hint = try #require(answer.string("hint"))
        #expect(hint.contains("parser-ota device forget --release 3 --store "), "\(hint)")
      }
      let plain = try playground.tool("device update --store store")
      #expect(plain.code == 0 && plain.line("error") == nil, "\(plain)")
      let command = try #require(plain.line("hint")?.split(separator: ": ", maxSplits: 1).last)
      #expect(try playground.tool.shell(String(command)).status == .exited(0))
      #expect(try playground.tool.json("device update --store store").string("outcome") == "staged")
    }
  }

  @Test("device check --exit-code ends with 1 only when there is something to download")
  func exitCode() throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      let check = "device check --store store --exit-code"
      #expect(try playground.tool(check).code == 0)
      try playground.publish(3)
      let available = try playground.tool.json(check, status: 1)
      #expect(available.string("outcome") == "available" && available.number("version") == 3)
      #expect(try playground.tool("device check --store store").code == 0)
      try playground.must("device update --store store")
      #expect(try playground.tool.json(check).string("outcome") == "staged")
    }
  }

  @Test("what fails has an outcome of its own: refused, offline, misused")
  func failures() throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      let live = try playground.read("feed/manifest.json")
      try playground.write("feed/manifest.json", "garbage")
      #expect(
        try playground.tool.json("device update --store store", status: 3).string("outcome") == "refused")
      try playground.write("feed/manifest.json", live)
      let gone = try LoopbackServer { _ in .notFound }
      gone.stop()
      try playground.initDevice(feed: gone.url, "--allow-http-loopback")
      #expect(
        try playground.tool.json("device check --store store", status: 4).string("outcome") == "offline")
      #expect(try playground.tool.json("device update --store app", status: 2).string("outcome") == "misused")
    }
  }
}
