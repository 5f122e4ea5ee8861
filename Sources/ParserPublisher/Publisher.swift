internal import OTAFeed
public import OTAManifest

/// Maintains one feed: publishes releases, takes them back, lists and copies them.
///
/// Every verb reads the feed anew, and leaves the live release alone unless it succeeds. Several publishers, in this
/// process or in others, may work on one feed: one wins, the others are told.
public struct Publisher: Sendable {
  let host: any FeedHost
  let place: String
  let now: @Sendable () -> Timestamp
  /// Who is asked for a second opinion on the clock before anything is dated or signed; `nil` asks nobody.
  public var hostClock: HostClock?
  /// Whether a clock that looks wrong may date and sign all the same; one from before this tool was made never may.
  public var allowsClock = false
  /// Looks at new files by their public address; `nil` for a folder that something else carries there.
  var publicFiles: PublicFiles?
  /// How many seconds devices wait between two checks, from the next signature on; 0 for no interval, `nil` keeps what the
  /// feed says. Only signed feeds can say it.
  public var checkInterval: Int64?

  /// Works on the feed in a folder.
  ///
  /// - Parameter now: the clock for `released`; versions never depend on it.
  public init(feed directory: String, now: @escaping @Sendable () -> Timestamp) {
    self.init(host: DirectoryHost(root: directory), place: directory, now: now)
  }

  /// Works on a feed somewhere else; `place` is what messages call it.
  package init(host: any FeedHost, place: String, now: @escaping @Sendable () -> Timestamp) {
    self.host = host
    self.place = place
    self.now = now
  }

  var lookup: ContentLookup { ContentLookup(host: host) }

  func readState() async throws(Problem) -> FeedState {
    var state = try await FeedState.read(from: host, place: place)
    guard let checkInterval else { return state }
    try ExpiryPolicy.check(interval: checkInterval)
    guard case .signed(var expiry) = state.settings.trust else {
      throw Problem(
        .inputRefused, "\(place) is a checksums-only feed: only signed metadata can name a check interval",
        advice: "leave --check-interval out")
    }
    expiry.checkInterval = checkInterval
    state.settings.trust = .signed(expiry)
    return state
  }

  /// Publishes two files as the next release of a channel; the same content as the live one is no release.
  ///
  /// Interrupted at any point, the live release is untouched or the new one is live as a whole, and the same request
  /// again finishes the job.
  public func publish(_ request: PublishRequest) async throws(Problem) -> PublishReport {
    let request = try request.intoItsLine()
    let state = try await prepared(for: request)
    do {
      try check(request)
      try requireReleases(request.patches.versions, state)
      _ = try requireClock(state, date: request.date)
      // The host answers while the gate is at work.
      async let host = request.dryRun ? nil : hostTime(state)
      let signing = try signing(request.signers, request.date, state, isDryRun: request.dryRun)
      let inputs = try await ReleaseInputs(request)
      let builder = DraftBuilder(request: request, inputs: inputs, state: state, lookup: lookup)
      switch try await builder.build(released: request.date ?? now()) {
      case .draft(let draft, let candidate, let live):
        async let passed = passing(candidate, live, request, state.settings)
        // A clock that is wrong is said at once, and ends the gate.
        let isClockAllowed = try requireClock(state, date: request.date, host: await host)
        let gate = try await passed.get()
        let description = try await request.describe?(live?.manifest)
        let recorded = try draft.described(description).recording(gate).recording(
          isClockAllowed ? ClockCheck.allowance : nil)
        let code = await codeDiff(from: live, to: candidate)
        var report = try await finish(
          recorded, on: state, signing,
          news: ReleaseNews(recorded.diff, code, gate, first: live == nil ? candidate.catalog : nil),
          dryRun: request.dryRun, patches: request.patches)
        report.warnings += gate.unusedAllowances.map { Self.unused($0) }
        report.gate = gate
        report.code = code
        return report
      case .nothingToPublish(let live, let diff, let warnings):
        let tidied =
          request.dryRun || !state.isUnfinished ? nil : try await commit(signing).finishInterrupted()
        return PublishReport(
          outcome: .nothingToPublish, manifest: live.manifest, manifestDigest: live.digest,
          previous: live.manifest.version, diff: diff,
          warnings: warnings + (signing?.warnings ?? []) + (tidied?.warnings ?? []),
          writtenFiles: tidied?.written ?? [], removedReleases: tidied?.removed ?? [])
      }
    } catch {
      throw error.keeping(state.kept(request.channel))
    }
  }

  /// What the release changes in the code; a live bundle that cannot be read is told by what compares with it.
  private func codeDiff(from live: GateBaseline?, to new: GateCandidate) async -> CodeDiff? {
    guard let live else { return nil }
    do {
      return try CodeDiff(from: try await live.bundle(), live.catalog, to: new.bundle, new.catalog)
    } catch {
      return nil
    }
  }

  /// The state of the feed once it announces what the release needs, where no signed list does.
  private func prepared(for request: PublishRequest) async throws(Problem) -> FeedState {
    var state = try await readState()
    guard !request.dryRun else { return state }
    if request.rollout != nil {
      state = try await announcing(
        FeedDocuments.Kind.rollout.rawValue, in: request.channel, of: state, request.date)
    }
    if let base = request.channel.lineOf?.channel {
      state = try await announcing("lines", in: base, of: state, request.date)
    }
    return state
  }

  private func check(_ request: PublishRequest) throws(Problem) {
    if let contract = request.contract, !(1...JSONObject.maxExactInteger).contains(contract) {
      throw Problem(.inputRefused, "the contract \(contract) is not a whole number from 1 on")
    }
    try ReleaseNotes.check(request.notes)
  }

  /// A patch from a release that is not on the feed cannot be made.
  private func requireReleases(_ versions: [ReleaseVersion], _ state: FeedState) throws(Problem) {
    let known = state.releases.map(\.manifest.version)
    guard let unknown = versions.first(where: { !known.contains($0) }) else { return }
    throw Problem(
      .noSuchRelease, "release \(unknown) is not on the feed, so no patch can be made from it",
      advice: "parser-ota releases lists what is there")
  }

  func commit(_ signing: FeedSigning?) -> ReleaseCommit {
    ReleaseCommit(host: host, place: place, signing: signing, publicFiles: publicFiles)
  }

  /// Writes a release, or in a dry run only proves that it could be written.
  func finish(
    _ draft: ReleaseDraft, on state: FeedState, _ signing: FeedSigning?, news: ReleaseNews? = nil,
    dryRun: Bool, patches: PatchChoice = PatchChoice()
  ) async throws(Problem) -> PublishReport {
    var commit = commit(signing)
    commit.news = news
    let forms = PackedForms(state: state, lookup: lookup, wish: patches)
    let draft = try await forms.adding(to: draft)
    var done: ReleaseCommit.Outcome?
    if dryRun {
      _ = try await commit.plan(draft, state)
    } else {
      done = try await commit.run(draft, basedOn: state)
    }
    return PublishReport(
      outcome: dryRun ? .wouldPublish : .published, manifest: draft.manifest, manifestDigest: draft.digest,
      previous: draft.previous, diff: draft.diff,
      warnings: draft.warnings + (signing?.warnings ?? []) + (done?.warnings ?? []),
      writtenFiles: done?.written ?? [], removedReleases: done?.removed ?? [])
  }
}
