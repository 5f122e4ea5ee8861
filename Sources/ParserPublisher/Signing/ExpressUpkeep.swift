internal import OTAFeed
internal import OTAManifest
internal import OTATrust

/// Keeps the express file of a signed feed what it must be: everything that a device would ask for next.
///
/// It follows the timestamp: until it is written, devices that ask for it alone see the state before.
struct ExpressUpkeep {
  let host: any FeedHost

  /// How many of the newest roots are in it; devices that are further behind fetch the rest by their names.
  private static let maxRoots = 3
  /// Bytes of one patch and of all patches that come along.
  private static let patchBytes = (each: 1024, all: 1536)

  /// Writes the file for this state, unless it stands there already.
  ///
  /// - Returns: its path when it was written.
  func run(for metadata: MetadataState) async throws(Problem) -> String? {
    let bytes = try await bytes(for: metadata)
    guard try await current() != bytes else { return nil }
    try await host.replace(FeedLayout.express, with: bytes)
    return FeedLayout.express
  }

  /// The same for what is on the host now; a feed without signatures has no such file.
  func run(for state: FeedState) async throws(Problem) -> String? {
    guard let metadata = state.metadata else { return nil }
    return try await run(for: metadata)
  }

  private func current() async throws(Problem) -> [UInt8]? {
    do throws(Problem) {
      return try await host.read(FeedLayout.express, maxBytes: ExpressFile.maxPackedBytes)
    } catch  where error.code == .tooLarge || error.code == .wrongKind {
      return nil
    }
  }

  /// The file: all of it where that fits, less of it on a huge feed, and nothing where it cannot be made.
  private func bytes(for metadata: MetadataState) async throws(Problem) -> [UInt8] {
    let start = [
      FeedLayout.timestamp: metadata.timestamp.bytes,
      FeedLayout.metadata("snapshot", metadata.snapshot.version): metadata.snapshot.bytes,
    ].merging(roots(metadata.chain)) { $1 }
    let manifests = try await pointers(metadata)
    var full = start.merging(manifests) { $1 }
    full[FeedLayout.metadata("targets", metadata.targets.version)] = metadata.targets.bytes
    let patches = try await patches(of: manifests)
    for parts in [full.merging(patches) { $1 }, full, start] {
      if let bytes = ExpressFile(parts: parts).encoded() { return bytes }
    }
    // Better none than one that says what was.
    return []
  }

  private func roots(_ chain: RootChain) -> [String: [UInt8]] {
    var roots: [String: [UInt8]] = [:]
    for (index, bytes) in chain.files.enumerated().dropFirst().suffix(Self.maxRoots) {
      roots[FeedLayout.metadata("root", Int64(index + 1))] = bytes
    }
    return roots
  }

  /// The newest manifest of each channel, under the names that signed metadata gives to them.
  private func pointers(_ metadata: MetadataState) async throws(Problem) -> [String: [UInt8]] {
    var pointers: [String: [UInt8]] = [:]
    for (target, entry) in metadata.files {
      guard let channel = TargetsInventory.channel(ofPointer: target) else { continue }
      let path = FeedLayout.pointerCopy(entry.sha256, of: channel)
      if let bytes = try await host.read(path, maxBytes: Limits.standard.maxManifestBytes) {
        pointers[path] = bytes
      }
    }
    return pointers
  }

  /// The patches from the newest releases, as long as they are small.
  private func patches(of manifests: [String: [UInt8]]) async throws(Problem) -> [String: [UInt8]] {
    var (patches, left): ([String: [UInt8]], Int) = ([:], Self.patchBytes.all)
    for bytes in manifests.sorted(by: { $0.key < $1.key }).map(\.value) {
      // What cannot be read has no patches; signed readers find out themselves.
      guard let manifest = try? Manifest.decode(bytes) else { continue }
      for patch in manifest.bundle.patches + manifest.sources.patches {
        guard patch.bytes <= Self.patchBytes.each, patch.bytes <= left else { continue }
        let path = patch.location.text
        guard let bytes = try await host.read(path, maxBytes: Int(patch.bytes)) else { continue }
        patches[path] = bytes
        left -= bytes.count
      }
    }
    return patches
  }
}
