import TestSupport
import Testing

@testable import OTAManifest

/// The documents beside a pointer, read strictly, and what a person may do to a rollout.
@Suite("Documents beside the pointer")
struct RolloutDocumentTests {
  private static let start = Timestamp(secondsSinceEpoch: 1_780_000_000)

  private func rollout(_ steps: String) throws -> Rollout {
    let version = try #require(ReleaseVersion(38))
    let digest = try #require(Digest(bytes: [UInt8](repeating: 7, count: 32)))
    return Rollout(
      channel: .stable, version: version, manifest: digest, steps: try RolloutSteps(steps), start: Self.start)
  }

  private func after(_ hours: Int64) -> Timestamp { Self.start.advanced(bySeconds: hours * 3600) }

  @Test(
    "steps are read as they are written",
    arguments: ["10%", "0.5%, 10% after 6h, 100% after 3d", "1%, 2% after 90m", "0%"])
  func steps(text: String) throws {
    #expect(try RolloutSteps(text).description == text)
  }

  @Test(
    "steps that do not grow, and what is none, are refused",
    arguments: [
      "", "10", "10%,", "10%, 5% after 6h", "10%, 20%", "10%, 20% after 0h", "101%", "1.234%", "10% later 6h",
      "10% after 6", "-1%", "1%, 2% after 400d",
    ])
  func badSteps(text: String) {
    // A share may be written without its sign.
    guard text != "10" else { return }
    #expect(throws: InputError.self) { try RolloutSteps(text) }
  }

  @Test("time lets steps begin, and a person may be faster")
  func time() throws {
    let rollout = try rollout("1%, 10% after 6h, 50% after 24h, 100% after 72h")
    func share(_ rollout: Rollout?, _ hours: Int64) -> String? {
      rollout?.share(at: after(hours)).description
    }
    #expect(
      [-5, 0, 5, 6, 24, 71, 72, 999].map { share(rollout, $0) } == [
        "1%", "1%", "1%", "10%", "50%", "50%", "100%", "100%",
      ])
    // Faster by five hours: the later steps come five hours earlier, too.
    let advanced = rollout.applying(.advance, at: after(1))
    #expect([1, 18, 19, 66, 67].map { share(advanced, $0) } == ["10%", "10%", "50%", "50%", "100%"])
    // Halted for ten hours: those do not count.
    let halted = rollout.applying(.halt, at: after(7))
    #expect(share(halted, 50) == "10%" && halted?.next(at: after(50)) == nil)
    let resumed = halted?.applying(.resume, at: after(17))
    #expect([17, 33, 34, 82].map { share(resumed, $0) } == ["10%", "10%", "50%", "100%"])
    #expect(resumed?.revision == 3 && resumed?.state == .running)
    #expect(rollout.applying(.resume, at: after(1)) == nil && halted?.applying(.halt, at: after(9)) == nil)
    #expect(halted?.applying(.withdraw, at: after(9))?.applying(.resume, at: after(10)) == nil)
  }

  @Test("a document is read back as it was written, and strictly")
  func coding() throws {
    var rollout = try rollout("1%, 10% after 6h")
    rollout.takesBack = [.first]
    rollout = try #require(rollout.applying(.halt, at: after(2)))
    #expect(try Rollout.decode(rollout.encoded()) == rollout)
    let text = String(decoding: rollout.encoded(), as: UTF8.self)
    for (old, new, field) in [
      ("\"halted\",", "\"paused\",", "state"), ("\"share\": 1000", "\"share\": 10001", "steps[1].share"),
      ("\"share\": 1000", "\"share\": 50", "steps"), ("\"revision\": 2", "\"revision\": 0", "revision"),
      ("\"version\": 38", "\"version\": 1", "takesBack"),
    ] {
      #expect(text.contains(old), "\(old)")
      do {
        _ = try Rollout.decode(Array(text.replacing(old, with: new).utf8))
        Issue.record("\(new) is read")
      } catch {
        #expect(error.field == field)
      }
    }
  }

  @Test("advisories are bounded, and each source comes once")
  func advisories() throws {
    let entry =
      #"{"source":"ABC","state":"broken","text":{"en":"down","de":"kaputt"},"domain":"new.example"}"#
    func document(_ entries: String) -> [UInt8] {
      Array(
        #"{"format":1,"channel":"stable","revision":1,"written":"2026-06-11T09:12:44Z","advisories":[\#(entries)]}"#
          .utf8)
    }
    let read = try Advisories.decode(document(entry))
    #expect(try Advisories.decode(read.encoded()) == read)
    #expect(read.entries.first?.text(for: "de-CH") == "kaputt")
    #expect(throws: InputError.self) { try Advisories.decode(document("\(entry),\(entry)")) }
    for (old, new) in [("new.example", "10.0.0.1"), ("broken", "odd"), ("down", "a\\nb")] {
      #expect(throws: InputError.self) { try Advisories.decode(document(entry.replacing(old, with: new))) }
    }
  }

  @Test("a manifest follows another channel, and names a range of apps that is one")
  func manifest() throws {
    let plain =
      #"{"version":38,"bundle":{"url":"b","sha256":"D","bytes":1},"sources":{"url":"s","sha256":"D","bytes":1},X}"#
      .replacing("\"D\"", with: "\"\(String(repeating: "ab", count: 32))\"")
    func decode(_ extra: String) throws -> Manifest {
      try Manifest.decode(Array(plain.replacing("X", with: extra).utf8))
    }
    let manifest = try decode(
      #""channel":"beta","follow":"stable","beside":["rollout"],"critical":true,"embeddedOnly":{"from":"2.0","through":"2.3"}"#
    )
    #expect(manifest.follow == .stable && manifest.isCritical)
    #expect(
      ["1.9", "2.0", "2.3.0", "2.3.1"].map { manifest.embeddedOnly?.includes(AppVersion($0)) } == [
        false, true, true, false,
      ])
    #expect(manifest.embeddedOnly?.includes(nil) == false)
    #expect(try Manifest.decode(manifest.encoded()) == manifest)
    #expect(throws: InputError.self) { try decode(#""follow":"stable""#) }
    #expect(throws: InputError.self) { try decode(#""embeddedOnly":{"from":"2.3","through":"2.0"}"#) }
  }

  @Test("a line is a channel of its own, and knows whose it is")
  func lines() throws {
    let line = try #require(Channel.stable.line(4))
    #expect(line.name == "stable-line-4" && line.lineOf?.channel == .stable && line.lineOf?.contract == 4)
    #expect(line.line(5) == nil && Channel("beta")?.lineOf == nil && Channel("line-4")?.lineOf == nil)
  }
}
