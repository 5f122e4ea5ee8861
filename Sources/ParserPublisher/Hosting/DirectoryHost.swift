internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// A feed in a folder of this machine, from where something else serves it.
struct DirectoryHost: FeedHost {
  /// The folder of the feed.
  let root: String

  private static let fileMode: UInt32 = 0o644
  private static let folderMode: UInt32 = 0o755
  private static let lockFolder = FeedLayout.privateFolder

  func read(_ path: String, maxBytes: Int) throws(Problem) -> [UInt8]? {
    do throws(StorageError) {
      let (folders, name) = Self.split(path)
      return try open(folders).read(name, maxBytes: maxBytes)
    } catch  where error.kind == .missing {
      return nil
    } catch {
      throw Problem(onFeed: error)
    }
  }

  func size(of path: String) throws(Problem) -> Int? {
    do throws(StorageError) {
      let (folders, name) = Self.split(path)
      return try open(folders).size(of: name)
    } catch  where error.kind == .missing {
      return nil
    } catch {
      throw Problem(onFeed: error)
    }
  }

  func put(_ path: String, _ bytes: [UInt8]) throws(Problem) -> Bool {
    do throws(StorageError) {
      let (folders, name) = Self.split(path)
      let folder = try create(folders)
      if try folder.size(of: name) == bytes.count, try folder.read(name, maxBytes: bytes.count) == bytes {
        try sync(folders)
        return false
      }
      try folder.replace(name, with: bytes, mode: Self.fileMode)
      try sync(folders.dropLast())
      return true
    } catch {
      throw Problem(onFeed: error)
    }
  }

  func replace(_ path: String, with bytes: [UInt8]) throws(Problem) {
    do throws(StorageError) {
      let (folders, name) = Self.split(path)
      let folder = try create(folders)
      if try folder.kind(of: name) == .directory {
        guard try folder.subdirectory(name).entries().isEmpty else {
          throw StorageError(
            .wrongKind, operation: "replace", path: "\(root)/\(path)",
            reason: "it is a directory with files in it")
        }
        try folder.removeTree(name)
      }
      try folder.replace(name, with: bytes, mode: Self.fileMode)
      try sync(folders.dropLast())
    } catch {
      throw Problem(onFeed: error)
    }
  }

  func list(_ folder: String) throws(Problem) -> [String] {
    do throws(StorageError) {
      return try open(folder.split(separator: "/")[...]).entries().map(\.name)
    } catch  where error.kind == .missing {
      return []
    } catch {
      throw Problem(onFeed: error)
    }
  }

  /// Also removes the folder of a file when nothing else is in it.
  func remove(_ paths: [String]) throws(Problem) {
    do throws(StorageError) {
      for path in paths { try remove(path) }
      for folder in Set(paths.map { Self.split($0).folders }) {
        do throws(StorageError) {
          try open(folder).sync()
        } catch  where error.kind == .missing {
          // It went with its last file; then the one above says so.
          try syncParent(of: folder)
        }
      }
    } catch {
      throw Problem(onFeed: error)
    }
  }

  private func remove(_ path: String) throws(StorageError) {
    do throws(StorageError) {
      let (folders, name) = Self.split(path)
      let folder = try open(folders)
      try folder.remove(name)
      if let last = folders.last, try folder.entries().isEmpty {
        try open(folders.dropLast()).removeTree(String(last))
      }
    } catch  where error.kind == .missing {
      return
    }
  }

  private func syncParent(of folder: ArraySlice<Substring>) throws(StorageError) {
    do throws(StorageError) {
      try open(folder.dropLast()).sync()
    } catch  where error.kind == .missing {
      // Nothing was ever there.
      return
    }
  }

  /// Waits without holding a thread. What publishers left that were killed is settled on the way: unfinished files go, and
  /// pointers that everybody sees are made to outlive a power cut before anything is built on them.
  func lock(wait: Duration) async throws(Problem) -> any FeedLock {
    let deadline = ContinuousClock.now + wait
    while true {
      do throws(StorageError) {
        let folder = try Directory.open(root).subdirectory(creating: Self.lockFolder, mode: Self.folderMode)
        let lock = try folder.lock("lock", .exclusive)
        try settle()
        return DirectoryLock(lock: lock)
      } catch  where error.kind == .busy && ContinuousClock.now < deadline {
        try await Self.pause()
      } catch  where error.kind == .busy {
        throw Problem(
          .busy, "another publisher is at work in \(root)",
          advice: "wait until it has finished, then run the same command again")
      } catch {
        throw Problem(onFeed: error)
      }
    }
  }

  private static func pause() async throws(Problem) {
    do {
      try await Task.sleep(for: .milliseconds(10))
    } catch {
      throw Problem(.cancelled, "the wait for another publisher was cancelled")
    }
  }

  private func settle() throws(StorageError) {
    let withPointers: [[Substring]] = [[], [Self.lockFolder[...]], [FeedLayout.metadataFolder[...]]]
    for folders in withPointers + [[FeedLayout.targetsFolder[...]]] {
      do {
        let folder = try open(folders[...])
        try folder.removeTemporaries()
        if withPointers.contains(folders) { try folder.sync() }
      } catch  where error.kind == .missing {
        // Nothing was ever published or signed there.
        continue
      }
    }
    let channels = [FeedLayout.channelsFolder[...]]
    let targets = [FeedLayout.targetsFolder[...]]
    let releases = FeedLayout.releasesFolder.split(separator: "/")
    for parents: [Substring] in [channels, targets + channels, releases] {
      do {
        let parent = try open(parents[...])
        for entry in try parent.entries() where entry.kind == .directory {
          let folder = try parent.subdirectory(entry.name)
          try folder.removeTemporaries()
          if parents == channels { try folder.sync() }
          // One that was made and never filled, or emptied and not removed.
          if try folder.entries().isEmpty { try parent.removeTree(entry.name) }
        }
      } catch  where error.kind == .missing {
        // Nothing was ever published there.
        continue
      }
    }
  }

  private func open(_ folders: ArraySlice<Substring>) throws(StorageError) -> Directory {
    var directory = try Directory.open(root)
    for folder in folders { directory = try directory.subdirectory(String(folder)) }
    return directory
  }

  /// Makes the names on the way to a file durable: that a killed publisher put them there does not make them so.
  private func sync(_ folders: ArraySlice<Substring>) throws(StorageError) {
    for depth in 0...folders.count { try open(folders.prefix(depth)).sync() }
  }

  private func create(_ folders: ArraySlice<Substring>) throws(StorageError) -> Directory {
    var directory = try Directory.open(root)
    for folder in folders {
      directory = try directory.subdirectory(creating: String(folder), mode: Self.folderMode)
    }
    return directory
  }

  private static func split(_ path: String) -> (folders: ArraySlice<Substring>, name: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return (parts.dropLast(), String(parts.last ?? ""))
  }
}

/// The lock of a folder, freed by the kernel when the process dies.
private struct DirectoryLock: FeedLock {
  let lock: FileLock

  func release() { lock.release() }
}

extension Problem {
  /// A disk error where a feed or an input is, with what its maintainer can do.
  init(onFeed error: StorageError) {
    let general = error.kind == .tooLarge ? Problem(.tooLarge, error.message) : Problem(error)
    let advice: String? =
      switch error.kind {
      case .full: "free some space and run the same command again"
      case .notPermitted where error.isReading: general.advice
      case .readOnly, .notPermitted: "run the command as a user that may write there"
      case .missing: nil
      default: general.advice
      }
    self.init(general.code, general.message, advice: advice)
  }
}
