internal import OTACrypto
internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// Whose store it is, found out offline: by digests where they are known, else once by signatures.
struct StoreOwnership {
  let configuration: UpdaterConfiguration
  let store: DeviceStore?

  /// The state as the feed and the channel of the app find it, before any rule is applied.
  ///
  /// - Returns: the state, and what of it belongs to another feed.
  func entered(_ state: DeviceState) -> (state: DeviceState, left: [LeftBehind]) {
    var state = state
    let left = state.enter(belonging(of: state))
    state.follow(state.followedChannel(configuration.channel))
    return (state, left)
  }

  /// Whether what a state refers to came from the feed that the app names.
  func belonging(of state: DeviceState) -> Belonging {
    guard !state.isUnused else { return .known }
    guard case .root(let shipped) = configuration.trust else { return unsignedBelonging(of: state) }
    switch state.lineage {
    case .unsigned:
      return .foreign(nil, reason: "came from a feed without signatures, and the app asks for them")
    case .signed(let epoch): return belonging(epoch, to: shipped)
    case nil: return unrecordedBelonging
    }
  }

  /// The lineage that releases of an unsigned feed have from now on.
  var unsignedLineage: Lineage { .unsigned(address: configuration.feed.identity) }

  private func unsignedBelonging(of state: DeviceState) -> Belonging {
    let own = unsignedLineage
    switch state.lineage {
    case nil: return .adopted(own)
    case own: return .known
    case .unsigned(let address):
      // An app that moves its feed names the old address as a mirror for as long as devices may come from there.
      if configuration.mirrors.contains(where: { $0.identity == address }) { return .adopted(own) }
      return .foreign(own, reason: "came from another feed: \(address.printable(maxCharacters: 120))")
    case .signed:
      return .foreign(own, reason: "came from a signed feed, and the app reads one without signatures")
    }
  }

  private func belonging(_ epoch: TrustEpoch, to shipped: [UInt8]) -> Belonging {
    let foreign = Belonging.foreign(nil, reason: "is not signed by the root that the app ships")
    do {
      if try sha256(shipped) == epoch.lineage { return .known }
      let stored = try storedLineage()
      return stored.lineage == .same && stored.epoch?.lineage == epoch.lineage ? .known : foreign
    } catch {
      // What cannot be known changes nothing.
      return .known
    }
  }

  /// A store from before lineages were written down belongs to the root that its metadata is signed by.
  private var unrecordedBelonging: Belonging {
    do {
      let stored = try storedLineage()
      guard stored.lineage == .same, let epoch = stored.epoch else {
        return .foreign(nil, reason: "is not signed by the root that the app ships")
      }
      // Whether its floors were set before a key was revoked is not known: then the next update starts anew.
      return .adopted(.signed(TrustEpoch(lineage: epoch.lineage, rootVersion: 0)))
    } catch {
      // What cannot be known changes nothing.
      return .known
    }
  }

  private func storedLineage() throws -> (lineage: StoredLineage, epoch: TrustEpoch?) {
    try configuration.trust.lineage(
      of: try StoredTrust(store, embedded: configuration.embedded).readOnly())
  }
}

extension FeedLocation {
  /// The address that an unsigned feed is known by: the same for every way to write it.
  fileprivate var identity: String {
    guard case .directory(let path) = self else { return text }
    let trimmed = path.reversed().drop { $0 == "/" }
    return trimmed.isEmpty ? "/" : String(trimmed.reversed())
  }
}
