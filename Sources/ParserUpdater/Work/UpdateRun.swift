internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// One check or update from beginning to end; whatever fails leaves what runs and what is staged as they were.
struct UpdateRun: Sendable {
  let configuration: UpdaterConfiguration
  let reader: FeedReader
  let now: @Sendable () -> Timestamp
  let progress: @Sendable (UpdateProgress) -> Void

  /// How long a finished download waits for the lock of the store; launches hold it for milliseconds.
  private static let commitWait: Duration = .seconds(10)

  /// Asks the feed and decides, without changing anything.
  func check() async throws(Problem) -> CheckResult {
    let store = try openStore()
    let offer = try await newestManifest(store, metadata: try readOnlyMetadata(of: store))
    let result = try decision(on: offer, in: store, state: try state(of: store)).result(for: offer.manifest)
    if case .available = result, let store { try requireWritable(store, offer.manifest) }
    forgetProblem(in: store)
    return result
  }

  /// Downloads, verifies and stages the newest release, when the decision says so.
  func update() async throws(Problem) -> UpdateResult {
    let store: DeviceStore
    let incoming: Directory
    let turn: FileLock
    let metadata: any TrustedMetadataStore
    do {
      store = try DeviceStore.create(configuration.directory)
      incoming = try store.root.subdirectory(creating: DeviceStore.Name.incoming)
      turn = try incoming.lockSelf(.exclusive)
      metadata = try writableMetadata(of: store)
    } catch let problem as Problem {
      throw problem.keeping(Self.kept)
    } catch let error as StorageError {
      throw Problem(error).keeping(Self.kept)
    } catch {
      throw Problem(.storageFailed, "the store in \(configuration.directory) cannot be used", kept: Self.kept)
    }
    defer { turn.release() }
    // What cannot be known now is said before anything is asked, downloaded or written.
    _ = try state(of: store)
    let offer = try await newestManifest(store, metadata: metadata)
    let decision = try decision(on: offer, in: store, state: try state(of: store))
    guard case .install = decision else {
      try keep(offer, in: store, metadata)
      try note(decision == .versionReused ? nil : offer.manifest, in: store)
      noteRefusal(decision.result(for: offer.manifest), of: offer, in: store)
      collectLeftovers(of: store, offer.manifest, decision)
      do {
        return try unchanged(decision, offer, in: store)
      } catch {
        throw Problem(error).keeping(Self.kept)
      }
    }
    try requireWritable(store, offer.manifest)
    let staging = try Staging(store: store, incoming: incoming, offer: offer, configuration: configuration)
    try await staging.collect(from: reader, progress: progress)
    return try commit(staging, offer, in: store)
  }

  /// The result when there is nothing to install. A release that is called staged outlives a power cut from here on.
  private func unchanged(
    _ decision: OfferDecision, _ offer: VerifiedManifest, in store: DeviceStore
  ) throws(StorageError) -> UpdateResult {
    if decision == .staged { try store.holdState() }
    return .unchanged(decision.result(for: offer.manifest))
  }

  /// What killed runs left goes also when there is nothing to install, which is so for most updates.
  private func collectLeftovers(of store: DeviceStore, _ manifest: Manifest, _ decision: OfferDecision) {
    // An edge that lags is no reason to give up what was downloaded of a newer release.
    var kept = [manifest.bundle.sha256.hex, manifest.sources.sha256.hex]
    switch decision {
    case .older: return
    case .staged, .upToDate: kept = []
    default: break
    }
    GarbageCollection.collectScratch(of: store, keepingPartials: Set(kept))
    GarbageCollection.collectLeftovers(of: store)
  }

  static let kept = "what runs and what is staged are as they were"

  private func openStore() throws(Problem) -> DeviceStore? {
    do {
      return try DeviceStore.openPrivate(configuration.directory)
    } catch {
      throw error.keeping(Self.kept)
    }
  }

  private func newestManifest(
    _ store: DeviceStore?, metadata: any TrustedMetadataStore
  ) async throws(Problem) -> VerifiedManifest {
    progress(.checking)
    let trust = StoredTrust(store, embedded: configuration.embedded)
    let memory = TrustMemory(
      metadata: metadata, moment: try moment(trust, store), knownManifest: trust.manifest)
    do {
      let authority = configuration.trust.authority(memory)
      let verified = try await authority.newestManifest(of: configuration.channel, from: reader)
      forgetStaleness(in: store)
      try reader.requireUsableAddresses(in: verified.manifest)
      return verified
    } catch {
      throw error.keeping(Self.kept)
    }
  }

  func state(of store: DeviceStore?) throws(Problem) -> DeviceState {
    guard let store else { return DeviceState() }
    do {
      return try store.state().state
    } catch {
      throw error.keeping(Self.kept)
    }
  }

  private func decision(
    on offer: VerifiedManifest, in store: DeviceStore?, state: DeviceState
  ) throws(Problem) -> OfferDecision {
    do {
      return try decide(
        on: offer, state: state, embedded: embedded, app: configuration.app, channel: configuration.channel
      ) { (release) throws(Problem) in try store?.isWhole(release) ?? false }
    } catch {
      throw error.keeping(Self.kept)
    }
  }

  private var embedded: ReleaseReference? { configuration.embedded.readableReference }

  /// Says before any download that there would be no place for it.
  private func requireWritable(_ store: DeviceStore, _ manifest: Manifest) throws(Problem) {
    let needed = manifest.bytesToStore
    do {
      let probe = "\(Directory.temporaryPrefix)probe-\(LaunchID.random())"
      _ = try store.root.createFile(probe)
      _ = try store.root.remove(probe)
      let free = try store.root.freeBytes()
      guard free >= needed else {
        throw Problem(
          .diskFull,
          "release \(manifest.version) is there, but \(store.root.path) has \(free) bytes free and \(needed) are needed",
          kept: Self.kept, advice: "free some space and try again")
      }
    } catch let error as StorageError {
      let problem = Problem(error)
      throw Problem(
        problem.code, "release \(manifest.version) is there, but it cannot be stored here: \(error.message)",
        kept: Self.kept, advice: problem.advice)
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem(.storageFailed, "\(store.root.path) cannot be written", kept: Self.kept)
    }
  }

  /// Decides again under the lock, since a launch may have changed the state meanwhile, and makes the release staged.
  private func commit(
    _ staging: Staging, _ offer: VerifiedManifest, in store: DeviceStore
  ) throws(Problem) -> UpdateResult {
    progress(.staging(offer.manifest.version))
    defer { staging.removeScratch() }
    do {
      let lock = try store.lock(wait: Self.commitWait)
      defer { lock.release() }
      let before = try recoverState(of: store)
      let decision = try decision(on: offer, in: store, state: before)
      guard case .install = decision else { return try unchanged(decision, offer, in: store) }
      // Releases without a state are damage, so the first state comes before the first release.
      if case .fresh = store.readState() { try store.writeState(before) }
      GarbageCollection.collectTemporaries(of: store)
      // Also when the state cannot be written: then the release that was moved in is what nothing refers to.
      var states = [before]
      defer { GarbageCollection.collectReleases(of: store, keeping: Self.valid(states, in: store)) }
      try staging.moveIntoPlace()
      let release = ReleaseReference(offer.manifest, digest: offer.digest)
      var after = before
      after.staged = release
      after.accept(offer, channel: configuration.channel, embedded: embedded?.version)
      after.endProblem()
      states = [before, after]
      try store.writeState(after)
      states = [after]
      store.record([HistoryEvent(.staged, release, "from \(reader.location.text)")], after, at: now())
      return .staged(offer.manifest.version)
    } catch {
      throw Staging.problem(error, needed: offer.manifest.bytesToStore, in: store).keeping(Self.kept)
    }
  }

  /// A write that failed may have reached the disk all the same: of two states the one in the file counts.
  private static func valid(_ states: [DeviceState], in store: DeviceStore) -> [DeviceState] {
    guard states.count > 1, case .state(let written) = store.readState() else { return states }
    return [written]
  }

  private func recoverState(of store: DeviceStore) throws -> DeviceState {
    let (state, damage) = try store.state()
    if damage != nil { try store.setDamagedStateAside() }
    return state
  }

  /// Keeps what a manifest says besides its release, such as what is withdrawn; writes only when that is news.
  private func note(_ manifest: Manifest?, in store: DeviceStore) throws(Problem) {
    do {
      try change(store) { state in
        if let manifest { state.heed(manifest, channel: configuration.channel, embedded: embedded?.version) }
        state.endProblem()
      }
    } catch {
      throw error.keeping(Self.kept)
    }
  }

  private func noteRefusal(_ result: CheckResult, of offer: VerifiedManifest, in store: DeviceStore) {
    guard case .notUsable(_, let reason) = result else { return }
    let release = ReleaseReference(offer.manifest, digest: offer.digest)
    noteOnce(HistoryEvent(.refused, release, reason.text), in: store)
  }

  /// Writes an event down unless the last one of its kind says the same.
  private func noteOnce(_ event: HistoryEvent, in store: DeviceStore) {
    guard !HistoryFile(root: store.root).repeats(event) else { return }
    do {
      let lock = try store.lock(wait: Self.commitWait)
      defer { lock.release() }
      store.record([event], try state(of: store), at: now())
    } catch {
      // The caller gets the refusal itself; the same check writes it down the next time.
    }
  }

  /// Changes the state under the lock, when there is something to change.
  func change(
    _ store: DeviceStore, _ body: (inout DeviceState) -> Void
  ) throws(Problem) {
    let before = try state(of: store)
    var after = before
    body(&after)
    guard after != before else { return }
    do {
      let lock = try store.lock(wait: Self.commitWait)
      defer { lock.release() }
      var state = try recoverState(of: store)
      body(&state)
      try store.writeState(state)
    } catch let problem as Problem {
      throw problem
    } catch let error as StorageError {
      throw Problem(error)
    } catch {
      throw Problem(.storageFailed, "the state in \(store.root.path) cannot be written")
    }
  }

  /// A check that went well ends what an earlier one left for `status`.
  private func forgetProblem(in store: DeviceStore?) {
    guard let store, case .state(let state) = store.readState(),
      state.lastProblem != nil || state.stale != nil
    else { return }
    do {
      try change(store) { $0.endProblem() }
    } catch {
      // The check itself went well; `status` tells of the older problem until something can be written.
    }
  }

  /// Remembers a failure for `status`, when there is a store and it can be written.
  func remember(_ problem: Problem) {
    // What is busy or unknown passes, and changes nothing; a host that denies access is a failure of the feed.
    let passing: [ProblemCode] = [.cancelled, .busy, .noPermission, .cannotRead, .notPrivate, .foreignFolder]
    guard !passing.contains(problem.code) else { return }
    do {
      guard let store = try DeviceStore.openPrivate(configuration.directory) else { return }
      let lock = try store.lock(wait: configuration.lockWait)
      defer { lock.release() }
      var state = DeviceState()
      switch store.readState() {
      case .state(let stored): state = stored
      case .fresh: break
      // The next change of the store repairs it first; a problem of the network is no reason to do that.
      case .damaged, .unknown: return
      }
      guard state.record(problem, at: now()) else { return }
      try store.writeState(state)
      let kind = problem.code.responsibility == .untrustedContent ? HistoryEvent.Kind.refused : .failed
      let event = HistoryEvent(kind, nil, "\(problem.code.rawValue): \(problem.message)")
      if !HistoryFile(root: store.root).repeats(event) { store.record([event], state, at: now()) }
    } catch {
      // The caller gets the problem itself; that it could not be written down as well changes nothing.
    }
  }
}

extension DeviceState {
  /// A check went well: nothing is wrong with the feed any more.
  fileprivate mutating func endProblem() {
    lastProblem = nil
    stale = nil
  }

  /// Remembers a failure; `false` when the same staleness was written down already.
  fileprivate mutating func record(_ problem: Problem, at date: Timestamp) -> Bool {
    let message = problem.message.printable(maxCharacters: 500)
    if let since = problem.since {
      let staleness = Staleness(since: since, reason: message)
      if stale == staleness, lastProblem?.message == message { return false }
      stale = staleness
    }
    lastProblem = RecordedProblem(code: problem.code.rawValue, message: message, date: date)
    return true
  }

  /// A release was accepted: it is the new floor of its channel.
  mutating func accept(_ offer: VerifiedManifest, channel: Channel, embedded: ReleaseVersion?) {
    heed(offer.manifest, channel: channel, embedded: embedded)
    seen[channel] = SeenRelease(
      version: offer.manifest.version, manifest: offer.digest, pair: offer.manifest.pair)
  }

  /// A manifest that is not older than the floor says which releases must not run any more.
  mutating func heed(_ manifest: Manifest, channel: Channel, embedded: ReleaseVersion?) {
    if let floor = [seen[channel]?.version, embedded].compactMap(\.self).max(), manifest.version < floor {
      return
    }
    withdrawn = manifest.withdrawn
  }
}
