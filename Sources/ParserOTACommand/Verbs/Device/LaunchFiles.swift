internal import OTAManifest
internal import OTAStorage
internal import ParserUpdater

/// The files of one launch, where a program outside of the store finds them.
struct LaunchFiles {
  static let names = ["parsers.bundle.js", "sources.json", "manifest.json"]
  private static let maxManifestBytes = Limits.standard.maxManifestBytes

  /// The folder that holds all three; `nil` when they are only in memory.
  let folder: String?

  var bundle: String? { folder.map { "\($0)/\(Self.names[0])" } }
  var sources: String? { folder.map { "\($0)/\(Self.names[1])" } }
  var manifest: String? { folder.map { "\($0)/\(Self.names[2])" } }

  /// The files where the launch has them.
  init(of active: ActiveRelease) { folder = active.folder }

  private init(folder: String) { self.folder = folder }

  /// Writes the three files of a launch to a folder, which changes from one launch to the next in one step.
  static func write(
    _ active: ActiveRelease, to place: LaunchPlace
  ) throws(CommandFailure) -> LaunchFiles {
    do {
      try place.replace([active.bundle, active.sources, manifestBytes(of: active)])
    } catch {
      throw CommandFailure(error, of: "--out", hint: "give a folder that this user may write to")
    }
    return LaunchFiles(folder: place.path)
  }

  /// The manifest as the feed gave it, else the same values written anew.
  private static func manifestBytes(of active: ActiveRelease) -> [UInt8] {
    if let folder = active.folder {
      do {
        let bytes = try readFile(at: "\(folder)/\(names[2])", maxBytes: maxManifestBytes)
        if try Manifest.decode(bytes) == active.manifest { return bytes }
      } catch {
        // The launch verified its own copy in memory, which is written below.
      }
    }
    return active.manifest?.json.encoded(indented: true) ?? []
  }
}

/// A folder that is free, empty, or holds an earlier launch: nothing else is ever replaced.
struct LaunchPlace {
  let path: String
  private let parent: Directory
  private let name: String
  private let exists: Bool

  /// Looks at the folder before anything is launched.
  init(_ path: String) throws(CommandFailure) {
    self.path = path
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    name = String(path[path.index(after: slash)...])
    do {
      parent = try Directory.open(slash == path.startIndex ? "/" : String(path[..<slash]))
      let kind = try parent.kind(of: name)
      exists = kind != nil
      if exists { try Self.requireOurs(try parent.subdirectory(name)) }
    } catch let failure as CommandFailure {
      throw failure
    } catch let error as StorageError {
      throw CommandFailure(
        error, of: "--out", hint: "give a folder that can be made, or one of an earlier launch")
    } catch {
      throw CommandFailure(.storageFailed, "--out: \(path) cannot be looked at")
    }
  }

  private static func requireOurs(_ folder: Directory) throws {
    let known = LaunchFiles.names
    let foreign = try folder.entries().first { !known.contains($0.name) || $0.kind != .file }
    guard let foreign else { return }
    throw CommandFailure(
      .foreignFolder, "--out: \(folder.path) holds \(foreign.name.printable()), which is not of a launch",
      kept: "everything in it", hint: "give an empty folder, or one that is free")
  }

  /// Puts the files there, all of them in one step, each under its name.
  func replace(_ contents: [[UInt8]]) throws(StorageError) {
    // A killed run may have left its own: these are names that nothing else has.
    let prefix = Directory.temporaryPrefix + name + "-"
    for entry in try parent.entries() where entry.kind == .directory && entry.name.hasPrefix(prefix) {
      try parent.removeTree(entry.name)
    }
    let temporary = prefix + String(UInt64.random(in: .min ... .max), radix: 16)
    do {
      let folder = try parent.subdirectory(creating: temporary, mode: 0o755)
      for (name, bytes) in zip(LaunchFiles.names, contents) {
        try folder.replace(name, with: bytes, mode: 0o644)
      }
      if exists {
        try parent.exchange(temporary, with: name)
      } else {
        try parent.renameExclusively(temporary, to: name, in: parent)
      }
      try parent.sync()
    } catch {
      // What went wrong is what counts.
      try? parent.removeTree(temporary)
      throw error
    }
    try parent.removeTree(temporary)
  }
}
