internal import OTAFeed
internal import OTAManifest
internal import OTATrust

/// A signed root on its way to being live; the caller holds the lock of the feed.
struct RootCommit {
  /// All roots with the new one at the end.
  let chain: RootChain
  private let live: MetadataState
  /// The file of the new root; `nil` when it is live already, so that only what follows from it is left to do.
  private let write: FeedWrite?
  private let discarding: Set<ReleaseVersion>

  /// Refuses a root that clients would refuse.
  init(
    _ draft: RootDraft, after live: MetadataState, discarding: Set<ReleaseVersion> = []
  ) throws(Problem) {
    self.live = live
    self.discarding = discarding
    let newest = live.chain.newest
    if draft.version == newest.version, draft.encoded() == live.chain.newestFile {
      chain = live.chain
      write = nil
    } else {
      try Self.requireAcceptable(draft, after: newest)
      var chain = live.chain
      try chain.append(draft.encoded())
      self.chain = chain
      write = FeedWrite(path: FeedLayout.metadata("root", draft.version), bytes: draft.encoded())
    }
    guard discarding.isEmpty || startsEpoch else {
      throw Problem(
        .inputRefused,
        "root \(draft.version) begins no epoch, so devices would refuse to go back behind the discarded releases",
        advice: "revoke the key that signed them, or make the root with parser-ota root prepare --new-epoch")
    }
  }

  private static func requireAcceptable(_ draft: RootDraft, after newest: Root) throws(Problem) {
    guard draft.version == newest.version + 1 else {
      throw Problem(
        .conflict,
        "the root has version \(draft.version), and version \(newest.version + 1) must follow the live one",
        advice: "another root was made meanwhile: prepare this one again, and collect the signatures again")
    }
    for approval in try draft.approvals(previous: newest) where !approval.isReached {
      throw Problem(
        .keyNotTrusted,
        "installed clients would refuse this: root \(approval.version) wants \(approval.threshold) signatures of its "
          + "root keys, and there are \(approval.signed.count); not signed: \(approval.missing.joined(separator: ", "))",
        advice: "sign the file with more keys: parser-ota root sign FILE --root-key KEY")
    }
  }

  /// The new root alone.
  private var rootPlan: WritePlan {
    var plan = WritePlan()
    plan.add([write].compactMap(\.self))
    return plan
  }

  /// The root before the new one; `nil` for the first root.
  private var before: Root? { chain.trusted.dropLast().last?.root }

  private var startsEpoch: Bool { before.map { chain.newest.startsEpoch(after: $0) } ?? false }

  /// Proves the new state, then writes it: files with versions first, then the root, then the timestamp.
  ///
  /// Where the old keys sign along with the new ones, the root is last: then every client finds at each instant what it
  /// can verify, and not only before and after.
  func run(
    on host: any FeedHost, _ state: FeedState, _ signing: FeedSigning
  ) async throws(Problem) -> RootReport {
    let root = [write].compactMap(\.self)
    let commit = FeedCommit(host: host)
    var discard = try ReleaseDiscard(discarding, from: state, isRepeated: write == nil)
    if isTrustedAlready, discard.versions.isEmpty {
      let warnings = try await rehearse(root, state, signing, host)
      var written: [String] = []
      try await commit.run(rootPlan, &written)
      written += try await Self.showToOldClients(state, on: host)
      // What is discarded leaves the signed list first and the folder last: a run that ended in between is finished here.
      if !discarding.isEmpty { try await ReleaseDiscard.tidy(state, on: host) }
      return report([], written, warnings + signing.warnings)
    }
    try await discard.republish(from: ContentLookup(host: host), released: signing.builder.date)
    let signing = try await continuing(signing, on: host)
    try signing.requireSigners()
    let plan = try await plan(signing, discard)
    let whole = Set(discard.changed.filter { discard.state.live[$0] != nil })
    try await signing.rehearse(plan, discard.state, root, host, whole: whole)
    try await discard.announce(on: host)
    var (writes, written) = (WritePlan(), [String]())
    writes.add(plan, after: live)
    if signing.builder.former == nil {
      writes.add(root)
      try await commit.run(writes, &written)
    } else {
      try await signing.rehearse(plan, state, [], host, whole: [])
      try await commit.run(writes, &written)
      try await commit.run(rootPlan, &written)
    }
    if !discard.versions.isEmpty { written += try await discard.finish(on: host) }
    return report(["targets", "snapshot", "timestamp"], written, signing.warnings, discard)
  }

  /// The files that are signed stay the same, but in a new epoch: what a thief listed besides releases goes with the key.
  private func plan(
    _ signing: FeedSigning, _ discard: ReleaseDiscard
  ) async throws(Problem) -> MetadataPlan {
    let lost = try discard.state.lostTargets()
    var plan =
      startsEpoch
      ? try await signing.builder.plan(files: discard.targets())
      : try await signing.builder.plan(files: live.files.filter { !lost.contains($0.key) })
    plan.versioned.insert(
      contentsOf: discard.files + (try FeedSigning.pointerCopies(of: discard.state)), at: 0)
    return plan
  }

  /// Finishes for clients that read no signatures what an interrupted commit left.
  private static func showToOldClients(
    _ state: FeedState, on host: any FeedHost
  ) async throws(Problem) -> [String] {
    var written: [String] = []
    for channel in state.laggingChannels {
      guard let release = state.live[channel] else { continue }
      try await host.replace(channel.manifestPath, with: release.bytes)
      written.append(channel.manifestPath)
    }
    return written
  }

  /// Goes on from counted versions where those that are live ran away, and clients forget them under the new root.
  private func continuing(_ signing: FeedSigning, on host: any FeedHost) async throws(Problem) -> FeedSigning
  {
    var signing = signing
    // Devices that have a discarded release must not see the new state before the root that lets them go back.
    if !discarding.isEmpty { signing.builder.signForNewRootAlone() }
    guard let before else { return signing }
    let names = try await host.list(FeedLayout.metadataFolder)
    for role in [Root.Role.targets, .snapshot, .timestamp]
    where startsEpoch || chain.newest.revokes(keysOf: role, in: before) {
      let counted = names.compactMap { FeedLayout.metadataVersion(role.rawValue, inName: $0) }
        .filter { $0 < MetadataBuilder.maxCountedVersion }
      signing.builder.restart[role] = counted.max() ?? 0
    }
    return signing
  }

  /// Whether the keys of the new root signed what is live, so that nothing has to be signed anew.
  private var isTrustedAlready: Bool {
    var set = chain.trusted[chain.trusted.count - 1]
    do {
      _ = try set.updateTimestamp(live.timestamp.bytes)
      try set.updateSnapshot(live.snapshot.bytes)
      try set.updateTargets(live.targets.bytes, of: .top)
      return true
    } catch {
      // Whatever clients refuse is signed anew.
      return false
    }
  }

  /// A root alone can go out although the rest has expired: it is the way to new keys that can renew the rest.
  private func rehearse(
    _ root: [FeedWrite], _ state: FeedState, _ signing: FeedSigning, _ host: any FeedHost
  ) async throws(Problem) -> [String] {
    let rehearsal = Rehearsal(
      host: host, writes: root, firstRoot: signing.firstRoot, live: live, now: signing.now)
    do {
      try await rehearsal.run(Rehearsal.Expectation(pointers: state.live.mapValues(\.bytes), whole: []))
      return []
    } catch  where error.code == .trustExpired {
      return ["the feed is stale: run parser-ota refresh with the release keys"]
    }
  }

  private func report(
    _ resigned: [String], _ written: [String], _ warnings: [String], _ discard: ReleaseDiscard? = nil
  ) -> RootReport {
    let root = chain.newest
    return RootReport(
      version: root.version, expires: root.header.expires,
      changes: (write == nil ? [] : root.changes(since: live.chain.newest)) + (discard?.sentences ?? []),
      resigned: resigned, discarded: discard?.versions ?? [], warnings: warnings, writtenFiles: written)
  }
}

extension FeedSigning {
  /// Signs the next state under a root that is about to be live, for clients that know what is live now.
  init(
    root: Root, after live: MetadataState, signers: [any MetadataSigner], expiry: ExpiryPolicy,
    date: Timestamp,
    now: Timestamp
  ) throws(Problem) {
    guard max(now, date) < root.header.expires else {
      throw Problem(
        .trustExpired, "the new root expires at \(root.header.expires), which is past",
        advice: "prepare it again, with a later expiry")
    }
    var builder = MetadataBuilder(root: root, live: live, signers: signers, expiry: expiry, date: date)
    builder.signAlso(under: live.chain.newest, signers)
    self.builder = builder
    firstRoot = live.chain.files[0]
    self.now = now
  }
}
