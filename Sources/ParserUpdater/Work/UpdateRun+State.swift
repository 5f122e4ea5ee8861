internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// The newest manifest of a channel, and what is known of its feed.
struct FeedAnswer: Sendable {
  let verified: VerifiedManifest
  /// What verified metadata says of the feed; `nil` when it is not signed.
  let evidence: FeedEvidence?
  /// The moment of the run.
  let moment: TrustMoment

  var manifest: Manifest { verified.manifest }
  var bytes: [UInt8] { verified.bytes }
  var digest: Digest { verified.digest }
  /// The channel that the release belongs to: the wanted one, or one that stands in for it.
  var channel: Channel { verified.manifest.channel }
}

/// What a run reads of the state and writes into it.
extension UpdateRun {
  /// How long a change waits for the lock of the store; launches hold it for milliseconds.
  static let commitWait: Duration = .seconds(10)

  func ownership(_ store: DeviceStore?) -> StoreOwnership {
    StoreOwnership(configuration: configuration, store: store)
  }

  /// The state as this feed and this channel find it; nothing is written.
  func state(of store: DeviceStore?) throws(Problem) -> DeviceState {
    guard let store else { return DeviceState() }
    do {
      return ownership(store).entered(try store.state().state).state
    } catch {
      throw error.keeping(Self.kept)
    }
  }

  /// Changes the state under the lock, when there is something to change or to repair; what the store gives up is in the history.
  func change(
    _ store: DeviceStore, _ body: (inout DeviceState) -> [LeftBehind]
  ) throws(Problem) {
    let found = try StoreTransaction(store)
    let before = ownership(store).entered(found.written).state
    var after = before
    _ = body(&after)
    guard after != before || found.damage != nil else { return }
    do {
      try StoreTransaction.run(on: store, configuration, wait: Self.commitWait, now: now) { state in
        ((), body(&state).map(\.event))
      }
    } catch let problem as Problem {
      throw problem
    } catch let error as StorageError {
      throw Problem(error)
    } catch {
      throw Problem(.storageFailed, "the state in \(store.root.path) cannot be written")
    }
  }

  // MARK: What a verified manifest says

  /// Takes on what a verified manifest and the metadata around it say, apart from the release itself.
  ///
  /// - Returns: what the store has to give up for it.
  @discardableResult
  func hear(_ offer: FeedAnswer, _ state: inout DeviceState) -> [LeftBehind] {
    let left = offer.evidence.map { hear($0, offer.moment, &state) } ?? []
    if offer.verified.newest == nil {
      state.answer(state.wantedChannel(configuration.channel), with: offer.channel)
    }
    // What a rollout offers says nothing that devices outside of it would not hear.
    for manifest in [offer.verified.newest, offer.verified.complete?.manifest ?? offer.manifest].compactMap(
      \.self)
    where !state.reusesNumber(of: manifest, embedded: embedded, channel: offer.channel) {
      state.heed(manifest, channel: offer.channel, embedded: embedded?.version)
    }
    hear(offer.verified.documents, of: offer.channel, &state)
    settle(offer, &state)
    return left
  }

  /// Takes on what stands beside the pointer; what could not be found out changes nothing.
  private func hear(_ documents: ChannelDocuments, of channel: Channel, _ state: inout DeviceState) {
    if case .known(let rollout) = documents.rollout, rollout != nil || state.channel == channel {
      state.select(channel)
      state.heed(rollout)
      if rollout != nil, state.install == nil { state.install = install }
    }
    if case .known(let advisories) = documents.advisories, advisories != nil || state.channel == channel {
      state.select(channel)
      state.heed(advisories)
    }
  }

  /// Takes on what verified metadata says of the feed as a whole.
  private func hear(
    _ evidence: FeedEvidence, _ moment: TrustMoment, _ state: inout DeviceState
  ) -> [LeftBehind] {
    if evidence.isNew, moment.agreedDate(withSigned: evidence.signedAt) != nil {
      state.overruledDate = moment.seenDate
    }
    guard state.startsAnew(in: evidence.epoch) else { return [] }
    return state.enter(evidence.epoch, latestDate: moment.seenDate) {
      evidence.lists($0.version, manifest: $0.manifest)
    }
  }

  /// Writes down whose releases these are, once there is something to write it of.
  func settle(_ offer: FeedAnswer, _ state: inout DeviceState) {
    guard !state.isUnused else { return }
    state.lineage = offer.evidence.map { .signed($0.epoch) } ?? ownership(nil).unsignedLineage
  }

  /// Enters a new epoch without a manifest, where nothing of the older one may go on.
  func enterEpoch(
    _ evidence: FeedEvidence, _ moment: TrustMoment, in store: DeviceStore
  ) throws(Problem) {
    guard try state(of: store).startsAnew(in: evidence.epoch) else { return }
    do {
      try change(store) { hear(evidence, moment, &$0) }
    } catch {
      throw error.keeping(Self.kept)
    }
  }

  /// Makes durable, before anything is downloaded, what a launch must know even when the release cannot be had.
  func hearBeforeDownload(_ offer: FeedAnswer, in store: DeviceStore) throws(Problem) {
    let before = try state(of: store)
    var after = before
    hear(offer, &after)
    guard after.differsForLaunches(from: before) else { return }
    do {
      try change(store) { hear(offer, &$0) }
    } catch {
      throw error.keeping(Self.kept)
    }
  }

  /// Writes down how a run ended that installs nothing; only when that is news.
  ///
  /// - Parameter entersEpoch: whether releases may be given up for a new epoch, which a mere check does not do.
  func conclude(
    _ offer: FeedAnswer, _ decision: OfferDecision, in store: DeviceStore, entersEpoch: Bool
  ) throws(Problem) {
    let result = decision.result(for: offer.manifest)
    try change(store) { state in
      state.endProblem()
      if let problem = alarm(result) { _ = state.record(problem, at: now()) }
      if !entersEpoch, offer.evidence.map({ state.startsAnew(in: $0.epoch) }) ?? false { return [] }
      let left = hear(offer, &state)
      if decision != .versionReused { state.regainFloor(offer.verified, channel: offer.channel) }
      return left
    }
    guard case .notUsable(_, let reason) = result, entersEpoch || reason == .versionReused else { return }
    let release = ReleaseReference(offer.manifest, digest: offer.digest)
    noteOnce(HistoryEvent(.refused, release, reason.text), in: store)
  }

  /// Writes an event down unless the last one of its kind says the same.
  private func noteOnce(_ event: HistoryEvent, in store: DeviceStore) {
    guard !HistoryFile(root: store.root).repeats(event) else { return }
    do {
      try StoreTransaction.run(on: store, configuration, wait: Self.commitWait, now: now) { _ in
        ((), [event])
      }
    } catch {
      // The caller gets the refusal itself; the same check writes it down the next time.
    }
  }

  /// The problem that `status` shows of a number that came back with other contents.
  private func alarm(_ result: CheckResult) -> Problem? {
    guard case .notUsable(let version, .versionReused) = result else { return nil }
    return Problem(.versionReused, "release \(version) \(Ineligibility.versionReused.text)")
  }

  // MARK: Problems

  /// Writes down that an archive was refused; nothing else remembers it, since the feed itself may be well.
  func noteRefusal(_ problem: Problem) {
    guard problem.code.responsibility == .untrustedContent else { return }
    do {
      guard let store = try DeviceStore.openPrivate(configuration.directory) else { return }
      noteOnce(HistoryEvent(.refused, nil, "\(problem.code.rawValue): \(problem.message)"), in: store)
    } catch {
      // The caller gets the refusal itself; a store that cannot be opened keeps no history.
    }
  }

  /// The metadata could be refreshed: the feed is not out of date any more, whatever comes next.
  func forgetStaleness(in store: DeviceStore?) {
    guard let store, case .state(let state) = store.readState(), state.stale != nil else { return }
    do {
      try change(store) {
        $0.stale = nil
        return []
      }
    } catch {
      // The refresh itself went well; `status` tells of the older state until something can be written.
    }
  }

  /// A host that only lags is well: what an earlier run left for `status` goes.
  func forgetProblem() {
    do {
      guard let store = try DeviceStore.openPrivate(configuration.directory) else { return }
      try change(store) {
        $0.endProblem()
        return []
      }
    } catch {
      // Nothing went wrong just now; `status` tells of the older problem until something can be written.
    }
  }

  /// Remembers a failure for `status`, when there is a store and it can be written.
  func remember(_ problem: Problem) {
    // What is busy or unknown passes, and changes nothing; a host that denies access is a failure of the feed.
    let passing: [ProblemCode] = [.cancelled, .busy, .noPermission, .cannotRead, .notPrivate, .foreignFolder]
    guard !passing.contains(problem.code) else { return }
    do {
      guard let store = try DeviceStore.openPrivate(configuration.directory) else { return }
      switch store.readState() {
      case .state, .fresh: break
      // The next change of the store repairs it first; a problem of the network is no reason to do that.
      case .damaged, .unknown: return
      }
      try StoreTransaction.run(on: store, configuration, wait: configuration.lockWait, now: now) { state in
        guard state.record(problem, at: now()) else { return ((), []) }
        let kind = problem.code.responsibility == .untrustedContent ? HistoryEvent.Kind.refused : .failed
        let event = HistoryEvent(kind, nil, "\(problem.code.rawValue): \(problem.message)")
        return ((), HistoryFile(root: store.root).repeats(event) ? [] : [event])
      }
    } catch {
      // The caller gets the problem itself; that it could not be written down as well changes nothing.
    }
  }
}

extension DeviceState {
  /// A check went well: nothing is wrong with the feed any more.
  mutating func endProblem() {
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
}
