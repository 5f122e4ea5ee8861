internal import OTAFeed
internal import OTAManifest

/// Whether the files of a release stand where this layout has them, and how to bring them there.
extension Manifest {
  /// Whether both files have addresses that signed metadata can list.
  var isInOwnLayout: Bool { bundle.targetPath != nil && sources.targetPath != nil }

  /// The same release with its files at their places in this layout, under the feed's own address.
  ///
  /// Digests and sizes stay, so devices that have the files need nothing new.
  func inOwnLayout(of settings: FeedSettings) throws(Problem) -> Manifest {
    var copy = self
    copy.bundle = try artifact(.bundle, settings)
    copy.sources = try artifact(.sources, settings)
    return copy
  }

  private func artifact(
    _ file: FeedLayout.ContentFile, _ settings: FeedSettings
  ) throws(Problem) -> Artifact {
    let artifact = file.artifact(of: self)
    return Artifact(
      location: try settings.location(of: TargetsInventory.content(file, of: self).path),
      sha256: artifact.sha256, bytes: artifact.bytes)
  }
}

extension WebAddress {
  /// The part of an address below a folder, without its query and with escapes resolved; `nil` for any other place.
  ///
  /// A host serves the same files over `http` and `https`, so the scheme makes no difference here.
  func path(below folder: WebAddress) -> String? {
    guard host == folder.host, effectivePort == folder.effectivePort || (port == nil && folder.port == nil)
    else { return nil }
    let base = folder.asFolder.path
    guard path.hasPrefix(base), path.utf8.count > base.utf8.count else { return nil }
    return path.dropFirst(base.count).percentDecoded
  }

  /// The folder of which this is the file at `path`; `nil` when the address does not end so.
  func folder(whenFileIsAt path: String) -> WebAddress? {
    guard self.path.hasSuffix("/" + path) else { return nil }
    let text = "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")\(self.path.dropLast(path.count))"
    // A part of an address that was accepted is accepted as well.
    return try? WebAddress(text)
  }

  private var effectivePort: Int { port ?? (scheme == "https" ? 443 : 80) }
}
