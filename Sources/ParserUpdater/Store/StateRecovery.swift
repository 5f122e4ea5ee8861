internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// Rebuilds a state from the releases on disk when the state file is lost or cannot be read.
///
/// The newest release becomes current, on trial since nobody knows whether it was ever confirmed; the one before
/// it is the way back. What the history says was rejected stays rejected.
enum StateRecovery {
  /// Returns the rebuilt state; writes nothing.
  ///
  /// - Throws: the reason why a release or the history cannot be looked at: a state without it would lose it.
  static func rebuild(from store: DeviceStore) throws(Problem) -> DeviceState {
    var state = DeviceState()
    state.rejected = try rejections(in: store)
    for (channel, releases) in Dictionary(grouping: try releases(in: store), by: \.manifest.channel)
      .sorted(by: { $0.key.name < $1.key.name })
    {
      state.select(channel)
      rebuild(&state, channel, releases)
    }
    state.select(.stable)
    return state
  }

  /// The slots of one channel from its releases on disk.
  private static func rebuild(
    _ state: inout DeviceState, _ channel: Channel,
    _ releases: [(reference: ReleaseReference, manifest: Manifest)]
  ) {
    let newest = releases.max { $0.reference.version < $1.reference.version }
    state.withdrawn = newest?.manifest.withdrawn ?? []
    let newestFirst = releases.map(\.reference).filter { state.rejection(of: $0.pair) == nil }
      .sorted { $0.version > $1.version }
    if let first = newestFirst.first {
      state.seen[channel] = DeviceState.SeenRelease(
        version: first.version, manifest: first.manifest, pair: first.pair)
    }
    state.current = newestFirst.first
    state.trial = state.current == nil ? nil : DeviceState.Trial(launches: [])
    state.previous = newestFirst.first { $0.pair != state.current?.pair }
  }

  private static func releases(
    in store: DeviceStore
  ) throws(Problem) -> [(reference: ReleaseReference, manifest: Manifest)] {
    var found: [(reference: ReleaseReference, manifest: Manifest)] = []
    do {
      for name in try store.releaseFolders() where DeviceStore.Name.isRelease(name) {
        if let release = try release(in: name, of: store) { found.append(release) }
      }
    } catch let problem as Problem {
      throw problem
    } catch let error as StorageError {
      throw Problem(error)
    } catch {
      throw Problem(.cannotRead, "\(store.root.path)/\(DeviceStore.Name.releases) cannot be read")
    }
    return found
  }

  /// The release in a folder; `nil` when the folder has no whole one: it is collected at the next change.
  private static func release(
    in name: String, of store: DeviceStore
  ) throws(Problem) -> (reference: ReleaseReference, manifest: Manifest)? {
    do {
      let folder = try store.root.subdirectory(DeviceStore.Name.releases).subdirectory(name)
      let (manifest, digest) = try ReleaseFiles.readManifest(in: folder)
      let reference = ReleaseReference(manifest, digest: digest)
      guard reference.folderName == name else { return nil }
      try ReleaseFiles.verify(folder, expecting: digest)
      return (reference, manifest)
    } catch let damage as ReleaseFiles.Damage {
      if let unknown = damage.unknown { throw unknown }
      return nil
    } catch let error as StorageError {
      if error.leavesUnknown { throw Problem(error) }
      return nil
    } catch {
      return nil
    }
  }

  private static func rejections(in store: DeviceStore) throws(Problem) -> [DeviceState.Rejection] {
    let events: [HistoryEvent]
    do {
      events = try HistoryFile(root: store.root).read()
    } catch {
      if error.leavesUnknown { throw Problem(error) }
      // A folder or a pipe in its place: a bad release fails and is rejected again.
      return []
    }
    var state = DeviceState()
    for event in events where event.kind.tellsOfRejections {
      guard let pair = event.pair, let version = event.version, let date = event.date else { continue }
      if event.kind == .forgotten {
        state.rejected.removeAll { $0.pair == pair }
      } else {
        let release = ReleaseReference(version: version, manifest: pair.bundle, pair: pair)
        state.reject(release, reason: event.text, date: date)
      }
    }
    // The history does not say which channel was followed: then it counts for all.
    return state.rejected.map { rejection in
      var everywhere = rejection
      everywhere.channel = nil
      return everywhere
    }
  }
}
