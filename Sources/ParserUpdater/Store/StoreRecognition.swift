internal import OTACrypto
internal import OTAManifest
internal import OTAStorage

/// Tells a store of ours from a folder with other data, in which nothing is made, changed or removed.
///
/// A store has a mark in its lock file. One that an earlier version made is known by what is in it.
enum StoreRecognition {
  /// What a folder turned out to be.
  enum Finding: Equatable {
    case marked
    /// A store without a mark.
    case unmarked
    case empty
    /// Another folder, with a name in it that no store has.
    case foreign(String)
  }

  /// What the lock file begins with.
  static let mark = Array("parser-ota store\n".utf8)

  /// Names that file systems and desktops make in every folder.
  private static let harmless: Set<String> = ["lost+found", ".DS_Store", ".nomedia"]

  /// Looks at a folder; reads one small file when it has the mark.
  ///
  /// - Throws: the reason why it is not known what the folder is.
  static func look(at root: Directory) throws(StorageError) -> Finding {
    var unknown: StorageError?
    if shows(.mark, root, &unknown) { return .marked }
    let entries = try root.entries().filter { !harmless.contains($0.name) }
    if entries.isEmpty { return .empty }
    if Sign.contents.contains(where: { shows($0, root, &unknown) }) { return .unmarked }
    if let unknown { throw unknown }
    for entry in entries {
      guard try !isOurs(entry, in: root) else { continue }
      // Another process may have made the store meanwhile.
      return shows(.mark, root, &unknown) ? .marked : .foreign(entry.name)
    }
    return .unmarked
  }

  /// What tells that a folder is a store.
  private enum Sign {
    case mark, state, settings, history, release

    static let contents: [Sign] = [.state, .settings, .history, .release]
  }

  /// Whether a sign is there; what cannot be looked at is kept, in case that nothing else tells.
  private static func shows(_ sign: Sign, _ root: Directory, _ unknown: inout StorageError?) -> Bool {
    do {
      return switch sign {
      case .mark: try isMarked(root)
      case .state: try hasState(root)
      case .settings: try hasSettings(root)
      case .history: try !HistoryFile(root: root).read().isEmpty
      case .release: try hasRelease(root)
      }
    } catch {
      if error.leavesUnknown { unknown = unknown ?? error }
      return false
    }
  }

  private static func isMarked(_ root: Directory) throws(StorageError) -> Bool {
    try root.read(DeviceStore.Name.lock, maxBytes: 4096).starts(with: mark)
  }

  private static func hasState(_ root: Directory) throws(StorageError) -> Bool {
    StateFile.isState(try root.read(StateFile.name, maxBytes: Limits.standard.maxStateBytes))
  }

  /// What `device init` of the tool writes.
  private static func hasSettings(_ root: Directory) throws(StorageError) -> Bool {
    isValid(try root.read("device.json", maxBytes: 64 << 10)) { (bytes) throws(InputError) in
      let object = try JSONObject(JSONReader.read(bytes, maxBytes: bytes.count))
      _ = try object.integer("format")
      for name in ["feed", "trust", "embedded"] { _ = try object.string(name) }
    }
  }

  /// A folder whose name is made of the number of a release and the digest of the manifest in it.
  private static func hasRelease(_ root: Directory) throws(StorageError) -> Bool {
    let releases = try root.subdirectory(DeviceStore.Name.releases)
    for entry in try releases.entries() where DeviceStore.Name.isRelease(entry.name) {
      do {
        let digest = try ReleaseFiles.readManifest(in: releases.subdirectory(entry.name)).digest
        if entry.name.hasSuffix("-\(digest.hex.prefix(16))") { return true }
      } catch {
        // Another one may tell.
      }
    }
    return false
  }

  private static func isValid(_ bytes: [UInt8], _ read: ([UInt8]) throws(InputError) -> Void) -> Bool {
    do {
      try read(bytes)
      return true
    } catch {
      // A file of something else, or a damaged one of ours: it tells nothing.
      return false
    }
  }

  /// Whether a name and what it stands for is what a store has before its first state.
  private static func isOurs(_ entry: DirectoryEntry, in root: Directory) throws(StorageError) -> Bool {
    switch (entry.name, entry.kind) {
    case (DeviceStore.Name.lock, .file), (DeviceStore.Name.launches, .file):
      try root.size(of: entry.name) == 0
    case (DeviceStore.Name.incoming, .directory): try hasOnly(DeviceStore.Name.isScratch, entry, root)
    case (DeviceStore.Name.partial, .directory): try hasOnly(DeviceStore.Name.isPartial, entry, root)
    case (DeviceStore.Name.releases, .directory): try hasOnly(DeviceStore.Name.isRelease, entry, root)
    case ("metadata", .directory): try hasOnly(isMetadata, entry, root)
    case ("root.json", .file): try isRoot(root.read(entry.name, maxBytes: 1 << 20))
    case (let name, .file): name.hasPrefix(Directory.temporaryPrefix)
    default: false
    }
  }

  private static func hasOnly(
    _ isOurs: (String) -> Bool, _ entry: DirectoryEntry, _ root: Directory
  ) throws(StorageError) -> Bool {
    try root.subdirectory(entry.name).entries().allSatisfy { isOurs($0.name) }
  }

  private static func isMetadata(_ name: String) -> Bool {
    let roles = ["root", "timestamp", "snapshot", "targets"].map { "\($0).json" }
    return (roles + ["known-roots", "roots", "targets"]).contains(name)
      || name.hasPrefix(Directory.temporaryPrefix)
  }

  private static func isRoot(_ bytes: [UInt8]) -> Bool {
    isValid(bytes) { (bytes) throws(InputError) in
      let object = try JSONObject(JSONReader.read(bytes, maxBytes: bytes.count))
      _ = try object.object("signed")
      _ = try object.array("signatures")
    }
  }
}
