import Foundation
import Glibc
import TestSupport
import Testing

/// A device from its first launch on, as programs see it.
@Suite(.ownThreads) struct DeviceStoryTests {
  private static func expect(
    _ answer: JSONAnswer, _ code: String, _ members: [String: String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(answer.code == code, "\(answer.answer)", sourceLocation: sourceLocation)
    for (key, value) in members {
      let found = answer.value(key).map { "\($0)" } ?? "null"
      #expect(found == value, "\(key): \(answer.answer)", sourceLocation: sourceLocation)
    }
  }

  @Test("the story of the quickstart in JSON: published, taken, judged, undone")
  func story() throws {
    try withPlayground { playground in
      try playground.makeApp()
      try playground.initDevice()
      func device(_ line: String, _ status: Int32 = 0) throws -> JSONAnswer {
        try playground.tool.json("device \(line) --store store", status: status)
      }
      Self.expect(try device("activate"), "activated", ["version": "1", "origin": "embedded"])
      try playground.publish(2)
      Self.expect(try device("check"), "available", ["version": "2"])
      Self.expect(try device("update"), "staged", ["version": "2"])
      Self.expect(try device("update"), "staged", ["version": "2"])
      Self.expect(
        try device("status"), "status",
        ["embedded": "1", "staged.version": "2", "current": "null", "floor": "2"])
      Self.expect(
        try device("activate"), "activated", ["version": "2", "origin": "staged", "standing": "on-trial"])
      Self.expect(try device("confirm"), "confirmed", ["version": "2"])
      Self.expect(try device("confirm"), "nothing-to-do", [:])
      Self.expect(try device("check"), "up-to-date", ["version": "2"])

      try playground.publish(3)
      Self.expect(try device("update"), "staged", ["version": "3"])
      Self.expect(try device("activate"), "activated", ["version": "3", "standing": "on-trial"])
      Self.expect(try device("status"), "status", ["unconfirmedLaunches": "1", "previous.version": "2"])
      Self.expect(try device("activate"), "activated", ["version": "3"])
      let back = try device("activate")
      Self.expect(back, "activated", ["version": "2", "standing": "confirmed", "passedOver.0.version": "3"])
      Self.expect(try device("status"), "status", ["rejected.0.version": "3", "current.version": "2"])
      Self.expect(try device("check"), "rejected", ["outcome": "rejected-here"])

      Self.expect(
        try playground.tool.json("rollback --feed feed --yes"), "published", ["manifest.content": "2"])
      Self.expect(try device("update"), "staged", ["version": "4"])
      Self.expect(try device("activate"), "activated", ["version": "4", "manifest.withdrawn.0": "3"])
      Self.expect(try device("confirm"), "confirmed", ["version": "4"])
      let history = try device("history")
      let kinds = history.list("events").compactMap { ($0 as? [String: Any])?["event"] as? String }
      for kind in ["staged", "launched", "confirmed", "rejected"] {
        #expect(kinds.contains(kind), "\(kinds)")
      }
    }
  }

  @Test("a launch that ended in good order does not count")
  func close() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      try playground.must("device update --store store")
      for _ in 0..<4 {
        let launch = try playground.tool.json("device activate --store store")
        Self.expect(launch, "activated", ["version": "2", "standing": "on-trial"])
        Self.expect(try playground.tool.json("device close --store store"), "closed", ["version": "2"])
      }
      Self.expect(
        try playground.tool.json("device status --store store"), "status", ["unconfirmedLaunches": "0"])
    }
  }

  @Test(
    "a failure reported by the app brings the next candidate in the same launch, and names the reason later")
  func fail() throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      try playground.publish(3)
      try playground.must("device update --store store")
      let launch = try #require(try playground.tool.json("device activate --store store").string("launch"))
      let wrong = try playground.tool.json(
        "device fail --store store --launch 0123456789abcdef --release 3", status: 1)
      #expect(wrong.string("kept") != nil)
      let failed = try playground.tool.json(
        ["device", "fail", "--store", "store", "--launch", launch, "--reason", "blank list"])
      Self.expect(failed, "rejected", ["rejected": "3", "version": "2", "standing": "confirmed"])
      Self.expect(
        try playground.tool.json("device status --store store"), "status",
        ["rejected.0.version": "3", "rejected.0.reason": "blank list"])
      let explained = try playground.tool.json("device explain --store store --manifest feed/manifest.json")
      Self.expect(explained, "explained", ["offer.code": "rejected", "candidates.0.version": "2"])
      Self.expect(try playground.tool.json("device forget 3 --store store"), "forgotten", ["versions.0": "3"])
      Self.expect(try playground.tool.json("device forget --store store"), "nothing-to-do", [:])
      Self.expect(
        try playground.tool.json("device explain --store store --manifest feed/manifest.json"), "explained",
        ["offer.code": "available"])
    }
  }

  @Test("a pinned release runs until it is unpinned, whatever is published")
  func pin() throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      Self.expect(try playground.tool.json("device pin 1 --store store"), "pinned", ["version": "1"])
      Self.expect(
        try playground.tool.json("device activate --store store"), "activated",
        ["version": "1", "origin": "embedded"])
      try playground.publish(3)
      Self.expect(try playground.tool.json("device check --store store"), "pinned", ["version": "3"])
      Self.expect(try playground.tool.json("device status --store store"), "status", ["pinned": "1"])
      Self.expect(try playground.tool.json("device unpin --store store"), "unpinned", [:])
      Self.expect(try playground.tool.json("device unpin --store store"), "nothing-to-do", [:])
      Self.expect(try playground.tool.json("device activate --store store"), "activated", ["version": "2"])
    }
  }

  @Test("a check that failed is in the status with its time, until one succeeds")
  func problem() throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      try FileManager.default.moveItem(atPath: playground.path("feed"), toPath: playground.path("away"))
      _ = try playground.tool.json("device check --store store", status: 4)
      let status = try playground.tool.json("device status --store store")
      #expect(status.string("lastProblem.date")?.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/#) != nil)
      #expect(try playground.must("device status --store store").output.contains("not-found"))
      try FileManager.default.moveItem(atPath: playground.path("away"), toPath: playground.path("feed"))
      try playground.must("device update --store store")
      #expect(try playground.tool.json("device status --store store").value("lastProblem") == nil)
    }
  }

  @Test(
    "a damaged state is told, set aside and rebuilt from what verifies",
    arguments: ["", "{", "[]", "{\"format\":9}"])
  func damagedState(text: String) throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      try playground.write("store/state.json", text)
      let status = try playground.tool.json("device status --store store")
      #expect(status.string("damage")?.contains("state.json") == true, "\(status.answer)")
      let launch = try playground.tool.json("device activate --store store")
      #expect([1, 2].contains(launch.number("version") ?? 0), "\(launch.answer)")
      #expect(!launch.list("problems").isEmpty || !launch.list("warnings").isEmpty, "\(launch.answer)")
      #expect(try playground.tool.json("device status --store store").value("damage") == nil)
      try playground.must("device update --store store")
    }
  }

  @Test(
    "a release file that is gone or changed falls back, says why, and is fetched again",
    arguments: [true, false])
  func damagedRelease(isGone: Bool) throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      let bundle = try #require(try playground.tool.json("device activate --store store").string("bundle"))
      if isGone { unlink(bundle) } else { try Data("x".utf8).write(to: URL(fileURLWithPath: bundle)) }
      let launch = try playground.tool.json("device activate --store store")
      Self.expect(launch, "activated", ["version": "1", "origin": "embedded", "passedOver.0.version": "2"])
      #expect(
        launch.string("passedOver.0.message")?.contains("parsers.bundle.js") == true, "\(launch.answer)")
      Self.expect(try playground.tool.json("device update --store store"), "staged", ["version": "2"])
      Self.expect(try playground.tool.json("device activate --store store"), "activated", ["version": "2"])
    }
  }

  @Test("B04: after an app upgrade the newer copy inside the app wins over the older download")
  func appUpgrade() throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      try playground.publish(3)
      try playground.remove("app")
      try playground.must("embed --feed feed --out app")
      Self.expect(
        try playground.tool.json("device init --store store --feed feed --checksums-only --embedded app"),
        "unchanged", ["embeddedVersion": "3"])
      Self.expect(
        try playground.tool.json("device activate --store store"), "activated",
        ["version": "3", "origin": "embedded"])
      Self.expect(try playground.tool.json("device check --store store"), "up-to-date", [:])
      try playground.publish(4)
      Self.expect(try playground.tool.json("device update --store store"), "staged", ["version": "4"])
    }
  }
}
