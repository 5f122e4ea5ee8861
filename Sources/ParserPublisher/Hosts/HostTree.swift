internal import OTAFeed
public import OTAManifest
internal import OTAStorage

/// All files of a feed on any host.
struct HostTree {
  let host: any FeedHost

  /// The paths below a folder, in order.
  func paths(below folder: String = "") async throws(Problem) -> [String] {
    var paths: [String] = []
    for name in try await host.list(folder) {
      let path = folder.isEmpty ? name : "\(folder)/\(name)"
      if FeedLayout.isFolder(path) {
        paths += try await self.paths(below: path)
      } else {
        paths.append(path)
      }
    }
    return paths
  }

  /// Copies the files of the feed into a folder of this machine, so that what reads folders can look at it.
  func copy(into folder: String) async throws(Problem) {
    let copy = DirectoryHost(root: folder)
    for path in try await paths() {
      let bytes = try await host.read(path, maxBytes: Int(Limits.standard.maxBundleBytes))
      if let bytes { _ = try copy.put(path, bytes) }
    }
  }
}

/// A copy of a feed of a host in a folder of this machine, for as long as this is kept.
public final class HostCopy: Sendable {
  /// The folder.
  public let folder: String

  /// Copies a feed.
  public init(of place: HostPlace) async throws(Problem) {
    folder = try HostPlace.temporaryFolder(place.environment)
    try await HostTree(host: try place.host()).copy(into: folder)
  }

  deinit {
    let parts = folder.split(separator: "/")
    // A copy that stays behind in the folder for temporary files does no harm.
    try? Directory.open("/" + parts.dropLast().joined(separator: "/")).removeTree(String(parts.last ?? ""))
  }
}
