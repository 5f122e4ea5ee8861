internal import OTAFeed
internal import OTAManifest

/// The feed that the releases of a store came from.
///
/// A signed feed is its chain of roots, wherever it is served; an unsigned one is nothing but its address.
enum Lineage: Equatable, Sendable {
  /// The chain, and the epoch in which the releases were accepted.
  case signed(TrustEpoch)
  case unsigned(address: String)
}

/// Whether a store belongs to the feed that the app names.
enum Belonging: Equatable, Sendable {
  /// It does, and says so; or it cannot be known now, which changes nothing.
  case known
  /// It does, and is to say so from now on.
  case adopted(Lineage)
  /// It belongs to another feed, for this reason: the end of a sentence that begins with a release.
  case foreign(Lineage?, reason: String)
}

/// A release that a slot gave up, from where, and why.
struct LeftBehind: Equatable, Sendable {
  let release: ReleaseReference
  let origin: ReleaseOrigin
  /// The stable code of the reason.
  let code: String
  /// The end of a sentence that begins with the release.
  let reason: String

  var passedOver: PassedOver { PassedOver(release.version, origin, code: code, reason) }
  var event: HistoryEvent {
    HistoryEvent(.dropped, release, "\(release.version) (\(origin.rawValue)) \(reason)")
  }
}

extension DeviceState {
  /// The releases of all slots, each once, with the place that it is found in.
  var placedReleases: [(release: ReleaseReference, origin: ReleaseOrigin)] {
    var placed: [(release: ReleaseReference, origin: ReleaseOrigin)] = []
    func add(_ release: ReleaseReference?, _ origin: ReleaseOrigin) {
      if let release, !placed.contains(where: { $0.release == release }) { placed.append((release, origin)) }
    }
    add(staged, .staged)
    add(current, .current)
    add(previous, .previous)
    if case .release(let pinned) = pin { add(pinned, .pin) }
    for release in parked.flatMap(\.slots.references) { add(release, .otherChannel) }
    return placed
  }

  /// Takes on the feed that the app names; releases, floors and dates of another feed are left behind.
  ///
  /// What failed here stays rejected: the same files are no better in another feed.
  mutating func enter(_ belonging: Belonging) -> [LeftBehind] {
    guard !isUnused else { return [] }
    switch belonging {
    case .known: return []
    case .adopted(let lineage):
      self.lineage = lineage
      return []
    case .foreign(let lineage, let reason):
      let left = placedReleases.map {
        LeftBehind(release: $0.release, origin: $0.origin, code: "other-feed", reason: reason)
      }
      var fresh = DeviceState()
      (fresh.channel, fresh.rejected, fresh.lineage) = (channel, rejected, lineage)
      (fresh.install, fresh.chosenChannel) = (install, chosenChannel)
      if pin == .embedded { fresh.pin = .embedded }
      self = fresh
      return left
    }
  }

  // MARK: Epochs

  /// Whether what older keys made this device see no longer counts.
  func startsAnew(in epoch: TrustEpoch) -> Bool {
    guard case .signed(let known) = lineage else { return false }
    return epoch.startsAnew(after: known)
  }

  /// Enters a new epoch of a signed feed: floors, dates and withdrawn lists are forgotten, and only releases stay that the
  /// new targets list.
  ///
  /// - Parameter latestDate: the latest date that this device wrote down; it proves nothing from now on.
  mutating func enter(
    _ epoch: TrustEpoch, latestDate: Timestamp?, isListed: (ReleaseReference) -> Bool
  ) -> [LeftBehind] {
    let left = placedReleases.filter { !isListed($0.release) }.map {
      LeftBehind(
        release: $0.release, origin: $0.origin, code: "not-in-epoch",
        reason: "is not among the releases that the feed signs since it revoked a key")
    }
    for release in left { drop(release.release) }
    (seen, heard, stale) = ([:], [:], nil)
    standIns = [:]
    slots.forgetWords()
    for index in parked.indices { parked[index].slots.forgetWords() }
    overruledDate = [overruledDate, latestDate].compactMap(\.self).max()
    lineage = .signed(epoch)
    return left
  }
}

extension ChannelSlots {
  /// Forgets what older keys said of releases and sources.
  fileprivate mutating func forgetWords() {
    (withdrawn, takenBack) = ([], [])
    (rollout, advisories, embeddedWord) = (nil, nil, nil)
  }
}
