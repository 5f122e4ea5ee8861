internal import OTAFeed
public import OTAManifest
public import OTATrust

extension Publisher {
  /// Describes the root that follows the live one, without signatures; writes nothing.
  ///
  /// - Parameter expiryDays: how long it stays good; `nil` takes what the feed's settings say.
  public func prepareRoot(_ changes: [RootChange], expiryDays: Int? = nil) async throws(Problem) -> RootDraft
  {
    let state = try await readState()
    let (expiry, metadata) = try signed(state)
    _ = try await requireClock(asking: state, date: nil)
    return try draft(changes, expiryDays, expiry, metadata)
  }

  /// Makes a fully signed root the live one, and signs the other roles anew where it replaces their keys.
  ///
  /// Everything is proved with the real client, from the first root on, before anything is written. Interrupted, the
  /// same call finishes the job.
  /// - Parameter discarding: releases that are no longer signed from here on, such as those of a thief. The content of
  ///   the newest one that is left is published again, under the next number.
  /// - Throws: `keyNotTrusted` when signatures or signers are missing; `noSuchRelease` for a release that is not signed.
  public func commitRoot(
    _ draft: RootDraft, signers: [any MetadataSigner], date: Timestamp? = nil,
    discarding: Set<ReleaseVersion> = []
  ) async throws(Problem) -> RootReport {
    try await host.locked { () async throws(Problem) in
      try await commitLocked(draft, signers, date, discarding)
    }
  }

  private func commitLocked(
    _ draft: RootDraft, _ signers: [any MetadataSigner], _ date: Timestamp?, _ discarding: Set<ReleaseVersion>
  ) async throws(Problem) -> RootReport {
    let state = try await readState()
    let (expiry, metadata) = try signed(state)
    _ = try await requireClock(asking: state, date: date, discarding: discarding)
    do {
      let commit = try RootCommit(draft, after: metadata, discarding: discarding)
      let now = now()
      let report = try await commit.run(
        on: host, state,
        FeedSigning(
          root: commit.chain.newest, after: metadata, signers: signers, expiry: expiry, date: date ?? now,
          now: now))
      _ = try await ExpressUpkeep(host: host).run(for: MetadataState.read(from: host))
      return report
    } catch {
      throw error.keeping("root \(metadata.chain.newest.version) is still live")
    }
  }

  /// Makes the next root: live at once when the signers are enough, else a draft for the other holders of root keys.
  public func changeRoot(
    _ changes: [RootChange], signers: [any MetadataSigner], date: Timestamp? = nil,
    discarding: Set<ReleaseVersion> = []
  ) async throws(Problem) -> RootChangeOutcome {
    let state = try await readState()
    let (expiry, metadata) = try signed(state)
    _ = try requireClock(state, date: date, discarding: discarding)
    var draft: RootDraft
    do {
      draft = try self.draft(changes, nil, expiry, metadata)
    } catch  where error.code == .inputRefused {
      guard let made = try madeAlready(changes, expiry, metadata) else { throw error }
      return .committed(
        try await commitRoot(made, signers: signers, date: date, discarding: discarding))
    }
    let live = metadata.chain.newest
    _ = try await draft.sign(with: signers, previous: live)
    let approvals = try draft.approvals(previous: live)
    guard approvals.allSatisfy(\.isReached) else { return .needsSignatures(draft, approvals, reason: nil) }
    do {
      return .committed(
        try await commitRoot(draft, signers: signers, date: date, discarding: discarding))
    } catch  where error.code == .keyNotTrusted {
      return .needsSignatures(draft, approvals, reason: error.message)
    }
  }

  /// The live root when these very changes made it of the one before: then only what follows from it can be missing.
  private func madeAlready(
    _ changes: [RootChange], _ expiry: ExpiryPolicy, _ metadata: MetadataState
  ) throws(Problem) -> RootDraft? {
    let chain = metadata.chain
    guard let before = chain.files.dropLast().last else { return nil }
    do {
      var next = try RootDocument(decoding: before).nextVersion(expires: chain.newest.header.expires)
      for change in changes { try next.apply(change) }
      try next.beginEpochIfNeeded(after: chain.trusted[chain.trusted.count - 2].root)
      return try RootDraft(next).root.changes(since: chain.newest).isEmpty
        ? RootDraft(decoding: chain.newestFile) : nil
    } catch {
      // Changes that do not fit the root before either were never made.
      return nil
    }
  }

  /// The root that is live.
  public func liveRoot() async throws(Problem) -> Root {
    try signed(try await readState()).metadata.chain.newest
  }

  func signed(_ state: FeedState) throws(Problem) -> (expiry: ExpiryPolicy, metadata: MetadataState) {
    guard case .signed(let expiry) = state.settings.trust, let metadata = state.metadata else {
      throw Problem(
        .inputRefused, "\(place) is a checksums-only feed: it has no keys",
        advice: "make it a signed feed with parser-ota init and the keys")
    }
    return (expiry, metadata)
  }

  private func draft(
    _ changes: [RootChange], _ expiryDays: Int?, _ expiry: ExpiryPolicy, _ metadata: MetadataState
  ) throws(Problem) -> RootDraft {
    var policy = expiry
    policy.rootDays = expiryDays ?? expiry.rootDays
    try policy.check()
    var next: RootDocument
    do {
      next = try RootDocument(decoding: metadata.chain.newestFile)
        .nextVersion(expires: policy.expiry(of: .root, signedAt: now()))
    } catch {
      throw Problem(onFeed: error, FeedLayout.metadata("root", metadata.chain.newest.version))
    }
    for change in changes { try next.apply(change) }
    try next.beginEpochIfNeeded(after: metadata.chain.newest)
    return try RootDraft(next)
  }
}

/// What became of a change to the root.
public enum RootChangeOutcome: Sendable {
  /// The new root is live.
  case committed(RootReport)
  /// Nothing was written: others must sign the draft, or, where a reason stands, the commit needs other keys.
  case needsSignatures(RootDraft, [RootApproval], reason: String?)
}

/// What `Publisher.commitRoot` did.
public struct RootReport: Equatable, Sendable {
  /// The version of the live root.
  public let version: Int64
  /// When it expires.
  public let expires: Timestamp
  /// What it changed, each a sentence; empty when it was live already.
  public let changes: [String]
  /// The other roles that were signed anew.
  public let resigned: [String]
  /// The releases that are no longer signed.
  public let discarded: [ReleaseVersion]
  /// What a person should know, each a sentence.
  public let warnings: [String]
  /// The paths that were written, below the feed and in order.
  public let writtenFiles: [String]
}
