internal import OTAManifest
package import OTAStorage
internal import OTATrust

/// Trusted metadata in a folder: `root.json`, `timestamp.json`, …, the digests of all roots in `known-roots`, and small
/// targets in `targets/`.
///
/// Older versions kept each root in `roots/<version>.root.json`. That folder is read until there is `known-roots`, and goes then.
package struct DirectoryMetadataStore: TrustedMetadataStore {
  /// Not the name of any role's file, since those end in `.json`.
  private static let knownRootsName = "known-roots"
  private static let rootsName = "roots"
  /// Not the name of any role's file either.
  private static let expressName = "express-seen"
  private static let targetsName = "targets"
  private let directory: Directory

  /// Uses a folder that exists.
  package init(_ directory: Directory) { self.directory = directory }

  /// The bytes of a file; `nil` also for a link, a folder, or a file larger than any metadata in its place.
  package func load(_ item: StoredMetadata) throws(StorageError) -> [UInt8]? {
    do {
      return try folder(of: item).read(Self.name(of: item), maxBytes: TrustLimits.standard.maxTargetsBytes)
    } catch {
      switch error.kind {
      // Damage and tampering are answered like absence: the feed is asked for the file, and it is replaced.
      case .missing, .wrongKind, .tooLarge, .invalidName: return nil
      default: throw error
      }
    }
  }

  /// Replaces a file durably.
  package func store(_ bytes: [UInt8], as item: StoredMetadata) throws(StorageError) {
    let folder =
      switch item {
      case .newest, .roots, .express: directory
      case .root: try subdirectory(creating: Self.rootsName)
      case .target: try subdirectory(creating: Self.targetsName)
      }
    let name = Self.name(of: item)
    do {
      try folder.replace(name, with: bytes)
    } catch  where error.kind == .wrongKind {
      try folder.removeTree(name)
      try folder.replace(name, with: bytes)
    }
  }

  /// A folder for files; what else stands in its place goes, since all of it can be had from the feed again.
  private func subdirectory(creating name: String) throws(StorageError) -> Directory {
    do {
      return try directory.subdirectory(creating: name)
    } catch  where error.kind == .wrongKind {
      try directory.removeTree(name)
      return try directory.subdirectory(creating: name)
    }
  }

  /// Removes a file durably.
  package func remove(_ item: StoredMetadata) throws(StorageError) {
    let folder: Directory
    do {
      folder = try self.folder(of: item)
    } catch  where error.kind == .missing || error.kind == .wrongKind {
      return
    }
    guard try folder.kind(of: Self.name(of: item)) != nil else { return }
    try folder.removeTree(Self.name(of: item))
    try folder.sync()
  }

  /// Removes the unfinished files of processes that were killed; for the only one that writes.
  package func removeTemporaries() throws(StorageError) {
    try directory.removeTemporaries()
    do {
      try directory.subdirectory(Self.targetsName).removeTemporaries()
    } catch  where error.kind == .missing || error.kind == .wrongKind {
      // Nothing was ever stored there.
    }
    if try directory.kind(of: Self.name(of: .roots)) == .file, try directory.kind(of: Self.rootsName) != nil {
      try directory.removeTree(Self.rootsName)
    }
  }

  private func folder(of item: StoredMetadata) throws(StorageError) -> Directory {
    switch item {
    case .newest, .roots, .express: directory
    case .root: try directory.subdirectory(Self.rootsName)
    case .target: try directory.subdirectory(Self.targetsName)
    }
  }

  /// A name that stays inside the folder whatever the role is called.
  private static func name(of item: StoredMetadata) -> String {
    switch item {
    case .newest(let role): "\(percentEncoded(role)).json"
    case .roots: knownRootsName
    case .root(let version): "\(version).root.json"
    case .target(let path): percentEncoded(path)
    case .express: expressName
    }
  }
}
