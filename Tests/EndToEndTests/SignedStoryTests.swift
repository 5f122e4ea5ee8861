import Foundation
import TestSupport
import Testing

/// A signed feed and a device that believes it by its root, as programs see them.
@Suite(.ownThreads) struct SignedStoryTests {
  private func withKeys(_ body: (Playground) throws -> Void) throws {
    try withPlayground { playground in
      for name in ["root", "release"] {
        let made = try playground.tool.json("key generate --out \(name).pem")
        #expect(made.code == "generated")
        let shown = try playground.tool.json("key public --key \(name).pem")
        #expect(shown.string("keyID") == made.string("keyID"))
      }
      try body(playground)
    }
  }

  private static func publish(_ number: Int) -> String {
    "publish --feed feed --bundle bundle-\(number).js --sources sources.json --release-key release.pem"
  }

  @Test("the signed story in JSON: keys made, feed signed, device told nothing but the copy inside the app")
  func story() throws {
    try withKeys { playground in
      func json(_ line: String, _ code: String, status: Int32 = 0) throws -> JSONAnswer {
        let answer = try playground.tool.json(line, status: status)
        #expect(answer.code == code, "\(answer.answer)")
        return answer
      }
      let made = try json("init --feed feed --root-key root.pem --release-key release.pem", "created")
      #expect(made.list("warnings").isEmpty, "\(made.answer)")
      _ = try json(Self.publish(1), "published")
      _ = try json("embed --feed feed --out app", "embedded")
      #expect(try playground.read("app/root.json") == playground.read("feed/metadata/1.root.json"))
      let device = try json("device init --store store --feed feed --embedded app", "created")
      #expect(device.number("rootVersion") == 1)
      #expect(device.list("warnings").isEmpty, "\(device.answer)")

      _ = try json(Self.publish(2), "published")
      #expect(try json("device update --store store", "staged").number("version") == 2)
      #expect(try json("device activate --store store", "activated").number("version") == 2)
      _ = try json("device confirm --store store", "confirmed")

      _ = try json(Self.publish(3), "published")
      let back = try json("rollback --feed feed --release-key release.pem --yes", "published")
      #expect(back.number("manifest.content") == 2)
      #expect(
        try json("refresh --feed feed --release-key release.pem --force", "refreshed").list("roles").count
          == 3)
      #expect(try json("device update --store store", "staged").number("version") == 4)
      let whole = try json("verify --feed feed --root app/root.json", "verified")
      #expect(whole.list("findings").isEmpty && whole.list("warnings").isEmpty, "\(whole.answer)")
      #expect(whole.list("releases").count == 4)
    }
  }

  @Test("a device with the first root takes what a new release key signs, and nothing of the old key")
  func rotation() throws {
    try withKeys { playground in
      try playground.must("init --feed feed --root-key root.pem --release-key release.pem")
      try playground.must(Self.publish(1))
      try playground.must("embed --feed feed --out app")
      try playground.must("device init --store store --feed feed --embedded app")
      let old = try #require(try playground.tool.json("key public --key release.pem").string("keyID"))
      try playground.must("key generate --out new.pem")
      let rotated = try playground.tool.json(
        "key rotate --feed feed --role release --from \(old) --to-public new.pem.pub --root-key root.pem"
          + " --release-key new.pem")
      #expect(rotated.code == "committed" && rotated.number("version") == 2)
      let before = try playground.snapshot("feed")
      let refused = try playground.tool.json(Self.publish(2), status: 1)
      #expect(refused.message.contains("installed clients would refuse this"), "\(refused.answer)")
      #expect(try playground.snapshot("feed") == before)
      try playground.must(Self.publish(2).replacing("release.pem", with: "new.pem"))
      #expect(try playground.tool.json("device update --store store").number("version") == 2)
    }
  }

  @Test(
    "a manifest that changed behind the signatures is refused by device and stranger, and what runs stays")
  func tampered() throws {
    try withKeys { playground in
      try playground.must("init --feed feed --root-key root.pem --release-key release.pem")
      try playground.must(Self.publish(1))
      try playground.must("embed --feed feed --out app")
      try playground.must("device init --store store --feed feed --embedded app")
      try playground.must(Self.publish(2))
      for name in try playground.snapshot("feed").keys where name.hasSuffix("manifest.json") {
        let text = String(decoding: try playground.read("feed/\(name)"), as: UTF8.self)
        try playground.write("feed/\(name)", text.replacing("\"version\": 2", with: "\"version\": 9"))
      }
      let device = try playground.tool.json("device update --store store", status: 3)
      #expect(device.message.contains("manifest.json"), "\(device.answer)")
      let stranger = try playground.tool("verify --feed feed --root app/root.json")
      #expect(stranger.code == 3 && stranger.failure.contains("manifest.json"), "\(stranger)")
      #expect(try playground.tool.json("device activate --store store").number("version") == 1)
    }
  }
}
