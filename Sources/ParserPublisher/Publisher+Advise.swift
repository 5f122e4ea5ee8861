internal import OTAFeed
public import OTAManifest

/// What to say of sources between two releases.
public struct AdviseRequest: Sendable {
  /// The channel whose devices hear it.
  public var channel: Channel
  /// The advisories to put in the place of those on the same sources.
  public var advisories: [Advisory] = []
  /// The sources of which nothing is said any more.
  public var cleared: [SourceID] = []
  /// The moment to write; `nil` asks the clock.
  public var date: Timestamp?
  /// Who signs on a signed feed.
  public var signers: [any MetadataSigner] = []

  /// Asks for a change of the advisories of a channel.
  public init(channel: Channel = .stable) { self.channel = channel }
}

/// What became of advisories.
public struct AdviseReport: Sendable {
  /// Whether something was written.
  public let isChanged: Bool
  /// The document as it is now.
  public let advisories: Advisories
  /// What a person should know, each a sentence.
  public let warnings: [String]
  /// The paths that were written, below the feed and in order.
  public let writtenFiles: [String]
}

extension Publisher {
  /// The advisories of a channel; what has run out is not among them.
  public func advisories(of channel: Channel) async throws(Problem) -> Advisories {
    let state = try await readState()
    guard state.live[channel] != nil else { throw Self.unknownChannel(channel, state) }
    return state.documents.advisories[channel]?.current(at: now())
      ?? Advisories(channel: channel, written: now())
  }

  /// Changes the advisories of a channel in one signed write; devices take them at their next check.
  ///
  /// - Throws: `unresolved` for a source that the live catalog lacks, `too-large` for more than devices take.
  public func advise(_ request: AdviseRequest) async throws(Problem) -> AdviseReport {
    let before = try await readState()
    guard before.live[request.channel] != nil else { throw Self.unknownChannel(request.channel, before) }
    let date = request.date ?? now()
    let signing = try signing(request.signers, request.date, before, isDryRun: false)
    let warnings = try await requireKnown(request.advisories.map(\.source), before, request.channel)
    let state = try await announcing(
      FeedDocuments.Kind.advisories.rawValue, in: request.channel, of: before, request.date)
    let old = state.documents.advisories[request.channel]
    var next = (old ?? Advisories(channel: request.channel, revision: 0, written: date)).current(at: date)
    for advisory in request.advisories { next.set(advisory) }
    for source in request.cleared where !next.clear(source) {
      throw Problem(
        .unresolved, "there is no advisory on \(source.text.escaped())",
        advice: "parser-ota advise --list shows those that there are")
    }
    if let old, old.entries == next.entries {
      return AdviseReport(isChanged: false, advisories: old, warnings: warnings, writtenFiles: [])
    }
    (next.revision, next.written) = ((old?.revision ?? 0) + 1, date)
    try Self.requireSize(next)
    var documents = state.documents
    documents.set(next, of: request.channel)
    let written = try await documentCommit(signing).run(documents, basedOn: state)
    return AdviseReport(
      isChanged: true, advisories: next, warnings: warnings + (signing?.warnings ?? []),
      writtenFiles: written)
  }

  private static func requireSize(_ advisories: Advisories) throws(Problem) {
    let bytes = advisories.encoded().count
    guard bytes <= Advisories.maxBytes, advisories.entries.count <= Advisories.maxEntries else {
      throw Problem(
        .tooLarge,
        "\(advisories.entries.count) advisories in \(bytes) bytes are more than devices take: at most "
          + "\(Advisories.maxEntries) in \(Advisories.maxBytes) bytes",
        advice: "shorten the texts, clear old ones, or publish a release without the broken sources")
    }
  }

  /// Refuses a source that the live catalog does not have, with the one that was likely meant.
  private func requireKnown(
    _ sources: [SourceID], _ state: FeedState, _ channel: Channel
  ) async throws(Problem) -> [String] {
    guard let live = state.live[channel]?.manifest, !sources.isEmpty else { return [] }
    let catalog = try await lookup.catalog(of: live)
    for source in sources where catalog[source] == nil {
      let near = catalog.entries.first { $0.id.text.lowercased() == source.text.lowercased() }
      throw Problem(
        .unresolved, "release \(live.version) has no source \(source.text.escaped())",
        advice: near.map { "did you mean \($0.id.text.escaped())?" }
          ?? "parser-ota source list shows its sources")
    }
    return []
  }
}
