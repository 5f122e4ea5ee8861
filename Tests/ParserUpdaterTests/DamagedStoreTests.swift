import Glibc
import OTAManifest
@testable import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// Stores that were torn, edited, emptied or planted: a launch uses what verifies, and the next update repairs the rest.
@Suite("Damaged stores")
struct DamagedStoreTests {
  private func deviceWithTwoReleases() async throws -> Device {
    let device = try Device(embedded: 30)
    try await device.take(41)
    try await device.take(42)
    return device
  }

  /// Ways to spoil a file, named for messages.
  static let harms: [(String, @Sendable (String) -> Void)] = [
    ("deleted", { unlink($0) }), ("emptied", { truncate($0, 0) }),
    ("cut", { truncate($0, 20) }), ("grown", { plant((content($0) ?? []) + [0x20], at: $0) }),
    ("flipped", { flipByte(in: $0) }),
    (
      "a directory",
      {
        unlink($0); mkdir($0, 0o700)
      }
    ),
    (
      "a pipe",
      {
        unlink($0); mkfifo($0, 0o600)
      }
    ),
    (
      "a link",
      {
        unlink($0); symlink("/etc/passwd", $0)
      }
    ),
  ]

  @Test(
    "B02, B15: a spoilt file of the active pair: neither is used, the last good one is, and an update repairs it",
    arguments: ["parsers.bundle.js", "sources.json", "manifest.json"], 0..<8)
  func spoilt(name: String, harm: Int) async throws {
    let device = try await deviceWithTwoReleases()
    Self.harms[harm].1("\(try device.folder(of: 42))/\(name)")
    let launch = device.launch()
    #expect(launch.version == 41, "\(Self.harms[harm].0)")
    #expect(launch.release.bundle == SampleRelease.Content(of: 41).bundle)
    #expect(launch.release.sources == SampleRelease.Content(of: 41).sources)
    #expect(launch.release.passedOver.map(\.code) == ["not-whole"])
    #expect(launch.release.passedOver.first?.message.contains(name) == true)
    #expect(device.stored == [41])
    #expect(try await device.update() == .staged(.number(42)))
    #expect(device.launch().version == 42)
  }

  @Test("B02: with both downloads spoilt the copy inside the app runs")
  func allSpoilt() async throws {
    let device = try await deviceWithTwoReleases()
    for version in [41, 42] as [Int64] { flipByte(in: "\(try device.folder(of: version))/sources.json") }
    let launch = device.launch()
    #expect(launch.version == 30 && launch.release.passedOver.count == 2)
    #expect(try device.updater().status().current == nil)
  }

  @Test("a device without anything usable says so and gives empty files, not half a pair")
  func nothingUsable() async throws {
    let device = try Device(embedded: nil)
    let launch = device.launch()
    #expect(launch.release.standing == .unusable && launch.release.origin == .nothing)
    #expect(launch.release.bundle.isEmpty && launch.release.sources.isEmpty)
    #expect(launch.release.notes.map(\.code) == [.embeddedUnusable])
    try device.feed.publish(1)
    #expect(try await device.update() == .staged(.number(1)))
    #expect(device.launch().version == 1)
  }

  @Test("an app copy with a spoilt file gives way to a download, or to nothing")
  func spoiltEmbedded() async throws {
    let device = try await deviceWithTwoReleases()
    flipByte(in: device.home.path("app/parsers.bundle.js"))
    #expect(device.launch().version == 42)
    let fresh = try Device(embedded: 30)
    flipByte(in: fresh.home.path("app/parsers.bundle.js"))
    #expect(fresh.launch().release.standing == .unusable)
  }

  /// What may stand in place of the state file.
  static let states: [(String, @Sendable (String) -> Void)] = [
    ("nothing", { unlink($0) }), ("0 bytes", { truncate($0, 0) }),
    ("64 zeros", { plant([UInt8](repeating: 0, count: 64), at: $0) }), ("{", { plant("{", at: $0) }),
    ("[]", { plant("[]", at: $0) }), ("{}", { plant("{}", at: $0) }),
    ("another format", { plant(#"{"format": 3}"#, at: $0) }),
    ("wrong types", { plant(#"{"format": 1, "current": 42}"#, at: $0) }),
    ("a trial of nothing", { plant(#"{"format": 1, "trial": []}"#, at: $0) }),
    ("50 MB of spaces", { plant([UInt8](repeating: 0x20, count: 50 << 20), at: $0) }),
    (
      "a directory",
      {
        unlink($0); mkdir($0, 0o700); plant("x", at: "\($0)/y")
      }
    ),
    (
      "a pipe",
      {
        unlink($0); mkfifo($0, 0o600)
      }
    ),
    (
      "a dangling link",
      {
        unlink($0); symlink("nowhere", $0)
      }
    ),
    (
      "a link to zeros",
      {
        unlink($0); symlink("/dev/zero", $0)
      }
    ),
    ("half of itself", { plant(Array((content($0) ?? []).prefix(300)), at: $0) }),
  ]

  @Test(
    "B07: whatever stands in place of the state, a launch uses what verifies, and all is well afterwards",
    arguments: 0..<15)
  func damagedState(form: Int) async throws {
    let device = try await deviceWithTwoReleases()
    let state = "\(device.store)/state.json"
    Self.states[form].1(state)
    #expect(try device.updater().status().damage != nil, "\(Self.states[form].0)")
    let launch = device.launch()
    #expect(launch.version == 42 && launch.release.standing == .onTrial, "\(Self.states[form].0)")
    #expect(launch.release.notes.map(\.code) == [.storageFailed])
    launch.confirm()
    let status = try device.updater().status()
    #expect(status.damage == nil && status.current?.version == .number(42))
    #expect(status.previous?.version == .number(41) && status.floor == .number(42))
    if form > 0 { #expect(try namesInDirectory(device.store).contains("state.json.damaged")) }
    #expect(try device.updater().history().contains { $0.kind == .recovered })
    try device.feed.publish(43)
    #expect(try await device.update() == .staged(.number(43)))
    #expect(device.launchAndConfirm() == 43)
  }

  /// What finds a damaged state first, named for messages.
  static let finders: [(String, @Sendable (Device) async throws -> Void)] = [
    ("a launch", { _ = $0.launch() }),
    (
      "an update",
      {
        try $0.feed.publish(43)
        _ = try await $0.update()
      }
    ),
    ("an update that finds nothing newer", { _ = try await $0.update() }),
    ("a roll back", { _ = try $0.updater().rollback() }),
    ("a pin", { _ = try $0.updater().pin(.number(42)) }),
    ("a pin that is refused", { _ = try? $0.updater().pin(.number(7)) }),
    ("a confirmation", { _ = try $0.updater().confirm(version: .number(42)) }),
  ]

  @Test(
    "a state that is rebuilt leaves the same line in the history, whichever verb finds it", arguments: 0..<7)
  func sameLine(finder: Int) async throws {
    let device = try await deviceWithTwoReleases()
    plant("{", at: "\(device.store)/state.json")
    try await Self.finders[finder].1(device)
    let lines = try device.updater().history().filter { $0.kind == .recovered }.map(\.text)
    #expect(lines.count == 1, "\(Self.finders[finder].0)")
    #expect(lines.first?.hasPrefix("state rebuilt from the releases on disk: state.json ") == true)
    #expect(try device.updater().status().damage == nil)
  }

  @Test(
    "B07: an update finds a damaged state before any launch does, and repairs it", arguments: [1, 3, 10, 11])
  func updateRepairs(form: Int) async throws {
    let device = try await deviceWithTwoReleases()
    Self.states[form].1("\(device.store)/state.json")
    try device.feed.publish(43)
    #expect(try await device.update() == .staged(.number(43)))
    #expect(try device.updater().status().damage == nil)
    #expect(device.launch().version == 43)
  }

  @Test("B07: what failed here is remembered through the history when the state is lost")
  func rejectedSurvives() async throws {
    let device = try await deviceWithTwoReleases()
    let release = try device.feed.publish(43)
    try await device.update()
    let launch = device.launch()
    _ = launch.updater.fail(launch.release, reason: "does not load")
    unlink("\(device.store)/state.json")
    let after = device.launch()
    #expect(after.version == 42 && after.release.standing == .onTrial)
    #expect(try device.updater().status().rejected.map(\.version) == [.number(43)])
    #expect(try await device.update().obstacle == "rejected")
    let other = try SampleRelease(44, release.content)
    device.feed.publish(other)
    #expect(try await device.update().obstacle == "rejected", "the same files under another number")
    #expect(try device.updater().forgetRejected() == [.number(43)])
    unlink("\(device.store)/state.json")
    _ = device.launch()
    #expect(try await device.update() == .staged(.number(44)))
  }

  @Test("B07: what the feed withdrew stays withdrawn when the state is lost")
  func withdrawnSurvives() async throws {
    let device = try await deviceWithTwoReleases()
    try device.feed.publish(43) { $0.withdrawn = [.number(42)] }
    try await device.update()
    unlink("\(device.store)/state.json")
    let launch = device.launch()
    #expect(launch.version == 43)
    #expect(launch.updater.fail(launch.release, reason: "broken").version == .number(30))
  }

  @Test("B15: a bundle with a wrong hash is in no place that a launch reads, also after a crash right there")
  func wrongHash() async throws {
    let device = try await deviceWithTwoReleases()
    let release = try device.feed.publish(43)
    var other = release.bundle
    other[100] ^= 1
    device.feed.answer(release.bundlePath, .bytes(other))
    #expect(await problem { try await device.update() }?.code == .digestMismatch)
    #expect(device.stored == [41, 42] && device.scratch == [])
    unlink("\(device.store)/state.json")
    #expect(device.launch().version == 42)
  }

  @Test("B15, B69: the bytes handed over are the bytes that were hashed, whatever happens to the files later")
  func bytesInMemory() async throws {
    let device = try await deviceWithTwoReleases()
    let launch = device.launch()
    let folder = try device.folder(of: 42)
    flipByte(in: "\(folder)/parsers.bundle.js")
    plant("evil", at: "\(folder)/sources.json")
    #expect(launch.release.bundle == SampleRelease.Content(of: 42).bundle)
    #expect(launch.updater.activate().sources == SampleRelease.Content(of: 42).sources)
    #expect(try launch.release.catalog().entries.map(\.id.text) == ["ABC", "S42"])
  }

  @Test(
    "B71: a version that cannot be read makes its place untrusted; the copy inside the app is the floor, never 0",
    arguments: ["\"\"", "\"abc\"", "\" 41\\n\"", "\"+41\"", "041", "\"４１\"", "0", "-41", "41.0", "null"])
  func unreadableVersion(text: String) async throws {
    let device = try Device(embedded: 30)
    try await device.take(41)
    let path = "\(device.store)/state.json"
    let state = String(decoding: try #require(content(path)), as: UTF8.self)
    plant(state.replacing("\"version\": 41", with: "\"version\": \(text)"), at: path)
    #expect(try device.updater().status().damage != nil)
    #expect(try device.updater().status().floor == .number(41), "the release on disk still counts")
    _ = try run("/bin/rm", ["-r", "\(device.store)/releases"])
    try device.feed.publish(29)
    #expect(try await device.update() == .unchanged(.upToDate(.number(30))))
    #expect(device.launch().version == 30)
  }

  @Test("B71: an app copy with an unreadable version is not used, and said to be so")
  func unreadableEmbedded() async throws {
    let device = try Device(embedded: 30)
    let path = device.home.path("app/manifest.json")
    let manifest = String(decoding: try #require(content(path)), as: UTF8.self)
    plant(manifest.replacing("\"version\": 30", with: "\"version\": \"30\""), at: path)
    let launch = device.launch()
    #expect(launch.release.standing == .unusable)
    #expect(launch.release.notes.first?.message.contains("version") == true)
  }

  @Test("B69: planted links, pipes and folders in the scratch folders are removed, never followed")
  func plantedScratch() async throws {
    for plantIt in Self.plants {
      let device = try await deviceWithTwoReleases()
      let victim = device.home.path("victim")
      plant("precious", at: victim)
      let release = try device.feed.publish(43)
      let sha = release.manifest.bundle.sha256.hex
      for path in ["incoming/43-0123456789abcdef", "partial/\(sha)", "releases/\(folderName(release))"] {
        plantIt(victim, "\(device.store)/\(path)")
      }
      #expect(try await device.update() == .staged(.number(43)))
      #expect(content(victim) == Array("precious".utf8))
      let launch = device.launch()
      #expect(launch.version == 43 && launch.release.bundle == release.bundle)
      #expect(device.scratch == [])
    }
  }

  @Test(
    "B69: a link, pipe or file in place of a folder of the store is named, and nothing is written through it")
  func plantedFolders() async throws {
    for plantIt in Self.plants.dropLast() {
      for name in ["incoming", "partial", "releases"] {
        let device = try Device(embedded: 30)
        try await device.take(31)
        try removeTree("\(device.store)/\(name)")
        let victim = device.home.path("elsewhere")
        mkdir(victim, 0o700)
        plantIt(victim, "\(device.store)/\(name)")
        try device.feed.publish(32)
        let problem = await problem { try await device.update() }
        #expect(problem?.code == .wrongKind && problem?.message.contains("\(device.store)/\(name)") == true)
        #expect(tree(victim) == [])
        #expect(device.launch().version == (name == "releases" ? 30 : 31))
      }
    }
  }

  /// Puts something at the second path that would lead to the first; the last one is a folder.
  static let plants: [@Sendable (String, String) -> Void] = [
    { symlink($0, $1) }, { mkfifo($1, 0o600) },
    {
      mkdir($1, 0o700); plant("x", at: "\($1)/y")
    },
  ]

  private func folderName(_ release: SampleRelease) -> String {
    ReleaseReference(release.manifest, digest: release.digest).folderName
  }

  @Test(
    "B69: a store that others can write to is neither filled nor launched from",
    arguments: [0o770, 0o707, 0o777])
  func groupWritable(mode: Int) async throws {
    let device = try await deviceWithTwoReleases()
    chmod(device.store, mode_t(mode))
    try device.feed.publish(43)
    #expect(await problem { try await device.update() }?.code == .notPrivate)
    #expect(await problem { _ = try await device.updater().check() }?.code == .notPrivate)
    let launch = device.launch()
    #expect(launch.version == 30 && launch.release.notes.map(\.code) == [.notPrivate])
    #expect(throws: Problem.self) { try device.updater().rollback() }
    let status = try device.updater().status()
    #expect(status.obstacle?.code == .notPrivate && !status.isStateKnown)
    #expect(status.obstacle?.message.contains("other users can write to it") == true)
    #expect(status.next.candidates.map(\.origin) == [.embedded], "status and launch agree")
    chmod(device.store, 0o700)
    #expect(device.launch().version == 42)
  }

  @Test(
    "B44: a store of another user is not used, and says whose it is",
    .enabled(if: geteuid() == 0, "needs root"))
  func foreignOwner() async throws {
    let device = try await deviceWithTwoReleases()
    chown(device.store, 65_534, 65_534)
    try device.feed.publish(43)
    for problem in [
      await problem { try await device.update() }, await problem { _ = try await device.updater().check() },
    ] {
      #expect(problem?.code == .notPrivate && problem?.message.contains("65534") == true)
      #expect(problem?.advice != nil && problem?.kept != nil)
    }
    #expect(device.feed.takeRequests().filter { $0.hasSuffix(".js") && $0.contains("/43/") } == [])
    #expect(device.launch().version == 30)
  }

  @Test("a history of any length stays bounded, and torn lines cost nothing but themselves")
  func history() async throws {
    let device = try await deviceWithTwoReleases()
    let path = "\(device.store)/history.jsonl"
    let before = try device.updater().history()
    plant(
      try #require(content(path)) + Array(#"{"date":"2026-05-28T20:26:40Z","event":"laun"#.utf8), at: path)
    try device.updater().pin()
    let after = try device.updater().history()
    #expect(after.map(\.kind) == before.map(\.kind) + [.pinned])
    let line = try #require(content(path)?.split(separator: 0x0A).last)
    plant(Array([[UInt8]](repeating: line + [0x0A], count: (128 << 10) / line.count - 2).joined()), at: path)
    for round in 0..<12 {
      if round.isMultiple(of: 2) { try device.updater().unpin() } else { try device.updater().pin() }
    }
    #expect(try #require(content(path)).count <= 128 << 10)
    #expect(try device.updater().history().count >= 250)
    #expect(try device.updater().history().last?.kind == .pinned)
  }

  @Test("a history that is too large, a folder or a pipe stops nothing", arguments: 0..<3)
  func spoiltHistory(form: Int) async throws {
    let device = try await deviceWithTwoReleases()
    let path = "\(device.store)/history.jsonl"
    switch form {
    case 0: plant([UInt8](repeating: 0x20, count: 50 << 20), at: path)
    case 1: DamagedStoreTests.harms[5].1(path)
    default: DamagedStoreTests.harms[6].1(path)
    }
    try device.feed.publish(43)
    #expect(try await device.update() == .staged(.number(43)))
    let launch = device.launch()
    #expect(launch.version == 43)
    #expect(launch.confirm() == .recorded)
    #expect(try device.updater().history().map(\.kind) == [.lost, .staged, .launched, .confirmed])
    #expect(try namesInDirectory(device.store).contains("history.jsonl.damaged"))
    #expect(try device.updater().status().historyProblem == nil)
  }

  @Test("a reason of any length and with any character becomes one bounded line")
  func longReason() async throws {
    let device = try await deviceWithTwoReleases()
    let launch = device.launch()
    let reason = "a\nb\u{0}\u{202E}" + String(repeating: "\"\\é", count: 400_000)
    #expect(launch.updater.fail(launch.release, reason: reason).version == .number(41))
    #expect(try #require(content("\(device.store)/state.json")).count < 8192)
    #expect(try #require(content("\(device.store)/history.jsonl")).count < 8192)
    unlink("\(device.store)/state.json")
    #expect(device.launch().version == 41)
    #expect(try device.updater().status().rejected.map(\.version) == [.number(42)])
  }
}
