internal import OTAStorage

/// Removes what nothing refers to any more, under the lock of the store.
enum GarbageCollection {
  /// Removes release folders that no slot refers to and that no live process uses.
  ///
  /// What cannot be removed now is left for the next time: collecting is never a reason to fail.
  static func collectReleases(of store: DeviceStore, keeping state: DeviceState) {
    collectReleases(of: store, keeping: [state])
  }

  /// The same when it is not known which of several states is on the disk.
  static func collectReleases(of store: DeviceStore, keeping states: [DeviceState]) {
    let kept = Set(states.flatMap(\.references).map(\.folderName))
    do {
      let releases = try store.root.subdirectory(DeviceStore.Name.releases)
      for entry in try releases.entries()
      where DeviceStore.Name.isRelease(entry.name) && !kept.contains(entry.name) {
        collect(entry, in: releases)
      }
    } catch {
      // No folder of releases, or one that cannot be listed: nothing to collect.
    }
  }

  private static func collect(_ entry: DirectoryEntry, in releases: Directory) {
    do {
      guard entry.kind == .directory else {
        _ = try releases.remove(entry.name)
        return
      }
      let lock = try releases.subdirectory(entry.name).lockSelf(.exclusive)
      defer { lock.release() }
      try releases.removeTree(entry.name)
    } catch {
      // In use by a live process, or not removable: tried again at the next change.
    }
  }

  /// Removes the unfinished state files of processes that were killed, under the lock of the store.
  static func collectTemporaries(of store: DeviceStore) {
    do {
      try store.root.removeTemporaries()
    } catch {
      // Not removable now: tried again at the next update.
    }
  }

  /// Removes what killed processes left that changed the state or collected; for the holder of the update lock.
  ///
  /// Takes the lock of the store, and leaves everything for the next time when somebody else has it.
  static func collectLeftovers(of store: DeviceStore) {
    do {
      let lock = try store.lock(wait: .zero)
      defer { lock.release() }
      guard case .state(let state) = store.readState() else { return }
      collectTemporaries(of: store)
      collectReleases(of: store, keeping: state)
    } catch {
      // Somebody is at work: the next update looks again.
    }
  }

  /// Removes the scratch of updates that died, and partial downloads other than `kept`; for the holder of the update lock.
  static func collectScratch(of store: DeviceStore, keepingPartials kept: Set<String>) {
    collect(in: DeviceStore.Name.incoming, of: store, DeviceStore.Name.isScratch)
    collect(in: DeviceStore.Name.partial, of: store) { name in
      DeviceStore.Name.isPartial(name) && !kept.contains(name)
    }
    StoredTrust.collectTemporaries(of: store)
  }

  /// Removes the names that this program makes and that nothing needs; what else is there belongs to its owner.
  private static func collect(in folder: String, of store: DeviceStore, _ isNeedless: (String) -> Bool) {
    do {
      let directory = try store.root.subdirectory(folder)
      for entry in try directory.entries() where isNeedless(entry.name) {
        try directory.removeTree(entry.name)
      }
    } catch {
      // Missing, or not removable now: tried again at the next update.
    }
  }
}
