internal import OTAFeed
internal import OTAManifest
internal import OTATrust

/// Which old metadata a signed feed keeps: every root, and the last few versions of the rest for readers under way.
struct MetadataRetention {
  /// How many versions of targets and snapshot stay, the live one included.
  static let keptVersions: Int64 = 20

  let metadata: MetadataState

  /// Removes what no client asks for any more; only files with the names that a publisher gives are touched.
  func apply(to host: any FeedHost) async throws(Problem) {
    try await host.remove(await surplus(on: host))
  }

  /// What no client asks for any more.
  func surplus(on host: any FeedHost) async throws(Problem) -> [String] {
    let live = [("targets", metadata.targets.version), ("snapshot", metadata.snapshot.version)]
    var surplus: [String] = []
    for name in try await host.list(FeedLayout.metadataFolder) {
      for (role, version) in live {
        guard let old = FeedLayout.metadataVersion(role, inName: name),
          old <= version - Self.keptVersions || old > max(version, MetadataBuilder.maxCountedVersion)
        else { continue }
        surplus.append("\(FeedLayout.metadataFolder)/\(name)")
      }
    }
    return surplus + (try await pointerCopies(on: host))
  }

  /// The copies of pointers go with the releases that they point at.
  private func pointerCopies(on host: any FeedHost) async throws(Problem) -> [String] {
    var surplus: [String] = []
    let kept = Set(
      metadata.files.filter { TargetsInventory.version(ofManifest: $0.key) != nil }.map(\.value.sha256))
    let listed = Set(metadata.files.values.map(\.sha256))
    let channels = try await host.list("\(FeedLayout.targetsFolder)/\(FeedLayout.channelsFolder)")
    for channel in [Channel.stable] + channels.compactMap({ Channel($0) }) {
      let folder = FeedLayout.pointerCopiesFolder(of: channel)
      for name in try await host.list(folder) {
        if let digest = FeedLayout.manifestDigest(inName: name) {
          guard !kept.contains(digest) else { continue }
        } else {
          guard let digest = Self.documentDigest(inName: name), !listed.contains(digest) else { continue }
        }
        surplus.append("\(folder)/\(name)")
      }
    }
    return surplus
  }

  /// The digest in the name of a document beside a pointer; `nil` for any other name.
  private static func documentDigest(inName name: String) -> Digest? {
    let endings = FeedDocuments.Kind.allCases.map { ".\($0.path(of: .stable))" }
    guard let ending = endings.first(where: name.hasSuffix) else { return nil }
    return Digest(hex: name.dropLast(ending.utf8.count))
  }
}
