import Glibc
import OTAFeed
import OTAManifest
import OTATransfer
import ParserUpdater
import Synchronization
import TestSupport
import Testing
import UpdaterTestSupport

/// What a device takes from its feed, and what it does when the feed is not what it should be.
@Suite("Updates")
struct UpdateStories {
  @Test("a first update asks for the manifest and the two files, once each")
  func requests() async throws {
    let device = try Device(embedded: 30)
    let release = try device.feed.publish(31) { $0.notes = "Asura: dates" }
    #expect(try await device.updater().check() == .available(.number(31), notes: "Asura: dates"))
    #expect(tree(device.store) == [], "a check writes nothing")
    #expect(device.feed.takeRequests() == ["manifest.json"])
    #expect(try await device.update() == .staged(.number(31)))
    #expect(device.feed.takeRequests() == ["manifest.json", release.bundlePath, release.sourcesPath])
    #expect(try await device.update() == .unchanged(.staged(.number(31))))
    device.launchAndConfirm()
    #expect(try await device.update() == .unchanged(.upToDate(.number(31))))
    #expect(device.feed.takeRequests() == ["manifest.json", "manifest.json"])
    #expect(device.scratch == [])
  }

  @Test("a file that is on the device is not downloaded again, whichever copy has it")
  func reuse() async throws {
    let device = try Device(embedded: 30)
    let embedded = try SampleRelease(30)
    let first = try device.feed.publish(
      31, .init(bundle: SampleRelease.Content(of: 31).bundle, sources: embedded.sources))
    try await device.update()
    #expect(device.feed.takeRequests() == ["manifest.json", first.bundlePath])
    device.launchAndConfirm()
    let second = try device.feed.publish(
      32, .init(bundle: first.bundle, sources: SampleRelease.Content(of: 32).sources))
    try await device.update()
    #expect(device.feed.takeRequests() == ["manifest.json", second.sourcesPath])
    #expect(device.launchAndConfirm() == 32)
  }

  @Test("a damaged copy of a file is not used for the next release")
  func damagedReuse() async throws {
    let device = try Device(embedded: 30)
    try await device.take(31)
    flipByte(in: "\(try device.folder(of: 31))/parsers.bundle.js")
    let release = try device.feed.publish(
      32, .init(bundle: SampleRelease.Content(of: 31).bundle, sources: SampleRelease.Content(of: 32).sources))
    _ = device.feed.takeRequests()
    #expect(try await device.update() == .staged(.number(32)))
    #expect(device.feed.takeRequests() == ["manifest.json", release.bundlePath, release.sourcesPath])
    #expect(device.launch().release.bundle == release.bundle)
  }

  @Test("a roll back on the feed downloads nothing but its manifest")
  func feedRollback() async throws {
    let device = try Device(embedded: 30)
    try await device.take(41)
    try await device.take(42)
    _ = device.feed.takeRequests()
    try device.feed.publish(43, .init(of: 41)) {
      $0.content = .number(41)
      $0.withdrawn = [.number(42)]
    }
    #expect(try await device.update() == .staged(.number(43)))
    #expect(device.feed.takeRequests() == ["manifest.json"])
    let launch = device.launch()
    #expect(launch.version == 43 && launch.release.bundle == SampleRelease.Content(of: 41).bundle)
    #expect(try device.updater().status().withdrawn == [.number(42)])
  }

  @Test(
    "B03: a new manifest with the old bundle is refused, nothing is kept of it, and the next check works",
    arguments: TrustMode.allCases)
  func mixedEdge(mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    try await device.take(41)
    let before = releases(in: device)
    let release = try device.feed.publish(42)
    device.feed.answer(release.bundlePath, .bytes(SampleRelease.Content(of: 41).bundle))
    let problem = await problem { try await device.update() }
    #expect(problem?.code == .digestMismatch)
    #expect(problem?.advice?.contains("files of another release") == true)
    #expect(problem?.kept == "what runs and what is staged are as they were")
    #expect(device.scratch == [])
    #expect(
      releases(in: device) == before)
    #expect(device.launch().version == 41)
    device.feed.answer(release.bundlePath, nil)
    #expect(try await device.update() == .staged(.number(42)))
    #expect(device.launch().version == 42)
  }

  @Test(
    "B03: a bundle of another size is refused as well and leaves no partial download",
    arguments: [2000, 4000], TrustMode.allCases)
  func mixedEdgeOfAnotherSize(bytes: Int, mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    let release = try device.feed.publish(42)
    device.feed.answer(release.bundlePath, .bytes(Fixtures.bundle(marker: "old", bytes: bytes)))
    let problem = await problem { try await device.update() }
    #expect(problem?.code == .sizeMismatch)
    #expect(device.scratch == [])
    device.feed.answer(release.bundlePath, nil)
    #expect(try await device.update() == .staged(.number(42)))
  }

  @Test("B03: an edge that still serves the manifest of 41 after 42 gives 41 whole")
  func laggingEdge() async throws {
    let device = try Device(embedded: 30)
    let old = try device.feed.publish(41)
    try device.feed.publish(42)
    device.feed.answer("manifest.json", .bytes(old.bytes))
    #expect(try await device.update() == .staged(.number(41)))
    let launch = device.launch()
    #expect(launch.version == 41 && launch.release.bundle == old.bundle)
  }

  @Test(
    "B17: an HTML page in place of any of the three files is soft, and taken anew next time",
    arguments: [0, 1, 2], TrustMode.allCases)
  func html(file: Int, mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    try await device.take(41)
    let release = try device.feed.publish(42)
    let path = [mode.entrance, release.bundlePath, release.sourcesPath][file]
    let page = Array("\n <!DOCTYPE html><html><body>please log in</body></html>".utf8)
    device.feed.answer(path, .bytes(page))
    let problem = await problem { try await device.update() }
    #expect(problem?.code == .htmlInstead && problem?.code.responsibility == .tryLater)
    #expect(problem?.kept != nil && problem?.advice != nil)
    #expect(device.launch().version == 41)
    #expect(try device.updater().status().rejected == [])
    device.feed.answer(path, nil)
    _ = device.feed.takeRequests()
    #expect(try await device.update() == .staged(.number(42)))
    let unfinished = [release.bundlePath, release.sourcesPath]
    let files = device.feed.takeRequests().filter { unfinished.contains($0) }
    #expect(files == Array(unfinished[max(0, file - 1)...]))
  }

  @Test(
    "B17: a page that is longer than the file, without an announced length, is known as a page",
    arguments: TrustMode.allCases)
  func longHTML(mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    let release = try device.feed.publish(42)
    let page = Array("<html>".utf8) + [UInt8](repeating: 0x20, count: 9000)
    device.feed.answer(release.bundlePath, .unannounced(page))
    #expect(await problem { try await device.update() }?.code == .htmlInstead)
    #expect(device.scratch == [])
  }

  @Test(
    "B92: a manifest that is gone or forbidden changes nothing", arguments: [404, 403, 410, 500],
    TrustMode.allCases)
  func gone(status: Int, mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    try await device.take(42)
    let kinds: [Int: TransferError.Kind] = [404: .notFound, 410: .notFound, 403: .forbidden, 500: .server]
    device.feed.answer(mode.entrance, .failure(try #require(kinds[status]), status: status))
    let problem = await problem { try await device.update() }
    let codes: [Int: ProblemCode] = [404: .notFound, 410: .notFound, 403: .forbidden, 500: .serverError]
    #expect(problem?.code == codes[status] && problem?.kept != nil && problem?.advice != nil)
    #expect(device.launch().version == 42)
    #expect(try device.updater().status().rejected == [])
  }

  @Test("B37: an older release is refused, whatever was lost on the device")
  func replay() async throws {
    let device = try Device(embedded: 35)
    let old = try SampleRelease(40)
    try await device.take(41)
    device.feed.publish(old)
    let refusal = UpdateResult.unchanged(.older(.number(40), floor: .number(41)))
    #expect(try await device.update() == refusal)
    #expect(
      try device.updater().explain(manifest: old.bytes).offer == .older(.number(40), floor: .number(41)))
    // The state file is lost: the release on disk is the floor.
    #expect(unlink("\(device.store)/state.json") == 0)
    #expect(try await device.update() == refusal)
    // The staged slot is emptied by hand.
    try device.feed.publish(42)
    try await device.update()
    _ = try? run("/bin/rm", ["-r", try device.folder(of: 42)])
    device.feed.publish(old)
    #expect(try await device.update() == .unchanged(.older(.number(40), floor: .number(42))))
    // The whole store is lost: the copy inside the app is the floor, never 0.
    _ = try? run("/bin/rm", ["-r", device.store])
    try device.feed.publish(34)
    #expect(try await device.update() == .unchanged(.upToDate(.number(35))))
  }

  @Test("B37: the way back on the device does not lower the floor for offers", arguments: TrustMode.allCases)
  func floorAfterRollback(mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    try await device.take(41)
    try await device.take(42)
    #expect(try device.updater().rollback().next == .number(41))
    #expect(device.launch().version == 41)
    try device.feed.publish(41)
    #expect(try await device.update() == .unchanged(.older(.number(41), floor: .number(42))))
    #expect(try device.updater().status().floor == .number(42))
    try device.feed.publish(43)
    #expect(try await device.update() == .staged(.number(43)))
  }

  @Test(
    "a number keeps its bytes: the same number with other files is refused, also what it withdraws",
    arguments: TrustMode.allCases)
  func versionReused(mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    try await device.take(41)
    try await device.take(42)
    try device.feed.publish(42, .init(of: 77)) { $0.withdrawn = [.number(41)] }
    #expect(try await device.update().obstacle == "version-reused")
    let status = try device.updater().status()
    #expect(status.withdrawn == [] && status.lastProblem?.code == "version-reused")
    #expect(device.launch().version == 42)
  }

  @Test(
    "B40: the number of the copy inside the app with other contents is an alarm, and no up to date",
    arguments: TrustMode.allCases)
  func embeddedNumberReused(mode: TrustMode) async throws {
    let device = try Device(embedded: 42, feed: MemoryFeed(mode))
    try device.feed.publish(42, .init(of: 77))
    #expect(try await device.updater().check().obstacle == "version-reused")
    #expect(try await device.update().obstacle == "version-reused")
    #expect(
      try device.updater().explain(manifest: SampleRelease(42, .init(of: 77)).bytes).offer?.obstacle
        == "version-reused")
    let status = try device.updater().status()
    #expect(status.lastProblem?.code == "version-reused")
    #expect(try device.updater().history().filter { $0.kind == .refused }.map(\.version) == [.number(42)])
    #expect(device.launch().version == 42)
    try device.feed.publish(43)
    #expect(try await device.update() == .staged(.number(43)))
    #expect(try device.updater().status().lastProblem == nil)
    #expect(device.launchAndConfirm() == 43)
    let same = try Device(embedded: 42, feed: MemoryFeed(mode))
    try same.feed.publish(42)
    #expect(
      try await same.update() == .unchanged(.upToDate(.number(42))), "the same contents are the same release")
  }

  @Test("the same release with a manifest that was only written anew is no news, staged or running")
  func rewrittenManifest() async throws {
    let device = try Device(embedded: 30)
    try device.feed.publish(41)
    try await device.update()
    try device.feed.publish(41) { $0.notes = "written anew" }
    #expect(try await device.update() == .unchanged(.staged(.number(41))))
    device.launchAndConfirm()
    #expect(try await device.update() == .unchanged(.upToDate(.number(41))))
    #expect(device.launch().release.standing == .confirmed)
  }

  @Test("a refusal is one line of the history, however often the same thing is refused")
  func refusalsInHistory() async throws {
    let device = try Device(embedded: 30)
    try device.feed.publish(31) { $0.contract = 5 }
    for _ in 0..<3 { try await device.update() }
    device.feed.put(Array("{".utf8), at: "manifest.json")
    for _ in 0..<3 { _ = await problem { try await device.update() } }
    device.feed.answer("manifest.json", .failure(.unreachable, status: nil))
    for _ in 0..<3 { _ = await problem { try await device.update() } }
    let history = try device.updater().history()
    #expect(history.map(\.kind) == [.refused, .refused, .failed])
    #expect(history[0].version == .number(31) && history[0].text.hasPrefix("needs an app update"))
    #expect(history[1].text.hasPrefix("manifest-invalid: ") && history[2].text.hasPrefix("unreachable: "))
  }

  @Test("B54: an edge that serves 43, 41 and 43 gives 43 once, without an alarm")
  func alternatingEdge() async throws {
    let device = try Device(embedded: 30)
    let old = try SampleRelease(41)
    let new = try device.feed.publish(43)
    #expect(try await device.update() == .staged(.number(43)))
    device.launchAndConfirm()
    for _ in 0..<10 {
      device.feed.publish(old)
      #expect(try await device.update() == .unchanged(.older(.number(41), floor: .number(43))))
      device.feed.publish(new)
      #expect(try await device.update() == .unchanged(.upToDate(.number(43))))
    }
    #expect(device.launch().version == 43)
    #expect(try device.updater().status().lastProblem == nil)
    #expect(device.feed.takeRequests().filter { $0 == new.bundlePath }.count == 1)
  }

  @Test("a device takes a channel's own manifest and refuses the one of another channel")
  func channels() async throws {
    let device = try Device(embedded: 30)
    device.configuration.channel = try #require(Channel("beta"))
    try device.feed.publish(31)
    let beta = try device.feed.publish(32) { $0.channel = Channel("beta")! }
    #expect(try await device.update() == .staged(.number(32)))
    #expect(device.feed.takeRequests().first == "channels/beta/manifest.json")
    #expect(device.launchAndConfirm() == 32)
    device.configuration.channel = .stable
    #expect(
      try await device.update() == .staged(.number(31)), "what another channel has is not the newest here")
    device.feed.put(beta.bytes, at: "manifest.json")
    let problem = await problem { _ = try await device.updater().check() }
    #expect(problem?.code == .wrongChannel)
  }

  @Test("a release with unknown requirements needs a newer app and is not downloaded")
  func unknownRequirement() async throws {
    let device = try Device(embedded: 30)
    try device.feed.publish(31) { $0.requires = ["brotli"] }
    #expect(try await device.update().obstacle == "needs-newer-client")
    #expect(device.feed.takeRequests() == ["manifest.json"])
  }

  @Test("a withdrawn release stops running at the next launch and is not deleted under a running one")
  func withdrawn() async throws {
    let device = try Device(embedded: 30)
    try await device.take(41)
    try await device.take(42)
    let running = device.launch()
    try device.feed.publish(43) { $0.withdrawn = [.number(42)] }
    try await device.update()
    #expect(running.updater.activate().version == .number(42))
    #expect(device.launch().version == 43)
    #expect(content("\(running.release.folder ?? "")/parsers.bundle.js") == running.release.bundle)
  }

  @Test("progress goes up to the whole of each file and never beyond")
  func progress() async throws {
    let device = try Device(embedded: 30)
    let release = try device.feed.publish(31)
    device.feed.answerOnce(release.bundlePath, .cut(after: 1500))
    let seen = Mutex<[UpdateProgress]>([])
    for _ in 0..<2 { _ = try? await device.updater().update { step in seen.withLock { $0.append(step) } } }
    let steps = seen.withLock { $0 }
    #expect(steps.first == .checking && steps.last == .staging(.number(31)))
    var last: [String: Int64] = [:]
    for case .downloading(let name, let received, let total) in steps {
      #expect(received <= total && received >= last[name, default: 0], "\(name) \(received)/\(total)")
      last[name] = received
    }
    #expect(last == ["parsers.bundle.js": 3000, "sources.json": Int64(release.sources.count)])
  }
}

/// Downloads that end early and go on later.
@Suite("Resumed downloads")
struct ResumeStories {
  private func interrupted(_ device: Device) async throws -> SampleRelease {
    let release = try device.feed.publish(31)
    device.feed.answerOnce(release.bundlePath, .cut(after: 2000))
    #expect(await problem { try await device.update() }?.code == .truncated)
    #expect(device.scratch == ["partial/\(release.manifest.bundle.sha256)"])
    _ = device.feed.takeRequests()
    return release
  }

  private func offsets(_ device: Device, _ release: SampleRelease) -> [Int] {
    device.feed.takeAllRequests().filter { $0.path == release.bundlePath }.map(\.offset)
  }

  @Test("an interrupted download goes on where it ended")
  func rangeHonoured() async throws {
    let device = try Device()
    let release = try await interrupted(device)
    #expect(try await device.update() == .staged(.number(31)))
    #expect(offsets(device, release) == [2000])
    #expect(device.launch().release.bundle == release.bundle)
    #expect(device.scratch == [])
  }

  @Test("a host that sends the whole file instead of the rest is taken at its word")
  func rangeIgnored() async throws {
    let device = try Device()
    let release = try await interrupted(device)
    device.feed.answer(release.bundlePath, .wholeFile)
    #expect(try await device.update() == .staged(.number(31)))
    #expect(offsets(device, release) == [2000])
    #expect(device.launch().release.bundle == release.bundle)
  }

  @Test("a host that refuses the range, or sends another one, is asked once more from the first byte")
  func rangeRefused() async throws {
    for answer in [MemoryFeed.Answer.rangeRefused, .otherRange] {
      let device = try Device()
      let release = try await interrupted(device)
      device.feed.answer(release.bundlePath, answer)
      #expect(try await device.update() == .staged(.number(31)))
      #expect(offsets(device, release) == [2000, 0])
      #expect(device.launch().release.bundle == release.bundle)
    }
  }

  @Test("a partial download with other bytes is noticed by its digest and begun anew, in the same run")
  func spliced() async throws {
    let device = try Device()
    let release = try await interrupted(device)
    flipByte(in: "\(device.store)/partial/\(release.manifest.bundle.sha256)")
    #expect(try await device.update() == .staged(.number(31)))
    #expect(offsets(device, release) == [2000, 0])
    #expect(device.launch().release.bundle == release.bundle)
  }

  @Test("a partial download of any length is no obstacle", arguments: [0, 1, 2999, 3000, 3001, 90_000])
  func oddPartials(bytes: Int) async throws {
    let device = try Device()
    let release = try await interrupted(device)
    let rubbish = [UInt8](repeating: 0x7A, count: bytes)
    plant(rubbish, at: "\(device.store)/partial/\(release.manifest.bundle.sha256)")
    #expect(try await device.update() == .staged(.number(31)))
    #expect(device.launch().release.bundle == release.bundle)
    #expect(device.scratch == [])
  }

  @Test("a bundle that is complete is not fetched again because the catalog failed")
  func finishedParts() async throws {
    let device = try Device()
    let release = try device.feed.publish(31)
    device.feed.answerOnce(release.sourcesPath, .failure(.server, status: 503))
    #expect(await problem { try await device.update() }?.code == .serverError)
    _ = device.feed.takeRequests()
    #expect(try await device.update() == .staged(.number(31)))
    #expect(device.feed.takeRequests() == ["manifest.json", release.sourcesPath])
    #expect(device.scratch == [])
  }

  @Test("partial downloads of a release that is no longer offered are removed")
  func abandoned() async throws {
    let device = try Device()
    _ = try await interrupted(device)
    try device.feed.publish(32)
    #expect(try await device.update() == .staged(.number(32)))
    #expect(device.scratch == [])
  }

  @Test("a cancelled update leaves everything as it was, and the next one goes on")
  func cancelled() async throws {
    let device = try Device()
    try await device.take(41)
    let release = try device.feed.publish(42)
    device.feed.answerOnce(release.bundlePath, .hang(after: 1000))
    let updater = device.updater()
    let task = Task { try await updater.update() }
    let started = ContinuousClock.now
    while content("\(device.store)/partial/\(release.manifest.bundle.sha256)")?.count != 1000 {
      try #require(ContinuousClock.now - started < .seconds(120))
      try await Task.sleep(for: .milliseconds(2))
    }
    task.cancel()
    let problem = await problem { _ = try await task.value }
    #expect(problem?.code == .cancelled && problem?.kept != nil)
    #expect(try device.updater().status().lastProblem == nil)
    #expect(device.launch().version == 41)
    _ = device.feed.takeRequests()
    #expect(try await device.update() == .staged(.number(42)))
    #expect(offsets(device, release) == [1000])
  }
}
