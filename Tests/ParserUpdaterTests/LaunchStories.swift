import OTAFeed
import Glibc
import OTAManifest
import OTAStorage
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// What a device runs, launch after launch.
@Suite("Launches")
struct LaunchStories {
  @Test("B46: a first launch needs no store, no network and no feed")
  func firstLaunch() throws {
    let device = try Device(embedded: 30)
    let launch = device.launch()
    #expect(launch.version == 30)
    #expect(launch.release.origin == .embedded && launch.release.standing == .confirmed)
    #expect(device.feed.takeRequests() == [])
    #expect(tree(device.store) == [])
    #expect(launch.release.notes == [])
  }

  @Test("a release goes from staged over trial to confirmed, one launch each")
  func usualWay() async throws {
    let device = try Device(embedded: 30)
    let release = try device.feed.publish(31)
    #expect(try await device.update() == .staged(.number(31)))
    let trial = device.launch()
    #expect(trial.version == 31)
    #expect(trial.release.origin == .staged && trial.release.standing == .onTrial)
    #expect(trial.release.bundle == release.bundle && trial.release.sources == release.sources)
    #expect(trial.confirm() == .recorded)
    #expect(trial.confirm() == .nothingToDo)
    let next = device.launch()
    #expect(next.release.origin == .current && next.release.standing == .confirmed)
    #expect(try device.updater().history().map(\.kind) == [.staged, .launched, .confirmed])
  }

  @Test("an update while the app runs changes nothing that runs, also on a second activate")
  func frozen() async throws {
    let device = try Device(embedded: 30)
    try await device.take(31)
    let launch = device.launch()
    let before = launch.release
    try device.feed.publish(32)
    #expect(try await launch.updater.update() == .staged(.number(32)))
    let again = launch.updater.activate()
    #expect(again.version == .number(31) && again.bundle == before.bundle && again.launch == before.launch)
    #expect(device.launch().version == 32)
  }

  @Test("B04: an app upgrade wins over an older download, and later releases are taken as usual")
  func embeddedWins() async throws {
    let device = try Device(embedded: 30)
    try await device.take(40)
    device.embed(try SampleRelease(45))
    let upgraded = device.launch()
    #expect(upgraded.version == 45 && upgraded.release.origin == .embedded)
    #expect(upgraded.release.passedOver.map(\.code) == ["embedded-not-older"])
    #expect(device.stored == [])
    try device.feed.publish(44)
    #expect(try await device.update() == .unchanged(.upToDate(.number(45))))
    #expect(device.launch().version == 45)
    try device.feed.publish(46)
    #expect(try await device.update() == .staged(.number(46)))
    #expect(device.launch().version == 46)
  }

  @Test("B04: the same number with other bytes: the copy inside the app wins, and the difference is told")
  func sameNumberOtherBytes() async throws {
    let device = try Device(embedded: 30)
    try await device.take(40)
    device.embed(try SampleRelease(40, .init(of: 99)))
    let launch = device.launch()
    #expect(launch.release.origin == .embedded)
    #expect(launch.release.bundle == SampleRelease.Content(of: 99).bundle)
    #expect(launch.release.passedOver.map(\.code) == ["embedded-has-other-bytes"])
  }

  @Test("B10: the running release cannot vouch for the staged one")
  func confirmationOfTheOther() async throws {
    let device = try Device(embedded: 30)
    try await device.take(41)
    let running = device.launch()
    try device.feed.publish(42)
    _ = try await running.updater.update()
    #expect(running.confirm() == .nothingToDo)
    #expect(try device.updater().status().staged?.version == .number(42))
    let trial = device.launch()
    #expect(trial.version == 42 && trial.release.standing == .onTrial)
    let late = running.confirm()
    #expect(late == .nothingToDo)
    #expect(try device.updater().status().unconfirmedLaunches == 1)
  }

  @Test("B10: a confirmation of another launch of the same release is ignored and written down")
  func confirmationOfAnotherLaunch() async throws {
    let device = try Device(embedded: 30)
    try device.feed.publish(42)
    try await device.update()
    let first = device.launch()
    let second = device.launch()
    #expect(second.release.standing == .onTrial)
    #expect(second.updater.close(second.release) == .recorded)
    #expect(second.confirm().isIgnored)
    #expect(try device.updater().history().last?.kind == .ignored)
    #expect(first.confirm() == .recorded)
    #expect(try device.updater().status().unconfirmedLaunches == nil)
  }

  @Test("B10: the embedded copy cannot vouch for the first download")
  func embeddedConfirms() async throws {
    let device = try Device(embedded: 30)
    let old = device.launch()
    try device.feed.publish(31)
    _ = try await old.updater.update()
    #expect(old.confirm() == .nothingToDo)
    device.launchAndDie()
    #expect(old.confirm() == .nothingToDo)
    #expect(try device.updater().status().unconfirmedLaunches == 1)
  }

  @Test("B12: one launch that dies early does not condemn a release; two in a row do")
  func earlyDeath() async throws {
    let device = try Device(embedded: 30)
    try await device.take(41)
    try device.feed.publish(42)
    try await device.update()
    #expect(device.launchAndDie() == 42)
    #expect(device.launchAndConfirm() == 42)
    #expect(device.launch().release.standing == .confirmed)
    try device.feed.publish(43)
    try await device.update()
    #expect(device.launchAndDie() == 43)
    #expect(device.launchAndDie() == 43)
    let back = device.launch()
    #expect(back.version == 42 && back.release.standing == .confirmed)
    #expect(back.release.passedOver.map(\.code) == ["rejected"])
    #expect(try await device.update() == .unchanged(.notUsable(.number(43), rejectedTwice)))
    #expect(device.stored == [42])
  }

  private var rejectedTwice: Ineligibility {
    .rejected(reason: "2 launches in a row ended without confirmation")
  }

  @Test("B12: a clean shutdown before confirmation uses up no try")
  func cleanShutdown() async throws {
    let device = try Device(embedded: 30)
    try device.feed.publish(42)
    try await device.update()
    for _ in 0..<6 {
      let launch = device.launch()
      #expect(launch.version == 42)
      #expect(launch.updater.close(launch.release) == .recorded)
    }
    #expect(device.launchAndDie() == 42)
    #expect(device.launchAndDie() == 42)
    #expect(device.launchAndDie() == 30)
  }

  @Test("B12: the number of tries can be set, and is at least one", arguments: [-1, 0, 1, 3])
  func tries(limit: Int) async throws {
    let device = try Device(embedded: 30)
    device.configuration.unconfirmedLaunchLimit = limit
    try device.feed.publish(42)
    try await device.update()
    for _ in 0..<max(1, limit) { #expect(device.launchAndDie() == 42) }
    #expect(device.launchAndDie() == 30)
  }

  @Test("B13: the first download that never confirms gives way to the embedded copy, without a loop")
  func firstUpdateFails() async throws {
    let device = try Device(embedded: 30)
    try device.feed.publish(31)
    try await device.update()
    device.launchAndDie()
    device.launchAndDie()
    let back = device.launch()
    #expect(back.version == 30 && back.release.origin == .embedded)
    #expect(device.stored == [])
    let status = try device.updater().status()
    #expect(status.current == nil && status.rejected.map(\.version) == [.number(31)])
    #expect(try await device.update().obstacle == "rejected")
    #expect(device.launchAndDie() == 30)
    #expect(try device.updater().status().next.candidates.map(\.origin) == [.embedded])
  }

  @Test("B13: a feed that withdraws everything sends the device back to the embedded copy")
  func withdrawnToEmbedded() async throws {
    let device = try Device(embedded: 30)
    try await device.take(31)
    try await device.take(32)
    try device.feed.publish(33) {
      $0.withdrawn = [.number(31), .number(32)]
      $0.requires = ["an-app-of-next-year"]
    }
    #expect(try await device.update().obstacle == "needs-newer-client")
    let back = device.launch()
    #expect(back.version == 30 && back.release.origin == .embedded)
    #expect(Set(back.release.passedOver.map(\.code)) == ["withdrawn"])
    #expect(device.stored == [])
  }

  @Test("a trial that another live process is in the middle of does not count")
  func liveTrial() async throws {
    let device = try Device(embedded: 30)
    device.configuration.unconfirmedLaunchLimit = 1
    try device.feed.publish(42)
    try await device.update()
    let live = device.launch()
    let other = device.launch()
    #expect(other.version == 42 && other.release.standing == .onTrial)
    withExtendedLifetime(live) {}
  }

  @Test("fail returns the next candidate in the same launch, and the release never comes back")
  func failOnTrial() async throws {
    let device = try Device(embedded: 30)
    try await device.take(41)
    try device.feed.publish(42)
    try await device.update()
    let launch = device.launch()
    let next = launch.updater.fail(launch.release, reason: "getParser is not a function")
    #expect(next.version == .number(41) && next.standing == .confirmed)
    #expect(next.launch == launch.release.launch)
    #expect(launch.updater.activate().version == .number(41))
    #expect(device.launch().version == 41)
    let rejected = try device.updater().status().rejected
    #expect(rejected.map(\.reason) == ["getParser is not a function"])
    #expect(try await device.update().obstacle == "rejected")
  }

  @Test("fail works for confirmed releases too, down to the embedded copy, which cannot fail")
  func failConfirmed() async throws {
    let device = try Device(embedded: 30)
    try await device.take(41)
    try await device.take(42)
    let launch = device.launch()
    let second = launch.updater.fail(launch.release, reason: "a")
    #expect(second.version == .number(41))
    let third = launch.updater.fail(second, reason: "b")
    #expect(third.version == .number(30) && third.origin == .embedded)
    #expect(launch.updater.fail(third, reason: "c").version == .number(30))
    #expect(try device.updater().status().rejected.map(\.version) == [.number(42), .number(41)])
  }

  @Test("a failure report of something that does not run changes nothing, and starts nothing staged")
  func failOfAnother() async throws {
    let device = try Device(embedded: 30)
    try await device.take(41)
    let launch = device.launch()
    try await device.take(42)
    try device.feed.publish(43)
    try await device.update()
    let other = device.launch()
    #expect(other.version == 43)
    // 41 is two releases back by now: its process may still run it, but nothing else on the device does.
    #expect(launch.updater.fail(launch.release, reason: "late").version == .number(41))
    #expect(try device.updater().history().last?.kind == .ignored)
    #expect(device.launch().version == 43)
    #expect(other.updater.fail(launch.release, reason: "not mine").version == .number(41))
    #expect(other.updater.activate().version == .number(43))
  }

  @Test("two processes run a release that fails: the second report finds the next candidate as well")
  func failTwice() async throws {
    let device = try Device(embedded: 30)
    try await device.take(41)
    try device.feed.publish(42)
    try await device.update()
    let (first, second) = (device.launch(), device.launch())
    #expect(second.version == 42)
    #expect(first.updater.fail(first.release, reason: "broken").version == .number(41))
    #expect(second.updater.fail(second.release, reason: "broken").version == .number(41))
  }

  @Test("fail finds the next candidate also when nothing can be written down just now")
  func failWithoutRecord() async throws {
    let device = try Device(embedded: 30)
    device.configuration.lockWait = .milliseconds(20)
    try await device.take(41)
    try device.feed.publish(42)
    try await device.update()
    let launch = device.launch()
    let lock = try Directory.open(device.store).lock("lock", .exclusive)
    let next = launch.updater.fail(launch.release, reason: "broken")
    #expect(next.version == .number(41) && next.notes.map(\.code) == [.busy])
    let last = launch.updater.fail(next, reason: "broken too")
    #expect(last.version == .number(30) && last.standing == .confirmed)
    lock.release()
    #expect(device.launch().version == 42, "nothing of it is known to the next launch")
  }

  @Test("an app may hold its copy as bytes, and updates take files from it")
  func embeddedBytes() async throws {
    let device = try Device(embedded: nil)
    let copy = try SampleRelease(30)
    device.configuration.embedded = .contents(
      manifest: copy.bytes, bundle: copy.bundle, sources: copy.sources)
    let launch = device.launch()
    #expect(launch.version == 30 && launch.release.bundle == copy.bundle && launch.release.folder == nil)
    let release = try device.feed.publish(
      31, .init(bundle: copy.bundle, sources: SampleRelease.Content(of: 31).sources))
    #expect(try await device.update() == .staged(.number(31)))
    #expect(device.feed.takeRequests() == ["manifest.json", release.sourcesPath])
    #expect(device.launch().version == 31)
    device.configuration.embedded = .contents(
      manifest: copy.bytes, bundle: release.sources, sources: copy.sources)
    let fresh = Updater(device.configuration).activate()
    #expect(fresh.version == .number(31))
    device.configuration.directory = device.home.path("other")
    #expect(Updater(device.configuration).activate().standing == .unusable)
  }

  @Test("B78: a release for a newer app is not downloaded, and the device says why")
  func needsNewerApp() async throws {
    let device = try Device(embedded: 30)
    device.configuration.app = AppCapabilities(version: AppVersion("2.0"), contracts: [4])
    try device.feed.publish(31) { $0.contract = 5 }
    let result = try await device.updater().check()
    #expect(result == .notUsable(.number(31), .contract(needed: 5, implemented: [4])))
    #expect(Ineligibility.contract(needed: 5, implemented: [4]).text.hasPrefix("needs an app update"))
    #expect(device.feed.takeRequests() == ["manifest.json"])
    try device.feed.publish(32) { $0.minimumAppVersion = AppVersion("2.0.1") }
    #expect(try await device.update().obstacle == "needs-newer-app")
    #expect(device.feed.takeRequests() == ["manifest.json"])
    try device.feed.publish(33) {
      $0.contract = 4
      $0.minimumAppVersion = AppVersion("2")
    }
    #expect(try await device.update() == .staged(.number(33)))
  }

  @Test("B62, B78: what is staged and may not run is named by check, never called up to date")
  func stagedButNotUsable() async throws {
    let device = try Device(embedded: 30)
    device.configuration.app.contracts = [5]
    try device.feed.publish(42) { $0.contract = 5 }
    try await device.update()
    device.configuration.app.contracts = [4]
    #expect(try await device.updater().check().obstacle == "needs-other-contract")
    #expect(device.launch().version == 30)
    #expect(try device.updater().status().staged?.obstacle?.code == "needs-other-contract")
    device.configuration.app.contracts = [4, 5]
    #expect(device.launch().version == 42)
  }

  @Test("B62: what is staged but lost a file is offered again, and repaired")
  func stagedButIncomplete() async throws {
    let device = try Device(embedded: 30)
    try device.feed.publish(42)
    try await device.update()
    #expect(try await device.updater().check() == .staged(.number(42)))
    try #require(unlink("\(try device.folder(of: 42))/sources.json") == 0)
    #expect(try await device.updater().check() == .available(.number(42), notes: nil))
    _ = device.feed.takeRequests()
    #expect(try await device.update() == .staged(.number(42)))
    #expect(device.feed.takeRequests().filter { $0.hasSuffix(".js") } == [], "the bundle was here")
    #expect(device.launch().version == 42)
  }
}
