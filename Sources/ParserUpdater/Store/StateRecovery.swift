internal import OTAManifest
internal import OTAStorage

/// Rebuilds a state from the releases on disk when the state file is lost or cannot be read.
///
/// The newest release becomes current, on trial since nobody knows whether it was ever confirmed; the one before
/// it is the way back. What the history says was rejected stays rejected.
enum StateRecovery {
  static func rebuild(from store: DeviceStore) -> DeviceState {
    var state = DeviceState()
    state.rejected = rejections(in: store)
    let all = releases(in: store)
    state.withdrawn = all.max { $0.reference.version < $1.reference.version }?.manifest.withdrawn ?? []
    let found = all.filter { state.rejection(of: $0.reference.pair) == nil }
    for release in found {
      let reference = release.reference
      let known = state.seen[release.manifest.channel]
      if known.map({ $0.version < reference.version }) ?? true {
        state.seen[release.manifest.channel] = DeviceState.SeenRelease(
          version: reference.version, manifest: reference.manifest, pair: reference.pair)
      }
    }
    let newestFirst = found.map(\.reference).sorted { $0.version > $1.version }
    state.current = newestFirst.first
    state.trial = state.current == nil ? nil : DeviceState.Trial(launches: [])
    state.previous = newestFirst.first { $0.pair != state.current?.pair }
    return state
  }

  private static func releases(
    in store: DeviceStore
  ) -> [(reference: ReleaseReference, manifest: Manifest)] {
    store.releaseFolders().compactMap { name in
      do {
        let folder = try store.root.subdirectory(DeviceStore.Name.releases).subdirectory(name)
        let (manifest, digest) = try ReleaseFiles.readManifest(in: folder)
        let reference = ReleaseReference(manifest, digest: digest)
        guard reference.folderName == name, ReleaseFiles.isWhole(folder, expecting: digest) else {
          return nil
        }
        return (reference, manifest)
      } catch {
        // A folder that is no whole release is no candidate; it is collected at the next change.
        return nil
      }
    }
  }

  private static func rejections(in store: DeviceStore) -> [DeviceState.Rejection] {
    let events: [HistoryEvent]
    do {
      events = try HistoryFile(root: store.root).read()
    } catch {
      // Without a history nothing is known to have failed here; a bad release then fails and is rejected again.
      return []
    }
    var state = DeviceState()
    for event in events where event.kind == .rejected || event.kind == .forgotten {
      guard let pair = event.pair, let version = event.version, let date = event.date else { continue }
      if event.kind == .forgotten {
        state.rejected.removeAll { $0.pair == pair }
      } else {
        let release = ReleaseReference(version: version, manifest: pair.bundle, pair: pair)
        state.reject(release, reason: event.text, date: date)
      }
    }
    return state.rejected
  }
}
