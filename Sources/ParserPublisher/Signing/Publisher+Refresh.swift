internal import OTACrypto
internal import OTAFeed
public import OTAManifest
internal import OTATrust

extension Publisher {
  /// Signs the timestamp of a signed feed anew, so that clients see that nothing is withheld; makes no release.
  ///
  /// Snapshot and targets follow when less than a third of their days are left, or when a new root replaced the keys
  /// that signed them. The signers need to speak only for what is signed anew.
  ///
  /// - Parameter date: the moment to count expiries from; `nil` asks the clock.
  /// - Parameter force: whether all three are signed anew in any case.
  public func refresh(
    signers: [any MetadataSigner], date: Timestamp? = nil, force: Bool = false
  ) async throws(Problem) -> RefreshReport {
    // A folder that is no feed is called that, before a lock is missed in it.
    _ = try await readState()
    return try await host.locked { () async throws(Problem) in
      try await refreshLocked(signers, date, force)
    }
  }

  private func refreshLocked(
    _ signers: [any MetadataSigner], _ date: Timestamp?, _ force: Bool
  ) async throws(Problem) -> RefreshReport {
    let state = try await readState()
    guard case .signed(let expiry) = state.settings.trust, let metadata = state.metadata else {
      throw Problem(
        .inputRefused, "\(place) is a checksums-only feed: nothing on it is signed or expires",
        advice: "make it a signed feed with parser-ota init and the keys")
    }
    _ = try await requireClock(asking: state, date: date)
    let now = now()
    let signing = try FeedSigning(
      metadata: metadata, signers: signers, expiry: expiry, date: date ?? now, now: now)
    try Self.requireOwnKey(signers, metadata.chain.newest)
    let lost = try state.lostTargets()
    let due = RefreshChoice(metadata, expiry, at: signing.builder.date, force: force || !lost.isEmpty)
    let express = ExpressUpkeep(host: host)
    guard var plan = try await signing.plan(due, of: metadata, without: lost) else {
      let path = try await express.run(for: metadata)
      return Self.report(nil, metadata, signing, written: [path].compactMap(\.self))
    }
    plan.versioned.insert(contentsOf: try FeedSigning.pointerCopies(of: state), at: 0)
    try await signing.rehearse(plan, state, [], host, whole: [])
    var written: [String] = []
    var writes = WritePlan()
    writes.add(plan, after: metadata)
    try await FeedCommit(host: host).run(writes, &written)
    written += [try await express.run(for: plan.state(after: metadata))].compactMap(\.self)
    return Self.report(
      plan, metadata, signing, written: written,
      warnings: state.lostReleases.map { "release \($0.version) is off the list: \($0.message)" }
        + (await removeOldMetadata(plan.state(after: metadata))) + (await showExpiries(state, plan)))
  }

  /// Refuses keys that sign nothing here, such as one that was replaced: a schedule must not call that a success.
  private static func requireOwnKey(
    _ signers: [any MetadataSigner], _ root: Root
  ) throws(Problem) {
    let roles = [Root.Role.targets, .snapshot, .timestamp].flatMap { root.material(of: $0) }
    guard !signers.contains(where: { roles.contains($0.publicKey) }) else { return }
    throw Problem(
      .keyNotTrusted,
      "wrong key: root \(root.version) lists none of the given keys for releases, so they sign nothing here",
      advice: "use the key that replaced it: parser-ota key list --feed DIR")
  }

  /// What is signed is out by now, so trouble here is a warning, and the next run tries again.
  private func removeOldMetadata(_ metadata: MetadataState) async -> [String] {
    do {
      try await MetadataRetention(metadata: metadata).apply(to: host)
      try await FeedPages.writeMissingPage(to: host)
      return []
    } catch {
      return ["old metadata was not removed: \(error.message)"]
    }
  }

  /// The page says when the signatures expire; trouble with it is a warning.
  private func showExpiries(_ state: FeedState, _ plan: MetadataPlan) async -> [String] {
    do {
      try await FeedPageWriter(host: host, state: state.signed(plan)).write()
      return []
    } catch {
      return [FeedPageWriter.unwritten(error)]
    }
  }

  private static func report(
    _ plan: MetadataPlan?, _ metadata: MetadataState, _ signing: FeedSigning, written: [String],
    warnings: [String] = []
  ) -> RefreshReport {
    var expires: [String: Timestamp] = [
      "root": metadata.chain.newest.header.expires, "targets": metadata.targets.expires,
      "snapshot": metadata.snapshot.expires, "timestamp": metadata.timestamp.expires,
    ]
    for (role, moment) in plan?.expiries ?? [:] { expires[role.rawValue] = moment }
    let order: [Root.Role] = [.targets, .snapshot, .timestamp]
    let roles = order.filter { plan?.expiries[$0] != nil }.map(\.rawValue)
    return RefreshReport(
      outcome: plan == nil ? .nothingToRefresh : .refreshed, roles: roles, expires: expires,
      warnings: signing.warnings + warnings, writtenFiles: written)
  }
}

/// How far down metadata has to be signed anew.
enum RefreshChoice: Equatable {
  case nothing, timestamp, snapshot, targets

  init(_ live: MetadataState, _ expiry: ExpiryPolicy, at date: Timestamp, force: Bool) {
    if force || !live.isTrustedByNewestRoot
      || expiry.isNearEnd(.targets, expires: live.targets.expires, at: date)
    {
      self = .targets
    } else if expiry.isNearEnd(.snapshot, expires: live.snapshot.expires, at: date) {
      self = .snapshot
    } else {
      // A clock that went back must not shorten what was promised.
      let isLater = expiry.expiry(of: .timestamp, signedAt: date) > live.timestamp.expires
      let hasNewInterval = expiry.interval(after: live.checkInterval) != live.checkInterval
      self = isLater || hasNewInterval ? .timestamp : .nothing
    }
  }
}

extension FeedSigning {
  /// The metadata that a choice asks for, with the same files as before; `nil` for nothing.
  ///
  /// - Parameter lost: targets that are not on the feed any more.
  func plan(
    _ choice: RefreshChoice, of live: MetadataState, without lost: Set<String> = []
  ) async throws(Problem) -> MetadataPlan? {
    switch choice {
    case .nothing: nil
    case .timestamp: try await builder.planTimestamp(of: live)
    case .snapshot: try await builder.planSnapshot(of: live)
    case .targets: try await builder.plan(files: live.files.filter { !lost.contains($0.key) })
    }
  }
}
