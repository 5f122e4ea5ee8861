internal import OTACrypto
internal import OTAFeed
internal import OTAManifest

/// What a device wants of its channel, by the rules that a launch and an offer follow.
extension UpdateRun {
  /// The wishes of a device whose state is this one.
  ///
  /// - Parameter signedAt: when the newest verified timestamp was signed; `nil` on an unsigned feed.
  func wishes(_ state: DeviceState, signedAt: @escaping @Sendable () -> Timestamp?) -> OfferWishes {
    let (app, install, isAskedNow) = (configuration.app, state.install ?? install, isAskedNow)
    let version = embedded?.version
    var wishes = OfferWishes(
      wantsCandidate: { rollout, complete in
        var heard = state
        heard.heed(complete, channel: complete.channel, embedded: version)
        heard.select(complete.channel)
        return RolloutQuestion(
          rollout: rollout, complete: complete.version, bucket: install.knownBucket(for: rollout.version),
          moment: rollout.provenMoment(signedAt: signedAt()), isAskedNow: isAskedNow
        ).reason(in: heard).takes
      },
      canUse: { manifest in
        manifest.unknownFeatures.isEmpty
          && app.obstacle(contract: manifest.contract, minimum: manifest.minimumAppVersion) == nil
      },
      lines: { channel in app.contracts.sorted(by: >).compactMap(channel.line) }, wantsAdvisories: true)
    wishes.followsEndedChannels = true
    return wishes
  }
}

extension Rollout {
  /// The latest time that is proved to have come: signed dates only, so that no clock makes a device early.
  func provenMoment(signedAt: Timestamp?) -> Timestamp { max(written, signedAt ?? written) }
}

extension InstallID {
  /// The bucket of the device; `nil` when digests cannot be computed here, as the run itself says.
  func knownBucket(for version: ReleaseVersion) -> Int? {
    do {
      return try bucket(for: version)
    } catch {
      return nil
    }
  }
}

extension DeviceState {
  /// The bytes of a document that was heard before, when they have this digest: then it need not be fetched again.
  func document(_ digest: Digest) -> [UInt8]? {
    let slots = [slots] + parked.map(\.slots)
    let known = slots.compactMap { $0.rollout?.encoded() } + slots.compactMap { $0.advisories?.encoded() }
    return known.first { bytes in
      do {
        return try sha256(bytes) == digest
      } catch {
        // The run itself says that digests cannot be computed here.
        return false
      }
    }
  }
}

extension HistoryEvent {
  /// What the feed said that was new, as events.
  static func words(from before: DeviceState, to after: DeviceState) -> [HistoryEvent] {
    var events: [HistoryEvent] = []
    let (old, new) = (before.channel == after.channel ? before.slots : ChannelSlots(), after.slots)
    if let rollout = new.rollout, rollout != old.rollout {
      events.append(
        HistoryEvent(
          date: nil, kind: .rollout, version: rollout.version, pair: nil,
          text: "release \(rollout.version): \(rollout.sentence(at: rollout.written))"))
    } else if let rollout = old.rollout, new.rollout == nil {
      events.append(
        HistoryEvent(
          date: nil, kind: .rollout, version: rollout.version, pair: nil,
          text: "release \(rollout.version): the rollout ended"))
    }
    if new.advisories != old.advisories, before.channel == after.channel || new.advisories != nil {
      let count = new.advisories?.entries.count ?? 0
      events.append(
        HistoryEvent(
          .advisories, nil, "\(count) advisor\(count == 1 ? "y" : "ies") for channel \(after.channel)"))
    }
    return events
  }
}
