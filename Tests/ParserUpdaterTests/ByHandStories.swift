import Glibc
import OTAManifest
import OTAStorage
import OTATransfer
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// What a person does to a device: roll back, pin, forget.
@Suite("By hand")
struct ByHandStories {
  private func deviceWithTwoReleases() async throws -> Device {
    let device = try Device(embedded: 30)
    try await device.take(41)
    try await device.take(42)
    return device
  }

  private func code(_ body: () throws -> Void) -> ProblemCode? {
    do {
      try body()
      return nil
    } catch { return (error as? Problem)?.code }
  }

  @Test("roll back goes to the release before, then to the copy inside the app, then no further, all offline")
  func rollback() async throws {
    let device = try await deviceWithTwoReleases()
    _ = device.feed.takeRequests()
    let running = device.launch()
    let first = try device.updater().rollback()
    #expect((first.left, first.next, first.origin) == (.number(42), .number(41), .current))
    #expect(running.updater.activate().version == .number(42), "what runs is not touched")
    #expect(device.launch().version == 41)
    let second = try device.updater().rollback()
    #expect((second.left, second.next, second.origin) == (.number(41), .number(30), .embedded))
    #expect(device.launch().version == 30)
    #expect(code { _ = try device.updater().rollback() } == .nothingToRollBackTo)
    #expect(device.feed.takeRequests() == [])
    #expect(try await device.update().obstacle == "rejected")
    #expect(device.launch().version == 30)
  }

  @Test(
    "D3: a word about the copy inside the app is done, by its number, with or without a launch; a wrong number is not"
  )
  func confirmEmbedded() async throws {
    let device = try Device(embedded: 28)
    let launch = device.launch()
    let updater = device.updater()
    #expect(launch.confirm() == .nothingToDo)
    for id in [launch.release.launch, nil] {
      #expect(try updater.confirm(version: .number(28), launch: id) == .nothingToDo)
      #expect(try updater.close(version: .number(28), launch: id) == .nothingToDo)
      #expect(try updater.confirm(launch: id) == .nothingToDo)
      #expect(code { _ = try updater.confirm(version: .number(27), launch: id) } == .noSuchRelease)
    }
    try await device.take(31)
    #expect(try device.updater().confirm(version: .number(31)) == .nothingToDo, "confirmed before")
    #expect(
      try device.updater().confirm(version: .number(28)) == .nothingToDo, "a launch may have had to fall back"
    )
    #expect(code { _ = try device.updater().confirm(version: .number(27)) } == .noSuchRelease)
  }

  @Test("B88: a roll back is one event, and a lost state remembers it as a rejection all the same")
  func rollbackEvent() async throws {
    let device = try await deviceWithTwoReleases()
    let before = try device.updater().history().count
    _ = try device.updater().rollback()
    let added = try device.updater().history().dropFirst(before)
    #expect(added.map(\.kind) == [.rolledBack] && added.first?.version == .number(42))
    plant("{", at: "\(device.store)/state.json")
    _ = device.launch()
    #expect(try device.updater().status().rejected.map(\.version) == [.number(42)])
  }

  @Test("roll back with a staged release goes back, not forward")
  func rollbackWithStaged() async throws {
    let device = try await deviceWithTwoReleases()
    try device.feed.publish(43)
    try await device.update()
    #expect(try device.updater().rollback().next == .number(41))
    #expect(device.launch().version == 41)
    #expect(try device.updater().status().staged == nil)
    #expect(device.stored == [41])
    #expect(try await device.update() == .staged(.number(43)), "the staged one was not at fault")
  }

  @Test("roll back when the release before has the same files goes past it")
  func rollbackToSameContent() async throws {
    let device = try Device(embedded: 30)
    try await device.take(41)
    try await device.take(42)
    try device.feed.publish(43, .init(of: 42))
    try await device.update()
    #expect(device.launchAndConfirm() == 43)
    let result = try device.updater().rollback()
    #expect(result.next == .number(41), "42 is the same pair as 43")
    #expect(device.launch().version == 41)
  }

  @Test("roll back of a release on trial, and with only a staged release, leaves that one")
  func rollbackOfTrial() async throws {
    let device = try Device(embedded: 30)
    try device.feed.publish(31)
    try await device.update()
    #expect(try device.updater().rollback().left == .number(31))
    #expect(device.launch().version == 30)
    try device.feed.publish(32)
    try await device.update()
    device.launchAndDie()
    #expect(try device.updater().rollback().next == .number(30))
    #expect(device.launch().version == 30)
  }

  @Test("roll back names the release that will really run when the one before it is damaged")
  func rollbackPastDamaged() async throws {
    let device = try await deviceWithTwoReleases()
    unlink("\(try device.folder(of: 41))/sources.json")
    let result = try device.updater().rollback()
    #expect(result.next == .number(30) && result.origin == .embedded)
    #expect(device.launch().version == 30)
  }

  @Test("a pinned release survives updates, app upgrades and newer releases until it is unpinned")
  func pin() async throws {
    let device = try await deviceWithTwoReleases()
    #expect(try device.updater().pin(.number(41)) == .number(41))
    #expect(device.launch().release.origin == .pin)
    try device.feed.publish(43)
    #expect(try await device.update() == .unchanged(.pinned(.number(43))))
    #expect(try await device.updater().check() == .pinned(.number(43)))
    device.embed(try SampleRelease(50))
    #expect(device.launch().version == 41)
    #expect(device.stored.contains(41))
    #expect(code { _ = try device.updater().rollback() } == .pinned)
    #expect(try device.updater().status().pinned == .number(41))
    #expect(try device.updater().unpin())
    #expect(try !device.updater().unpin())
    #expect(device.launch().version == 50)
  }

  @Test("without a number the release that runs is pinned, and only what is on the device can be")
  func pinForms() async throws {
    let device = try await deviceWithTwoReleases()
    #expect(try device.updater().pin() == .number(42))
    #expect(try device.updater().pin(.number(30)) == .number(30))
    #expect(device.launch().release.origin == .embedded)
    #expect(code { _ = try device.updater().pin(.number(17)) } == .noSuchRelease)
    #expect(try device.updater().status().pinned == .number(30))
    _ = try device.updater().unpin()
    try device.feed.publish(43)
    try await device.update()
    #expect(code { _ = try device.updater().pin(.number(43)) } == .noSuchRelease, "it was never used")
  }

  @Test("the copy inside the app can be pinned before there is a store")
  func pinOnFreshDevice() async throws {
    let device = try Device(embedded: 30)
    #expect(try device.updater().pin() == .number(30))
    #expect(try device.updater().status().pinned == .number(30))
    try device.feed.publish(31)
    #expect(try await device.update() == .unchanged(.pinned(.number(31))))
  }

  @Test("B62: while a release is pinned, nothing is said to wait for the next launch")
  func pinnedAndStaged() async throws {
    let device = try await deviceWithTwoReleases()
    try device.feed.publish(43)
    try await device.update()
    try device.updater().pin()
    #expect(try await device.updater().check() == .pinned(.number(43)))
    #expect(device.launch().version == 42)
    try device.updater().unpin()
    #expect(try await device.updater().check() == .staged(.number(43)))
    #expect(device.launch().version == 43)
  }

  @Test("a verdict that cannot be written down says so, and can be given again")
  func notRecorded() async throws {
    let device = try Device(embedded: 30)
    device.configuration.lockWait = .milliseconds(20)
    try device.feed.publish(31)
    try await device.update()
    let launch = device.launch()
    let lock = try Directory.open(device.store).lock("lock", .exclusive)
    guard case .notRecorded(let problem) = launch.confirm() else {
      Issue.record("it was recorded")
      return
    }
    #expect(problem.code == .busy && problem.kept == "the state is as it was")
    lock.release()
    #expect(launch.confirm() == .recorded)
  }

  @Test("a check with nothing new writes nothing")
  func nothingNew() async throws {
    let device = try await deviceWithTwoReleases()
    let files = tree(device.store)
    let bytes = files.map { content("\(device.store)/\($0)") }
    #expect(try await device.updater().check() == .upToDate(.number(42)))
    #expect(try await device.update() == .unchanged(.upToDate(.number(42))))
    #expect(tree(device.store) == files && files.map { content("\(device.store)/\($0)") } == bytes)
  }

  @Test("a pinned release that fails gives its pin up")
  func pinnedFails() async throws {
    let device = try await deviceWithTwoReleases()
    try device.updater().pin()
    let launch = device.launch()
    #expect(launch.updater.fail(launch.release, reason: "broken").version == .number(41))
    #expect(try device.updater().status().pinned == nil)
    #expect(device.launch().version == 41)
  }

  @Test("forgetting lets a rejected release be offered again, one or all of them")
  func forget() async throws {
    let device = try await deviceWithTwoReleases()
    _ = try device.updater().rollback()
    _ = try device.updater().rollback()
    #expect(try device.updater().forgetRejected(.number(99)) == [])
    #expect(try device.updater().forgetRejected(.number(42)) == [.number(42)])
    #expect(try await device.update() == .staged(.number(42)))
    #expect(try device.updater().forgetRejected() == [.number(41)])
    #expect(try device.updater().status().rejected == [])
    #expect(device.launchAndConfirm() == 42)
  }

  @Test("status, history and explain write nothing and ask nobody")
  func questions() async throws {
    let device = try await deviceWithTwoReleases()
    try device.feed.publish(43)
    try await device.update()
    _ = device.feed.takeRequests()
    let before = (tree(device.store), content("\(device.store)/state.json"))
    let status = try device.updater().status()
    #expect(status.embedded == .number(30) && status.floor == .number(43) && status.damage == nil)
    #expect(status.current?.version == .number(42) && status.previous?.version == .number(41))
    #expect(status.next.candidates.map(\.version.number) == [43, 42, 41, 30])
    #expect(status.next.candidates.map(\.isOnTrial) == [true, false, false, false])
    let manifest = try SampleRelease(44).bytes
    #expect(try device.updater().explain(manifest: manifest).offer == .available(.number(44), notes: nil))
    #expect(code { _ = try device.updater().explain(manifest: Array("<html>".utf8)) } == .htmlInstead)
    #expect(try device.updater().history().count == 7)
    #expect(tree(device.store) == before.0 && content("\(device.store)/state.json") == before.1)
    #expect(device.feed.takeRequests() == [])
  }

  @Test("B47: each failure has a code, a sentence and what was kept; status keeps it until a success")
  func lastProblem() async throws {
    let device = try Device(embedded: 30)
    device.configuration.heedsPauses = false
    device.feed.answer("manifest.json", .failure(.unreachable, status: nil))
    let first = await problem { try await device.update() }
    #expect(first?.code == .unreachable && first?.kept != nil && first?.message.isEmpty == false)
    let recorded = try device.updater().status().lastProblem
    #expect(recorded?.code == "unreachable" && recorded?.message == first?.message)
    #expect(recorded?.date == device.now)
    device.wait(seconds: 3600)
    device.feed.answer("manifest.json", .failure(.throttled, status: 429))
    _ = await problem { _ = try await device.updater().check() }
    #expect(try device.updater().status().lastProblem?.code == "throttled")
    #expect(try device.updater().status().lastProblem?.date == device.now)
    device.feed.answer("manifest.json", nil)
    try device.feed.publish(29)
    _ = try await device.updater().check()
    #expect(try device.updater().status().lastProblem == nil)
    device.feed.answerOnce("manifest.json", .failure(.server, status: 500))
    _ = await problem { try await device.update() }
    #expect(try device.updater().status().lastProblem?.code == "server-error")
    #expect(try await device.update() == .unchanged(.upToDate(.number(30))))
    #expect(try device.updater().status().lastProblem == nil)
  }
}

/// Folders of releases that live processes use.
@Suite("Releases in use")
struct LeaseStories {
  @Test("a release that a live process uses is not collected, and goes when the process has gone")
  func lease() async throws {
    let device = try Device(embedded: 30)
    try await device.take(41)
    var first: Device.Launch? = device.launch()
    var second: Device.Launch? = device.launch()
    try await device.take(42)
    try await device.take(43)
    #expect(device.stored == [41, 42, 43])
    first = nil
    try await device.take(44)
    #expect(device.stored == [41, 43, 44])
    withExtendedLifetime((first, second)) {}
    second = nil
    try await device.take(45)
    #expect(device.stored == [44, 45])
  }

  @Test("a question about the store does not make a launch pass over a good release")
  func questionsMeanwhile() async throws {
    let device = try Device(embedded: 30)
    try device.feed.publish(42)
    try await device.update()
    _ = device.launch()
    let folder = try Directory.open(try device.folder(of: 42))
    // What a question holds for a moment, held for the whole launch here.
    let held = try folder.lockSelf(.exclusive)
    #expect(device.launch().version == 42)
    held.release()
  }

  @Test("a release that fails stays on disk as long as the process that ran it lives")
  func failed() async throws {
    let device = try Device(embedded: 30)
    try device.feed.publish(42)
    try await device.update()
    let launch = device.launch()
    let failed = launch.release
    _ = launch.updater.fail(failed, reason: "broken")
    #expect(device.stored == [42])
    #expect(content("\(failed.folder ?? "")/sources.json") == failed.sources)
  }
}
