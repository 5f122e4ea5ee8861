import Glibc
import OTAManifest
import OTAStorage
import TestSupport
import Testing
import UpdaterTestSupport

@testable import ParserUpdater

/// B62, B53: what is said about the next launch is what the next launch does, over stores in every condition.
@Suite("Questions and launches agree", .enabled(if: OtherUser.isPossible, "needs setpriv"))
struct TruthProperty {
  /// One way to spoil a world; each gets the folder of the device, with `store` and `app` in it.
  private struct Harm: Sendable {
    let name: String
    let apply: @Sendable (Device, inout SeededGenerator) throws -> Void
  }

  private static let files = ["manifest.json", "parsers.bundle.js", "sources.json"]

  /// A file of the store or of the app, by chance.
  private static func place(_ device: Device, _ generator: inout SeededGenerator) throws -> String {
    let release = try device.folder(of: [41, 42, 43].randomElement(using: &generator) ?? 41)
    let file = files.randomElement(using: &generator) ?? ""
    let places = [
      "\(release)/\(file)", "\(release)/\(file)", "\(release)/\(file)", release, "\(device.store)/releases",
      "\(device.store)/state.json", "\(device.store)/state.json", "\(device.store)/history.jsonl",
      "\(device.store)/lock", "\(device.store)/launches", device.home.path("app/\(file)"),
      device.home.path("app"),
      device.store,
    ]
    return places.randomElement(using: &generator) ?? ""
  }

  private static let harms: [Harm] = [
    Harm(name: "removed") { device, generator in try removeTree(place(device, &generator)) },
    Harm(name: "unreadable") { device, generator in chmod(try place(device, &generator), 0) },
    Harm(name: "spoilt") { device, generator in
      let path = try place(device, &generator)
      let harm = DamagedStoreTests.harms.randomElement(using: &generator)
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return }
      harm?.1(path)
    },
    Harm(name: "state") { device, generator in
      DamagedStoreTests.states.randomElement(using: &generator)?.1("\(device.store)/state.json")
    },
    Harm(name: "open to others") { device, _ in chmod(device.store, 0o777) },
    Harm(name: "not writable") { device, _ in chmod(device.store, 0o500) },
    Harm(name: "another folder in its place") { device, _ in
      try removeTree(device.store)
      for name in ["partial", "incoming", "releases"] {
        plant("mine", at: "\(device.store)/\(name)/mine.txt")
      }
    },
    Harm(name: "nothing in its place") { device, _ in try removeTree(device.store) },
    Harm(name: "half restored") { device, _ in
      for name in ["lock", "launches", "history.jsonl", "state.json"] { unlink("\(device.store)/\(name)") }
      try removeTree(device.folder(of: 42))
    },
    Harm(name: "launches used up") { device, _ in
      for _ in 0..<2 { device.launchAndDie() }
    },
    Harm(name: "nothing") { _, _ in },
  ]

  /// A device that runs 42, confirmed, may go back to 41, and has 43 staged.
  private func model() async throws -> Device {
    let device = try Device(embedded: nil)
    device.embed(try SampleRelease(30, .init(marked: 30)))
    for version in 41...42 as ClosedRange<Int64> {
      try device.feed.publish(version, .init(marked: version))
      try await device.update()
      device.launchAndConfirm()
    }
    try device.feed.publish(43, .init(marked: 43))
    try await device.update()
    return device
  }

  @Test(
    "B62, B53: explain names the release that activate takes, and what it passes over, and changes nothing")
  func agreement() async throws {
    let model = try await model()
    let seed = UInt64.random(in: 0..<1_000_000)
    for round in 0..<90 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed &+ round)
      let device = try Device(embedded: nil)
      #expect(try run("/bin/cp", ["-a", "\(model.home.path)/.", device.home.path]).status == .exited(0))
      var story: [String] = []
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        guard let harm = Self.harms.randomElement(using: &generator) else { continue }
        story.append(harm.name)
        // A harm may have nothing left to spoil.
        try? harm.apply(device, &generator)
      }
      try OtherUser.own(device.home.path)
      let holder = Bool.random(using: &generator) ? hold("\(device.store)/lock") : -1
      defer { if holder >= 0 { close(holder) } }
      let before = Inventory(device.home.path)
      let told = try OtherUser.probe(device, "explain")
      let what = "seed \(seed &+ round): \(story)\(holder >= 0 ? ", locked" : "")"
      #expect(Inventory(device.home.path) == before, "a question changed the disk, \(what)")
      let done = try OtherUser.probe(device, "launch")
      #expect(told.filter(Self.counts) == done.filter(Self.counts), "\(what): \(told) and \(done)")
      chmod(device.store, 0o700)
    }
  }

  /// The lines that must be the same; notes tell of the launch itself.
  private static func counts(_ line: String) -> Bool { line.hasPrefix("next ") || line.hasPrefix("passed ") }

  /// Holds the lock of a store as another process does; -1 when there is no such file.
  private func hold(_ path: String) -> Int32 {
    let file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    if file >= 0 { flock(file, LOCK_EX | LOCK_NB) }
    return file
  }

  @Test(
    "B62: a staged release that broke is not called staged, and what runs broken is not called up to date",
    arguments: TrustMode.allCases)
  func check(mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    try await device.take(41)
    try await device.take(42)
    let bundle = "\(try device.folder(of: 42))/parsers.bundle.js"
    flipByte(in: bundle)
    #expect(try await device.updater().check() == .available(.number(42), notes: nil))
    #expect(try device.updater().status().next.candidates.first?.version == .number(41))
    #expect(try await device.update() == .staged(.number(42)))
    flipByte(in: bundle)
    #expect(try await device.updater().check() == .available(.number(42), notes: nil))
    #expect(try device.updater().explain().passedOver.map(\.code) == ["not-whole"])
    #expect(try await device.update() == .staged(.number(42)))
    #expect(try await device.updater().check() == .upToDate(.number(42)))
    #expect(device.launchAndConfirm() == 42)
    #expect(try await device.updater().check() == .upToDate(.number(42)))
  }

  @Test("B62: a roll back names the release that the next launch takes, by its bytes")
  func rollback() async throws {
    let device = try Device(embedded: 30)
    try await device.take(41)
    try await device.take(42)
    flipByte(in: "\(try device.folder(of: 41))/sources.json")
    let result = try device.updater().rollback()
    #expect(result.next == .number(30) && result.origin == .embedded)
    #expect(device.launch().version == 30)
  }

  @Test("after a roll back, status tells what a launch from before runs, and what the next one will")
  func afterRollback() async throws {
    let device = try Device(embedded: 30)
    try await device.take(41)
    let launch = device.launch()
    #expect(try device.updater().status().running == [.number(41)])
    _ = try device.updater().rollback()
    var status = try device.updater().status()
    #expect(status.running == [.number(41)] && status.rolledBack?.version == .number(41))
    #expect(status.next.candidates.first?.version == .number(30))
    withExtendedLifetime(launch) {}
    try device.feed.publish(42)
    try await device.update()
    #expect(device.launch().version == 42)
    status = try device.updater().status()
    #expect(status.rolledBack == nil && status.current?.version == .number(42))
  }
}

/// SplitMix64: the same seed gives the same world.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
