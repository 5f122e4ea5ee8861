import Glibc
import OTAFeed
import OTAManifest
import OTAStorage
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// Real processes: killed, hung, and several at once.
@Suite("Processes")
struct ProcessTests {
  private func start(_ device: Device, _ verb: String, _ feed: String? = nil, _ rounds: Int = 1) throws
    -> ChildProcess
  {
    try ChildProcess(
      BuiltProducts.path(of: "activate-probe"),
      [verb, device.store, device.home.path("app"), feed ?? device.home.path("feed"), "\(rounds)"])
  }

  @Test("B11: a bundle that hangs is left at the third launch, although every process was killed")
  func hang() async throws {
    let device = try Device(embedded: 30)
    try await device.take(41)
    try device.feed.publish(42)
    try await device.update()
    for number in 1...2 {
      let process = try start(device, "hang")
      #expect(try process.readLine() == "runs 42 \(number == 1 ? "staged" : "current") on-trial")
      // The launch was recorded before the process had the bundle.
      #expect(try device.updater().status().unconfirmedLaunches == number)
      process.signal(SIGKILL)
      #expect(process.wait() == .signalled(SIGKILL))
    }
    let process = try start(device, "activate")
    #expect(try process.readLine() == "runs 41 current confirmed")
    #expect(process.wait() == .exited(0))
    #expect(try device.updater().status().rejected.map(\.version) == [.number(42)])
    #expect(try await device.update().obstacle == "rejected")
  }

  @Test("a trial in another live process does not count, and counts as soon as that process is dead")
  func liveTrial() async throws {
    let device = try Device(embedded: 30)
    device.configuration.unconfirmedLaunchLimit = 1
    try device.feed.publish(42)
    try await device.update()
    let process = try start(device, "hang")
    #expect(try process.readLine() == "runs 42 staged on-trial")
    #expect(device.launch().version == 42)
    process.signal(SIGKILL)
    #expect(process.wait() == .signalled(SIGKILL))
    #expect(device.launch().version == 30)
  }

  @Test(
    "B12: a trial that several live processes share condemns nothing; each that dies unconfirmed counts once")
  func sharedTrial() async throws {
    let device = try Device(embedded: 30)
    try await device.take(41)
    try device.feed.publish(42)
    try await device.update()
    // An app and its widgets, all of them launched while no one has confirmed yet.
    let processes = try (0..<5).map { _ in try start(device, "hang") }
    for process in processes { #expect(try process.readLine()?.hasPrefix("runs 42 ") == true) }
    let explained = try device.updater().status()
    #expect(explained.unconfirmedLaunches == 5 && explained.rejected.isEmpty)
    #expect(explained.next.candidates.first?.version == .number(42))
    processes[0].signal(SIGKILL)
    _ = processes[0].wait()
    let sixth = try start(device, "hang")
    #expect(try sixth.readLine() == "runs 42 current on-trial", "one of six ended, and five go on")
    processes[1].signal(SIGKILL)
    _ = processes[1].wait()
    #expect(try device.updater().status().next.candidates.first?.version == .number(41))
    #expect(device.launch().version == 41, "two ended without a word")
    #expect(
      try device.updater().status().rejected.map(\.reason) == [
        "2 launches in a row ended without confirmation"
      ])
    for process in processes[2...] + [sixth] {
      process.signal(SIGKILL)
      _ = process.wait()
    }
  }

  @Test("B12: one of several live processes confirms, and none of the others counts whatever becomes of it")
  func sharedConfirmation() async throws {
    let device = try Device(embedded: 30)
    device.configuration.unconfirmedLaunchLimit = 1
    try device.feed.publish(42)
    try await device.update()
    let processes = try (0..<3).map { _ in try start(device, "hang") }
    for process in processes { #expect(try process.readLine()?.hasPrefix("runs 42 ") == true) }
    #expect(device.launch().confirm() == .recorded)
    for process in processes {
      process.signal(SIGKILL)
      _ = process.wait()
    }
    let launch = device.launch()
    #expect(launch.version == 42 && launch.release.standing == .confirmed)
  }

  @Test("B92: an app and its widget: two processes that run different releases each keep their files")
  func appAndWidget() async throws {
    let device = try Device(embedded: 30)
    try await device.take(41)
    let widget = try start(device, "hang")
    #expect(try widget.readLine() == "runs 41 current confirmed")
    try await device.take(42)
    let app = try start(device, "hang")
    #expect(try app.readLine() == "runs 42 current confirmed")
    // 42 and 41 leave every slot of the state, and stay on the disk as long as somebody runs them.
    for version in 43...45 as ClosedRange<Int64> { try await device.take(version) }
    #expect(device.stored == [41, 42, 44, 45])
    widget.signal(SIGKILL)
    _ = widget.wait()
    try await device.take(46)
    #expect(device.stored == [42, 45, 46])
    #expect(content("\(try device.folder(of: 42))/parsers.bundle.js") == SampleRelease.Content(of: 42).bundle)
    app.signal(SIGKILL)
    _ = app.wait()
    try await device.take(47)
    #expect(device.stored == [46, 47])
  }

  @Test("a folder, pipe or link in place of the leases of launches is named, and launches and trials go on")
  func oddLeases() async throws {
    for form in 5...7 {
      let device = try Device(embedded: 30)
      try await device.take(41)
      DamagedStoreTests.harms[form].1("\(device.store)/launches")
      try device.feed.publish(42)
      #expect(try await device.update() == .staged(.number(42)))
      for _ in 1...2 {
        let launch = device.launch()
        #expect(launch.version == 42 && launch.release.notes.map(\.code) == [.wrongKind])
        #expect(launch.release.notes.first?.message.contains("\(device.store)/launches") == true)
      }
      #expect(device.launch().version == 41, "without leases every launch counts")
    }
  }

  @Test("B49: a lock that a killed process left is free at once")
  func staleLock() async throws {
    let device = try Device(embedded: 30)
    try await device.take(41)
    for text in ["", "99999999\n", "\(getpid())\n"] {
      plant(text, at: "\(device.store)/lock")
      let launch = device.launch()
      #expect(launch.version == 41 && launch.release.notes == [], "a lock that is not free is a note")
    }
  }

  @Test("B49: a lock that a live process holds delays a launch by the set time only, and no trial begins")
  func heldLock() async throws {
    let device = try Device(embedded: 30)
    device.configuration.lockWait = .milliseconds(50)
    try await device.take(41)
    try device.feed.publish(42)
    try await device.update()
    let lock = try Directory.open(device.store).lock("lock", .exclusive)
    let started = ContinuousClock.now
    let launch = device.launch()
    #expect(ContinuousClock.now - started < .seconds(30), "bounded, on a busy machine too")
    #expect(launch.version == 41 && launch.release.standing == .confirmed)
    #expect(launch.release.notes.map(\.code) == [.busy])
    #expect(launch.release.passedOver.map(\.code) == ["cannot-record-launch"])
    lock.release()
    #expect(device.launch().version == 42)
  }

  @Test("B49: a folder or a pipe in place of the lock is named; launches go on, updates say so")
  func oddLock() async throws {
    for form in 5...6 {
      let device = try Device(embedded: 30)
      try await device.take(41)
      DamagedStoreTests.harms[form].1("\(device.store)/lock")
      let launch = device.launch()
      #expect(launch.version == 41 && launch.release.notes.map(\.code) == [.wrongKind])
      #expect(launch.release.notes.first?.message.contains("\(device.store)/lock") == true)
      try device.feed.publish(42)
      #expect(await problem { try await device.update() }?.code == .wrongKind)
      #expect(device.launch().version == 41)
      #expect(device.stored == [41] && device.scratch == [])
    }
  }

  @Test("B42: two processes update one store fifty times each: exactly one stages, nothing is left over")
  func twoProcesses() async throws {
    let device = try Device(embedded: 30)
    let feed = device.home.path("feed")
    try device.feed.publish(41)
    device.feed.write(to: feed)
    let processes = try (0..<2).map { _ in try start(device, "update", feed, 50) }
    var lines: [String] = []
    for process in processes {
      let result = try process.communicate([], within: .seconds(120))
      #expect(result.status == .exited(0) && result.errors == "")
      lines += result.output.split(separator: "\n").map(String.init)
    }
    #expect(lines.count == 100)
    #expect(lines.filter { $0 == "staged 41" }.count == 1)
    let others = lines.filter { $0 != "staged 41" }
    #expect(others.allSatisfy { $0.hasPrefix("busy: ") || $0.hasPrefix("unchanged staged") }, "\(others)")
    #expect(device.scratch == [] && device.stored == [41])
    #expect(try device.updater().status().lastProblem == nil)
    #expect(device.launch().version == 41)
  }

  @Test("B42: many releases, two processes and launches in between: each launch runs a whole release")
  func churn() async throws {
    let device = try Device(embedded: 30)
    let feed = device.home.path("feed")
    try device.feed.publish(31)
    device.feed.write(to: feed)
    let processes = try (0..<2).map { _ in try start(device, "update", feed, 200) }
    for version in 32...45 as ClosedRange<Int64> {
      let release = try SampleRelease(version)
      plant(release.bundle, at: "\(feed)/\(release.bundlePath)")
      plant(release.sources, at: "\(feed)/\(release.sourcesPath)")
      plant(release.bytes, at: "\(feed)/manifest.new")
      #expect(rename("\(feed)/manifest.new", "\(feed)/manifest.json") == 0)
      let launch = device.launch()
      #expect(launch.release.bundle == SampleRelease.Content(of: launch.version).bundle)
      #expect(launch.release.sources == SampleRelease.Content(of: launch.version).sources)
      launch.confirm()
    }
    for process in processes {
      let result = try process.communicate([], within: .seconds(120))
      let lines = result.output.split(separator: "\n")
      #expect(
        lines.allSatisfy { $0.hasPrefix("busy: ") || $0.hasPrefix("unchanged") || $0.hasPrefix("staged") })
    }
    #expect(device.scratch == [])
    #expect(device.launch().version == 45)
  }

  @Test("B42: two tasks of one process: one stages, the other is told that the store is busy")
  func twoTasks() async throws {
    let device = try Device(embedded: 30)
    try device.feed.publish(41)
    let updater = device.updater()
    let second = device.updater()
    // The second update runs from its beginning to its end while the first one waits for its manifest.
    let outcome = Outcome()
    device.feed.whenRequested("manifest.json") {
      await outcome.set(await problem { _ = try await second.update() })
    }
    #expect(try await updater.update() == .staged(.number(41)))
    #expect(await outcome.problem?.code == .busy)
    #expect(await outcome.problem?.advice != nil)
  }

  private actor Outcome {
    var problem: Problem?
    func set(_ problem: Problem?) { self.problem = problem }
  }

  @Test(
    "B02: killed before any of its calls, an update leaves the whole old or the whole new release",
    .enabled(if: Machine.traces, "needs strace"),
    arguments: ["write", "fsync", "renameat", "mkdirat", "unlinkat", "flock"], 1...6)
  func killedAtCall(call: String, ordinal: Int) async throws {
    let device = try Device(embedded: 30)
    let feed = device.home.path("feed")
    try await device.take(41)
    try device.feed.publish(42)
    device.feed.write(to: feed)
    let fault = "inject=\(call):signal=KILL:when=\(ordinal)"
    let command = ["-f", "-qq", "-o", "/dev/null", "-e", fault, try BuiltProducts.path(of: "activate-probe")]
    _ = try run("/usr/bin/strace", command + ["update", device.store, device.home.path("app"), feed])
    let launch = device.launch()
    #expect([41, 42].contains(launch.version), "\(launch.release.notes)")
    #expect(launch.release.bundle == SampleRelease.Content(of: launch.version).bundle)
    #expect(launch.release.sources == SampleRelease.Content(of: launch.version).sources)
    launch.confirm()
    try await device.take(43)
    #expect(device.launch().version == 43)
    #expect(device.scratch == [])
    #expect(device.stored.count == 2)
  }

  @Test("B02: a kill at any moment of updates leaves a store that launches a whole release")
  func killedUpdates() async throws {
    let device = try Device(embedded: 30)
    let feed = device.home.path("feed")
    let bundle = Fixtures.bundle(marker: "big", bytes: 300_000)
    for round in 0..<25 as Range<Int64> {
      let version = 31 + round
      let release = try device.feed.publish(
        version,
        .init(
          bundle: bundle + Array("// \(version)".utf8), sources: SampleRelease.Content(of: version).sources))
      device.feed.write(to: feed)
      let process = try start(device, "update", feed)
      // A different moment of the update each time, from its very start to well after its end.
      _ = poll(nil, 0, Int32(round * 2))
      process.signal(SIGKILL)
      _ = process.wait()
      let launch = device.launch()
      let marker = launch.version == 30 ? "b30" : "big"
      #expect(String(decoding: launch.release.bundle.prefix(60), as: UTF8.self).contains("\"\(marker)\""))
      #expect(launch.release.sources == SampleRelease.Content(of: launch.version).sources)
      #expect(launch.version == version || launch.version < version)
      launch.confirm()
      _ = release
    }
    _ = try start(device, "update", feed).communicate([], within: .seconds(30))
    #expect(device.launch().version == 55)
    #expect(device.scratch == [])
  }
}
