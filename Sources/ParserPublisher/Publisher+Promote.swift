internal import OTAFeed
public import OTAManifest

/// The files of a release of the same feed, to be published again.
struct PromotedRelease: Sendable {
  let bundle: [UInt8]
  let sources: [UInt8]
  /// The release that first had these files.
  let content: ReleaseVersion
}

/// Which release goes to which channel, and what it must pass.
public struct PromoteRequest: Sendable {
  /// The channel that has the release.
  public var from: Channel
  /// The channel that gets it.
  public var to: Channel
  /// The release; `nil` for the newest that everybody in `from` may have.
  public var version: ReleaseVersion?

  /// Asks to promote the newest release of a channel.
  public init(from: Channel, to: Channel, version: ReleaseVersion? = nil) {
    (self.from, self.to, self.version) = (from, to, version)
  }
}

extension Publisher {
  /// Publishes a release of one channel in another: the same files, compared with what is live there.
  ///
  /// Nothing but manifests is uploaded. Notes, contract and aliases come along unless the request names others.
  ///
  /// - Parameter publish: what else is wanted: gate, rollout, signers; its paths and channel do not count.
  /// - Throws: what `publish` throws, `no-such-release` when the release is not one of `from`.
  public func promote(
    _ request: PromoteRequest, _ publish: PublishRequest
  ) async throws(Problem) -> PublishReport {
    let state = try await readState()
    guard request.from != request.to else {
      throw Problem(.inputRefused, "channel \(request.from) already has its own releases: name two channels")
    }
    let release = try promoted(request, state)
    let manifest = release.manifest
    var next = publish
    (next.bundlePath, next.sourcesPath) = (
      "release \(manifest.version) (bundle)", "release \(manifest.version) (catalog)"
    )
    (next.bundleName, next.sourcesName) = (next.bundlePath, next.sourcesPath)
    next.channel = request.to
    next.notes = publish.notes ?? manifest.notes
    next.contract = publish.contract ?? manifest.contract
    next.minimumAppVersion = publish.minimumAppVersion ?? manifest.minimumAppVersion
    next.aliases = manifest.aliases + publish.aliases.filter { !manifest.aliases.contains($0) }
    next.promoted = PromotedRelease(
      bundle: try await lookup.bytes(of: .bundle, in: manifest),
      sources: try await lookup.bytes(of: .sources, in: manifest), content: manifest.content)
    return try await self.publish(next)
  }

  private func promoted(_ request: PromoteRequest, _ state: FeedState) throws(Problem) -> VerifiedManifest {
    guard let live = state.live[request.from] else { throw Self.unknownChannel(request.from, state) }
    guard let version = request.version else { return live }
    let own = state.releases.filter { $0.manifest.channel == request.from }
    guard let found = own.first(where: { $0.manifest.version == version }) else {
      if let lost = state.problem(ofLost: version) { throw lost }
      let known = own.prefix(5).map { "\($0.manifest.version)" }.joined(separator: ", ")
      throw Problem(
        .noSuchRelease, "channel \(request.from) has no release \(version); available: \(known)",
        advice: "parser-ota releases lists them with their notes")
    }
    return found
  }
}

extension PublishRequest {
  /// The request for the line that it names, which is a channel of its own.
  func intoItsLine() throws(Problem) -> PublishRequest {
    guard let line else { return self }
    guard contract == line else {
      throw Problem(
        .inputRefused,
        "line \(line) is for apps that implement contract \(line), and the release names "
          + (contract.map { "contract \($0)" } ?? "none"),
        advice: "add --contract \(line)")
    }
    guard let channel = channel.line(line) else {
      throw Problem(
        .inputRefused, "channel \(channel) can have no lines: its name is too long, or it is one itself")
    }
    var request = self
    (request.channel, request.line) = (channel, nil)
    return request
  }
}
