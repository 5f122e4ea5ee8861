internal import OTACrypto
package import OTAManifest

/// Accepts what the feed serves, once it is a well-formed manifest of the right channel.
struct ChecksumsOnlyAuthority: ManifestAuthority {
  func newestManifest(of channel: Channel, from feed: FeedReader) async throws(Problem) -> VerifiedManifest {
    try feed.archive?.requireChannel(channel)
    let path = channel.manifestPath
    let bytes: [UInt8]
    do {
      bytes = try await feed.read(RelativePath(path), maxBytes: Limits.standard.maxManifestBytes)
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem(.misuse, "the channel \(channel) has no path")
    }
    if case .directory = feed.location {
      return try VerifiedManifest(local: bytes, name: path).required(for: channel)
    }
    let newest = try VerifiedManifest(unsigned: bytes, name: path).required(for: channel)
    guard let release = feed.archive?.release, release.digest != newest.digest else { return newest }
    return release.superseded(by: newest)
  }
}

extension VerifiedManifest {
  /// An older release that an archive brings along with the newest manifest of its channel.
  func superseded(by newest: VerifiedManifest) -> VerifiedManifest {
    var release = self
    release.newest = newest.manifest
    release.notices = newest.notices
    return release
  }

  /// Takes bytes that no signature covers.
  ///
  /// - Parameter name: the file's name for messages.
  package init(unsigned bytes: [UInt8], name: String) throws(Problem) {
    try self.init(accepted: bytes, name: name)
  }

  /// Takes bytes of a folder: what is wrong with them has nothing to do with a network.
  package init(local bytes: [UInt8], name: String) throws(Problem) {
    do {
      try self.init(accepted: bytes, name: name)
    } catch  where error.code == .htmlInstead || error.code == .manifestInvalid {
      guard let strange = StrangeContent(bytes) else { throw error }
      throw Problem(.manifestInvalid, "\(name) \(strange.message)", advice: strange.advice)
    }
  }

  /// The manifest itself, unless it belongs to another channel than the one whose path it stands at.
  func required(for channel: Channel) throws(Problem) -> VerifiedManifest {
    guard manifest.channel == channel else {
      throw Problem(
        .wrongChannel,
        "\(channel.manifestPath) belongs to the channel \(manifest.channel), not to \(channel)",
        advice: "tell the publisher of the feed")
    }
    return self
  }

  /// Parses bytes that the trust in force accepts as they are.
  init(accepted bytes: [UInt8], name: String) throws(Problem) {
    do {
      self.init(manifest: try Manifest.decode(bytes), bytes: bytes, digest: try sha256(bytes))
    } catch is InputError where StrangeContent(bytes)?.isFromVersionControl == true {
      throw Problem(
        .manifestInvalid, "\(name) \(StrangeContent(bytes)?.message ?? "")",
        advice: "tell the publisher of the feed; the next check tries again")
    } catch let error as InputError where error.reason == .html {
      throw Problem(
        .htmlInstead, "\(name) is not ours: an HTML page came instead of JSON",
        advice: "a login or maintenance page answers in its place; try again later")
    } catch let error as InputError {
      throw Problem(
        .manifestInvalid, error.field.isEmpty ? "\(name) \(error.message)" : "\(name): \(error.message)",
        advice: "tell the publisher of the feed; the next check tries again")
    } catch {
      throw Problem(.cryptoUnavailable, "cannot compute SHA-256 on this machine")
    }
  }
}
