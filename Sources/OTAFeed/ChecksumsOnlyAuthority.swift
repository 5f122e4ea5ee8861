internal import OTACrypto
package import OTAManifest

/// Accepts what the feed serves, once it is a well-formed manifest of the right channel.
struct ChecksumsOnlyAuthority: ManifestAuthority {
  var wishes = OfferWishes.complete

  func newestManifest(of channel: Channel, from feed: FeedReader) async throws(Problem) -> VerifiedManifest {
    try feed.archive?.requireChannel(channel)
    var source = UnsignedSource(feed: feed)
    guard let archive = feed.archive else {
      var search = OfferSearch(source, wishes)
      return try await search.newest(of: channel)
    }
    let newest = try await source.pointer(of: channel)
    return archive.release.digest == newest.digest ? newest : archive.release.superseded(by: newest)
  }
}

/// The files of a feed without signatures.
private struct UnsignedSource: ChannelSource {
  let feed: FeedReader

  mutating func pointer(of channel: Channel) async throws(Problem) -> VerifiedManifest {
    let path = channel.manifestPath
    let bytes = try await read(path, Limits.standard.maxManifestBytes)
    if case .directory = feed.location {
      return try VerifiedManifest(local: bytes, name: path).required(for: channel)
    }
    return try VerifiedManifest(unsigned: bytes, name: path).required(for: channel)
  }

  mutating func pointerIfAny(
    of channel: Channel, isAnnounced: Bool
  ) async throws(Problem) -> VerifiedManifest? {
    guard isAnnounced else { return nil }
    do {
      return try await pointer(of: channel)
    } catch  where Self.isAbsence(error) {
      return nil
    }
  }

  mutating func document(
    _ path: String, maxBytes: Int, isAnnounced: Bool
  ) async throws(Problem) -> [UInt8]? {
    guard isAnnounced else { return nil }
    do {
      return try await read(path, maxBytes)
    } catch  where Self.isAbsence(error) {
      return nil
    }
  }

  mutating func release(of rollout: Rollout) async throws(Problem) -> VerifiedManifest {
    let path = FeedLayout.manifest(rollout.manifest, of: rollout.version)
    return try VerifiedManifest(unsigned: try await read(path, Limits.standard.maxManifestBytes), name: path)
  }

  private func read(_ path: String, _ maxBytes: Int) async throws(Problem) -> [UInt8] {
    do {
      return try await feed.read(RelativePath(path), maxBytes: maxBytes)
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem(.misuse, "\(path) is no path of a feed")
    }
  }

  /// Not there, or a host that answers with its page for whatever is not there.
  private static func isAbsence(_ problem: Problem) -> Bool {
    [.notFound, .htmlInstead, .fileMissing].contains(problem.code)
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
