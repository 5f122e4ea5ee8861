internal import OTAManifest

/// Where the manifests and documents of a feed are read and accepted, by whatever trust.
protocol ChannelSource {
  /// The manifest that the pointer of a channel stands for.
  mutating func pointer(of channel: Channel) async throws(Problem) -> VerifiedManifest

  /// The same; `nil` when the channel has none.
  ///
  /// - Parameter isAnnounced: whether a manifest speaks of it, for feeds without a signed list.
  mutating func pointerIfAny(of channel: Channel, isAnnounced: Bool) async throws(Problem)
    -> VerifiedManifest?

  /// A small document beside the pointer; `nil` when there is none.
  ///
  /// - Parameter isAnnounced: whether the pointer's manifest speaks of it, for feeds without a signed list.
  mutating func document(
    _ path: String, maxBytes: Int, isAnnounced: Bool
  ) async throws(Problem) -> [UInt8]?

  /// The manifest of a release that a rollout names.
  mutating func release(of rollout: Rollout) async throws(Problem) -> VerifiedManifest
}

/// Finds the one release of a channel that a reader should be offered, by one rule for every trust.
///
/// A candidate or a line that cannot be had is no reason to refuse what everybody may have.
struct OfferSearch<Source: ChannelSource> {
  let wishes: OfferWishes
  var source: Source

  /// The names by which an unsigned manifest announces documents.
  private enum Document {
    static var rollout: String { "rollout" }
    static var advisories: String { "advisories" }
    static var lines: String { "lines" }
  }

  init(_ source: Source, _ wishes: OfferWishes) {
    self.source = source
    self.wishes = wishes
  }

  mutating func newest(of wanted: Channel) async throws(Problem) -> VerifiedManifest {
    var offer = try await source.pointer(of: wanted)
    // One step: a channel that ended leads to one that goes on.
    if wishes.followsEndedChannels, let next = offer.manifest.follow {
      offer = try await source.pointer(of: next)
    }
    if !wishes.canUse(offer.manifest), let line = try await line(instead: offer) { offer = line }
    var documents = ChannelDocuments()
    documents.rollout = await rollout(of: offer)
    if wishes.wantsAdvisories { documents.advisories = await advisories(of: offer) }
    if let candidate = await candidate(documents.rollout.value, offer) { offer = candidate }
    offer.documents = documents
    return offer
  }

  private mutating func line(instead newest: VerifiedManifest) async throws(Problem) -> VerifiedManifest? {
    for line in wishes.lines(newest.manifest.channel) {
      let isAnnounced = newest.manifest.beside.contains(Document.lines)
      guard let offer = try await source.pointerIfAny(of: line, isAnnounced: isAnnounced),
        wishes.canUse(offer.manifest)
      else { continue }
      return offer
    }
    return nil
  }

  private mutating func rollout(of offer: VerifiedManifest) async -> Heard<Rollout> {
    let channel = offer.manifest.channel
    do {
      guard
        let bytes = try await source.document(
          channel.rolloutPath, maxBytes: Rollout.maxBytes,
          isAnnounced: offer.manifest.beside.contains(Document.rollout))
      else { return .known(nil) }
      let rollout = try Rollout.decode(bytes)
      return rollout.channel == channel ? .known(rollout) : .unknown
    } catch {
      // A document that cannot be had or read holds nothing back: the complete release is offered.
      return .unknown
    }
  }

  private mutating func advisories(of offer: VerifiedManifest) async -> Heard<Advisories> {
    let channel = offer.manifest.channel
    do {
      guard
        let bytes = try await source.document(
          channel.advisoriesPath, maxBytes: Advisories.maxBytes,
          isAnnounced: offer.manifest.beside.contains(Document.advisories))
      else { return .known(nil) }
      let advisories = try Advisories.decode(bytes)
      return advisories.channel == channel ? .known(advisories) : .unknown
    } catch {
      // What was heard before goes on; the next check asks again.
      return .unknown
    }
  }

  private mutating func candidate(
    _ rollout: Rollout?, _ complete: VerifiedManifest
  ) async -> VerifiedManifest? {
    guard let rollout, rollout.version > complete.manifest.version,
      wishes.wantsCandidate(rollout, complete.manifest)
    else { return nil }
    do {
      var candidate = try await source.release(of: rollout)
      let manifest = candidate.manifest
      guard candidate.digest == rollout.manifest, manifest.version == rollout.version,
        manifest.channel == rollout.channel, wishes.canUse(manifest)
      else { return nil }
      candidate.complete = PointedRelease(manifest: complete.manifest, digest: complete.digest)
      candidate.notices = complete.notices
      return candidate
    } catch {
      // A candidate that cannot be had hides nothing: everybody's release is offered.
      return nil
    }
  }
}
