internal import OTAFeed
internal import OTAManifest
internal import OTAStorage
internal import Synchronization

/// One check or update from beginning to end; whatever fails leaves what runs and what is staged as they were.
struct UpdateRun: Sendable {
  let configuration: UpdaterConfiguration
  let reader: FeedReader
  let now: @Sendable () -> Timestamp
  let progress: @Sendable (UpdateProgress) -> Void
  /// Whether a person asked for an update now, who does not wait for a share.
  var isAskedNow = false
  /// The name that the device gets when a rollout asks for one and it has none.
  let install = InstallID.random()

  /// Asks the feed and decides; keeps nothing but what the manifest withdraws and whether all is well.
  func check() async throws(Problem) -> CheckResult {
    let store = try openStore()
    let offer = try await newestOffer(store, metadata: try readOnlyMetadata(of: store))
    var heard = try state(of: store)
    hear(offer, &heard)
    let decision = try decision(on: offer, in: store, state: heard)
    if case .install = decision, let store { try requireWritable(store, offer.manifest) }
    if let store {
      do {
        try conclude(offer, decision, in: store, entersEpoch: false)
      } catch {
        // The check itself went well; `status` tells of the older problem until something can be written.
      }
    }
    if case .install = decision {} else { noteNextCheck(offer, in: store) }
    return decision.result(for: offer.manifest)
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
    let offer = try await newestOffer(store, metadata: metadata, entersEpoch: true)
    var heard = try state(of: store)
    hear(offer, &heard)
    let decision = try decision(on: offer, in: store, state: heard)
    guard case .install = decision else { return try leave(offer, decision, in: store, metadata) }
    try hearBeforeDownload(offer, in: store)
    try requireWritable(store, offer.manifest)
    let staging = try Staging(
      store: store, incoming: incoming, offer: offer.verified, configuration: configuration)
    try await staging.collect(from: reader, progress: progress)
    let result = try commit(staging, offer, in: store)
    noteNextCheck(offer, in: store)
    return result
  }

  /// Ends an update that has nothing to install.
  private func leave(
    _ offer: FeedAnswer, _ decision: OfferDecision, in store: DeviceStore,
    _ metadata: any TrustedMetadataStore
  ) throws(Problem) -> UpdateResult {
    try keep(offer.verified, in: store, metadata)
    do {
      try conclude(offer, decision, in: store, entersEpoch: true)
    } catch {
      throw error.keeping(Self.kept)
    }
    collectLeftovers(of: store, offer.manifest, decision)
    noteNextCheck(offer, in: store)
    do {
      return try unchanged(decision, offer, in: store)
    } catch {
      throw Problem(error).keeping(Self.kept)
    }
  }

  /// The result when there is nothing to install. A release that is called staged outlives a power cut from here on.
  private func unchanged(
    _ decision: OfferDecision, _ offer: FeedAnswer, in store: DeviceStore
  ) throws(StorageError) -> UpdateResult {
    if decision == .staged { try store.holdState() }
    return .unchanged(decision.result(for: offer.manifest))
  }

  /// What killed runs left goes also when there is nothing to install, which is so for most updates.
  private func collectLeftovers(of store: DeviceStore, _ manifest: Manifest, _ decision: OfferDecision) {
    // An edge that lags is no reason to give up what was downloaded of a newer release.
    var kept = manifest.partialNames
    switch decision {
    case .older: return
    case .staged, .upToDate: kept = []
    default: break
    }
    GarbageCollection.collectScratch(of: store, keepingPartials: kept)
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

  private func newestOffer(
    _ store: DeviceStore?, metadata: any TrustedMetadataStore, entersEpoch: Bool = false
  ) async throws(Problem) -> FeedAnswer {
    progress(.checking)
    let trust = StoredTrust(store, embedded: configuration.embedded)
    let moment = try moment(trust, store)
    let evidence = Mutex<FeedEvidence?>(nil)
    let known = try state(of: store)
    let wanted = known.wantedChannel(configuration.channel)
    var memory = TrustMemory(
      metadata: metadata, moment: moment,
      knownManifest: { digest in trust.manifest(digest) ?? known.document(digest) },
      wishes: wishes(known) { evidence.withLock { $0?.signedAt } },
      heard: { heard in evidence.withLock { $0 = heard } })
    memory.usesExpress = true
    do {
      let authority = configuration.trust.authority(memory)
      let verified = try await authority.newestManifest(of: wanted, from: reader)
      forgetStaleness(in: store)
      noteAnswer(verified.notices.first, in: store)
      try reader.requireUsableAddresses(in: verified.manifest)
      return FeedAnswer(verified: verified, evidence: evidence.withLock { $0 }, moment: moment)
    } catch {
      // A new epoch counts although its newest release cannot be had.
      if entersEpoch, let store, let evidence = evidence.withLock({ $0 }) {
        try enterEpoch(evidence, moment, in: store)
      }
      throw error.keeping(Self.kept)
    }
  }

  private func decision(
    on offer: FeedAnswer, in store: DeviceStore?, state: DeviceState
  ) throws(Problem) -> OfferDecision {
    do {
      return try decide(
        on: offer.verified, state: state, embedded: embedded, app: configuration.app,
        channel: offer.channel
      ) { (release) throws(Problem) in try store?.isWhole(release) ?? false }
    } catch {
      throw error.keeping(Self.kept)
    }
  }

  var embedded: ReleaseReference? { configuration.embedded.readableReference }

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
    _ staging: Staging, _ offer: FeedAnswer, in store: DeviceStore
  ) throws(Problem) -> UpdateResult {
    progress(.staging(offer.manifest.version))
    defer { staging.removeScratch() }
    do {
      return try StoreTransaction.run(on: store, configuration, wait: Self.commitWait, now: now) {
        (state: inout DeviceState) -> (UpdateResult, [HistoryEvent]) in
        let left = hear(offer, &state).map(\.event)
        let decision = try decision(on: offer, in: store, state: state)
        guard case .install = decision else {
          return (.unchanged(decision.result(for: offer.manifest)), left)
        }
        try moveIntoPlace(staging, in: store, beside: state)
        let release = ReleaseReference(offer.manifest, digest: offer.digest)
        state.select(offer.channel)
        state.accept(offer.verified, channel: offer.channel, embedded: embedded?.version)
        state.staged = release
        settle(offer, &state)
        state.endProblem()
        let event = HistoryEvent(.staged, release, "from \(reader.location.text)")
        return (.staged(offer.manifest.version), left + [event])
      }
    } catch {
      throw Staging.problem(error, needed: offer.manifest.bytesToStore, in: store).keeping(Self.kept)
    }
  }

  /// Moves a release to where the state will refer to it; when that fails, what was moved goes.
  private func moveIntoPlace(_ staging: Staging, in store: DeviceStore, beside state: DeviceState) throws {
    // Releases without a state are damage, so the first state comes before the first release.
    if case .fresh = store.readState() { try store.writeState(state) }
    GarbageCollection.collectTemporaries(of: store)
    do {
      try staging.moveIntoPlace()
    } catch {
      GarbageCollection.collectReleases(of: store, keeping: [state])
      throw error
    }
  }
}
