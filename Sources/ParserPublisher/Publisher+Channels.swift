internal import OTAFeed
public import OTAManifest

/// A channel of a feed at a glance.
public struct ChannelSummary: Equatable, Sendable {
  /// The channel.
  public let channel: Channel
  /// The newest release that everybody may have.
  public let live: Manifest
  /// The rollout that goes on; `nil` for none.
  public let rollout: Rollout?
  /// How many advisories it has.
  public let advisories: Int
}

extension Publisher {
  /// The channels of the feed, stable first, then by name.
  public func channels() async throws(Problem) -> [ChannelSummary] {
    let state = try await readState()
    return state.live.map { channel, live in
      ChannelSummary(
        channel: channel, live: live.manifest,
        rollout: state.candidate(of: channel) == nil ? nil : state.documents.rollouts[channel],
        advisories: state.documents.advisories[channel]?.entries.count ?? 0)
    }.sorted { left, right in
      if left.channel == .stable || right.channel == .stable { return left.channel == .stable }
      return left.channel.name < right.channel.name
    }
  }

  /// Ends a channel: its devices follow stable from their next update on, and old clients get the content of stable.
  ///
  /// A later release of the channel brings it back.
  /// - Throws: `no-such-release` for a channel without releases, `input-refused` for stable itself.
  public func retire(
    _ channel: Channel, signers: [any MetadataSigner], date: Timestamp? = nil
  ) async throws(Problem) -> PublishReport {
    let state = try await readState()
    guard channel != .stable else {
      throw Problem(.inputRefused, "stable cannot end: it is what other channels lead to")
    }
    guard let live = state.live[channel] else { throw Self.unknownChannel(channel, state) }
    guard live.manifest.follow == nil else {
      return PublishReport(
        outcome: .nothingToPublish, manifest: live.manifest, manifestDigest: live.digest,
        previous: live.manifest.version, diff: nil, warnings: [], writtenFiles: [], removedReleases: [])
    }
    guard let stable = state.live[.stable] else { throw Self.unknownChannel(.stable, state) }
    _ = try await requireClock(asking: state, date: date)
    let signing = try signing(signers, date, state, isDryRun: false)
    var manifest = try again(stable, in: channel, of: state, released: date ?? now())
    manifest.follow = .stable
    manifest.notes = "channel \(channel) ended; its devices follow stable"
    let draft = try ReleaseDraft(
      manifest, contents: [], previous: live.manifest.version, diff: nil, warnings: [])
    do {
      return try await finish(draft, on: state, signing, dryRun: false)
    } catch {
      throw error.keeping(state.kept(channel))
    }
  }

  /// A release of the feed once more, under the next number and in a channel.
  func again(
    _ release: VerifiedManifest, in channel: Channel, of state: FeedState, released: Timestamp
  ) throws(Problem) -> Manifest {
    let before = state.live[channel]?.manifest
    var manifest = try release.manifest.inOwnLayout(of: state.settings)
    manifest.version = try ReleaseNumbering.next(after: state.highest, requested: nil, allowsJump: false)
    (manifest.channel, manifest.released) = (channel, released)
    (manifest.parent, manifest.parentVersion) = (state.head?.digest, state.head?.manifest.version)
    let twins = Withdrawal.versions(
      with: manifest.pair, in: state, remembered: state.live.values.map(\.manifest))
    manifest.withdrawn = Withdrawal.carried(
      (before?.withdrawn ?? []) + state.takenBack(in: channel), except: twins)
    manifest.withdrawnContent = Withdrawal.contents(of: manifest.withdrawn, in: state, before: before)
    (manifest.follow, manifest.embeddedOnly, manifest.isCritical) = (nil, nil, false)
    manifest.beside = before?.beside ?? []
    return manifest
  }

  /// The feed once its newest manifest announces documents or lines, where no signed list does.
  ///
  /// Devices of a feed without signatures ask only for what the manifest speaks of. Where it does not yet, the live
  /// content is published once more, which costs devices one manifest.
  func announcing(
    _ name: String, in channel: Channel, of state: FeedState, _ date: Timestamp?
  ) async throws(Problem) -> FeedState {
    guard state.metadata == nil, let live = state.live[channel], !live.manifest.beside.contains(name)
    else { return state }
    var manifest = try again(live, in: channel, of: state, released: date ?? now())
    manifest.beside.append(name)
    let draft = try ReleaseDraft(
      manifest, contents: [], previous: live.manifest.version, diff: nil, warnings: [])
    _ = try await finish(draft, on: state, nil, dryRun: false)
    return try await readState()
  }
}
