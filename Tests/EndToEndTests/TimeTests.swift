import Foundation
import Glibc
import TestSupport
import Testing

/// The tool under clocks and time zones that are not ours, moved from outside.
@Suite(.ownThreads, .enabled(if: access("/usr/bin/faketime", X_OK) == 0, "needs faketime"))
struct TimeTests {
  /// Runs a command line at a moment, such as `@1970-01-02 03:04:05` or `+20y`; its JSON answer.
  private func at(
    _ moment: String, _ playground: Playground, _ line: String, status: Int32 = 0, zone: String = "UTC"
  ) throws -> JSONAnswer {
    let words = WithoutEngine.arguments(line.split(separator: " ").map(String.init) + ["--json"])
    var variables = playground.tool.variables
    variables["TZ"] = zone
    let result = try run(
      "/usr/bin/faketime", ["-f", moment, Tool.path()] + words, environment: variables,
      directory: playground.path(""), timeout: .seconds(30))
    let answer = Answer(arguments: words, result: result)
    #expect(answer.code == status, "\(moment): \(answer)")
    return try JSONAnswer(answer)
  }

  private static let publish =
    "publish --feed signed --sources sources.json --release-key release.pem --bundle"

  private func makeDevice(_ playground: Playground) throws {
    try playground.makeSignedFeed()
    try playground.must("embed --feed signed --out old --version 1")
    try playground.must("device init --store store --feed signed --embedded old")
  }

  @Test(
    "a device in 1970, in twenty years and back again: it runs, says what is wrong, and goes on by itself")
  func device() throws {
    try withPlayground { playground in
      try makeDevice(playground)
      // A flat battery: the feed was signed later, so the clock must be wrong, and nothing has expired.
      let early = "@1970-01-02 03:04:05"
      #expect(try at(early, playground, "device update --store store").code == "staged")
      #expect(try at(early, playground, "device activate --store store").number("version") == 2)
      #expect(try at(early, playground, "device confirm --store store").ok == true)
      #expect(try at(early, playground, "device status --store store").string("clockDoubt")?.isEmpty == false)
      // A clock that runs ahead: everything has expired, and what runs goes on.
      #expect(try at("+20y", playground, "device update --store store", status: 3).code == "trust-expired")
      #expect(try at("+20y", playground, "device activate --store store").number("version") == 2)
      let status = try at("+20y", playground, "device status --store store")
      #expect(status.value("stale") != nil, "\(status.answer)")
      // Set right: what the device wrote meanwhile is no proof, once the feed says something new.
      try playground.must("\(Self.publish) bundle-3.js")
      #expect(try playground.tool.json("device update --store store").code == "staged")
      #expect(try playground.tool.json("device activate --store store").number("version") == 3)
      try playground.must("device confirm --store store")
      #expect(try playground.tool.json("device status --store store").value("stale") == nil)
    }
  }

  @Test("beyond the end of 32 bits a feed is made, published to and taken as on any day")
  func after2038() throws {
    try withPlayground { playground in
      let moment = "@2038-01-19 03:14:10"
      for key in ["root", "release"] { _ = try at(moment, playground, "key generate --out \(key)8.pem") }
      _ = try at(
        moment, playground, "init --feed late --root-key root8.pem --release-key release8.pem")
      for number in 1...2 {
        let files = "--bundle bundle-\(number).js --sources sources.json --release-key release8.pem"
        let answer = try at(moment, playground, "publish --feed late \(files)")
        #expect(answer.number("version") == number)
        #expect(answer.string("manifest.released")?.hasPrefix("2038-01-19T03:14:1") == true)
      }
      _ = try at(moment, playground, "embed --feed late --out app8 --version 1")
      _ = try at(moment, playground, "device init --store store8 --feed late --embedded app8")
      #expect(try at(moment, playground, "device update --store store8").code == "staged")
      #expect(try at(moment, playground, "device activate --store store8").number("version") == 2)
    }
  }

  @Test("B90: publishers in other time zones, and one whose clock went back, count up all the same")
  func publishers() throws {
    try withPlayground { playground in
      try playground.makeSignedFeed()
      let runs = [
        ("+0", "Asia/Tokyo", ""), ("+2m", "UTC", ""), ("-1h", "America/St_Johns", " --allow-clock"),
      ]
      for (number, run) in runs.enumerated() {
        try playground.write("next.js", Fixtures.bundle(marker: "time \(number)", bytes: 2000))
        let answer = try at(run.0, playground, "\(Self.publish) next.js\(run.2)", zone: run.1)
        #expect(answer.number("version") == 3 + number)
        #expect(answer.string("manifest.released")?.hasSuffix("Z") == true)
      }
      #expect(try at("+0", playground, "verify --feed signed").ok == true)
    }
  }

  @Test(
    "B81: a publisher whose clock is wrong is refused, whatever the verb; one that was ahead is found and healed"
  )
  func wrongClock() throws {
    try withPlayground { playground in
      try playground.makeSignedFeed()
      let before = try playground.snapshot("signed")
      let key = "--feed signed --release-key release.pem"
      for moment in ["-1h", "-40d", "@1970-01-02 03:04:05"] {
        for line in [
          "\(Self.publish) bundle-3.js", "rollback \(key) --yes", "refresh \(key) --force",
          "root prepare --feed signed --out drafted.root.json",
        ] {
          let refused = try at(moment, playground, line, status: 1)
          #expect(refused.code == "clock-implausible", "\(moment): \(refused.answer)")
        }
      }
      let early = "@1970-01-02 03:04:05"
      #expect(
        try at(early, playground, "\(Self.publish) bundle-3.js --allow-clock", status: 1).code
          == "clock-implausible")
      #expect(try playground.snapshot("signed") == before)
      // Nobody contradicts a clock that is ahead of a feed without an address; verify does, and so does the next publish.
      #expect(try at("+40d", playground, "\(Self.publish) bundle-3.js").number("version") == 3)
      #expect(try at("+0", playground, "verify --feed signed", status: 3).code == "dated-ahead")
      let stuck = try at("+0", playground, "\(Self.publish) bundle-4.js", status: 1)
      #expect(stuck.code == "clock-implausible" && stuck.string("hint")?.contains("--allow-clock") == true)
      #expect(
        try at("+0", playground, "\(Self.publish) bundle-4.js --allow-clock").number("version") == 4)
      #expect(try at("+0", playground, "verify --feed signed").ok == true)
      #expect(try at("+1m", playground, "rollback \(key) --to 1 --yes").number("version") == 5)
    }
  }

  @Test("S2: SOURCE_DATE_EPOCH ahead of the clock is refused, and init signs no root in 1970")
  func givenDates() throws {
    try withPlayground { playground in
      try playground.makeSignedFeed()
      let verified = try at("@1970-01-02 03:04:05", playground, "verify --feed signed", status: 1)
      #expect(verified.code == "clock-implausible", "a clock of 1970 says nothing about a feed")
      var tool = playground.tool
      tool.environment["SOURCE_DATE_EPOCH"] = "1900000000"
      for line in ["\(Self.publish) bundle-3.js", "refresh --feed signed --release-key release.pem"] {
        let refused = try tool.json(line, status: 1)
        #expect(refused.code == "clock-implausible" && refused.message.contains("ahead"), "\(refused.answer)")
      }
      let keys = "--root-key root.pem --release-key release.pem"
      let made = try at("@1970-01-02 03:04:05", playground, "init --feed early \(keys)", status: 1)
      #expect(made.code == "clock-implausible")
      #expect(!FileManager.default.fileExists(atPath: playground.path("early")))
    }
  }

  @Test("a change of the time zone changes nothing that a device says")
  func zones() throws {
    try withPlayground { playground in
      try makeDevice(playground)
      try playground.must("device update --store store")
      try playground.must("device activate --store store")
      let texts = try ["UTC", "Pacific/Kiritimati", "America/St_Johns", ":/nowhere"].map { zone in
        try at("@2026-12-31 23:59:59", playground, "device history --store store", zone: zone).answer.output
      }
      #expect(Set(texts).count == 1)
    }
  }
}
