internal import OTAFeed
public import OTAManifest

/// What became of a change to a rollout.
public struct RolloutReport: Sendable {
  /// How it ended.
  public enum Outcome: String, Sendable {
    /// The document was written.
    case changed
    /// The release is everybody's now.
    case completed
    /// There was nothing to change.
    case nothingToDo = "nothing-to-do"
  }

  /// How it ended.
  public let outcome: Outcome
  /// The document as it is now.
  public let rollout: Rollout
  /// The moment at which it was looked at.
  public let moment: Timestamp
  /// The newest release that everybody may have.
  public let complete: ReleaseVersion
  /// What a person should know, each a sentence.
  public let warnings: [String]
  /// The paths that were written, below the feed and in order.
  public let writtenFiles: [String]
}

/// What to do with the rollout of a channel.
public struct RolloutRequest: Sendable {
  /// What to do.
  public enum Action: Equatable, Sendable {
    case status
    case change(Rollout.Change)
    /// Gives the release to everybody, old clients included.
    case complete
  }

  /// The channel.
  public var channel: Channel
  /// What to do.
  public var action: Action
  /// The moment to write; `nil` asks the clock.
  public var date: Timestamp?
  /// Who signs on a signed feed.
  public var signers: [any MetadataSigner] = []

  /// Asks for the state of a rollout, or for a change of it.
  public init(_ action: Action, channel: Channel = .stable) {
    (self.action, self.channel) = (action, channel)
  }
}

extension Publisher {
  /// Looks at the rollout of a channel or changes it, in one signed write.
  ///
  /// - Throws: `no-such-release` when no rollout goes on in the channel.
  public func rollout(_ request: RolloutRequest) async throws(Problem) -> RolloutReport {
    let state = try await readState()
    let (channel, date) = (request.channel, request.date ?? now())
    guard let rollout = state.documents.rollouts[channel], let live = state.live[channel]?.manifest,
      let candidate = state.candidate(of: channel)
    else { throw Self.noRollout(state, channel) }
    func report(
      _ outcome: RolloutReport.Outcome, _ rollout: Rollout, written: [String] = [], warnings: [String] = []
    ) -> RolloutReport {
      RolloutReport(
        outcome: outcome, rollout: rollout, moment: date, complete: live.version, warnings: warnings,
        writtenFiles: written)
    }
    switch request.action {
    case .status: return report(.nothingToDo, rollout)
    case .complete:
      let done = try await complete(candidate, state, request)
      return report(.completed, rollout, written: done.writtenFiles, warnings: done.warnings)
    case .change(let change):
      guard let next = rollout.applying(change, at: date) else { return report(.nothingToDo, rollout) }
      // The last step gives the release to everybody: then old clients get it too.
      if next.isComplete(at: date) {
        let done = try await complete(candidate, state, request)
        return report(.completed, next, written: done.writtenFiles, warnings: done.warnings)
      }
      let signing = try signing(request.signers, request.date, state, isDryRun: false)
      var documents = state.documents
      documents.set(next, of: channel)
      let written = try await documentCommit(signing).run(documents, basedOn: state)
      return report(.changed, next, written: written, warnings: signing?.warnings ?? [])
    }
  }

  func documentCommit(_ signing: FeedSigning?) -> DocumentCommit {
    DocumentCommit(host: host, place: place, signing: signing)
  }

  /// Moves the pointer of everybody to the release of a rollout; its files are on the feed already.
  private func complete(
    _ candidate: VerifiedManifest, _ state: FeedState, _ request: RolloutRequest
  ) async throws(Problem) -> PublishReport {
    if state.documents.rollouts[request.channel]?.state == .withdrawn {
      throw Problem(
        .withdrawnContent, "release \(candidate.manifest.version) was withdrawn",
        kept: state.kept(request.channel),
        advice: "publish a corrected release")
    }
    let signing = try signing(request.signers, request.date, state, isDryRun: false)
    let draft = ReleaseDraft(candidate, previous: state.live[request.channel]?.manifest.version)
    return try await finish(draft, on: state, signing, dryRun: false)
  }

  private static func noRollout(_ state: FeedState, _ channel: Channel) -> Problem {
    if let live = state.live[channel]?.manifest {
      return Problem(
        .noSuchRelease,
        "no rollout goes on in channel \(channel): everybody may have release \(live.version)",
        advice: "begin one with parser-ota publish --rollout 10%")
    }
    return unknownChannel(channel, state)
  }

  /// A channel without releases, with the name that was likely meant.
  static func unknownChannel(_ channel: Channel, _ state: FeedState) -> Problem {
    let known = state.live.keys.map(\.name).sorted()
    let near = known.min { distance($0, channel.name) < distance($1, channel.name) }
    let meant = near.flatMap { distance($0, channel.name) <= 2 ? $0 : nil }
    return Problem(
      .noSuchRelease, "channel \(channel) has no releases yet",
      advice: meant.map { "did you mean \($0)?" }
        ?? (known.isEmpty
          ? "publish one with parser-ota publish" : "channels of this feed: \(known.joined(separator: ", "))")
    )
  }

  /// How many letters differ between two names (Levenshtein).
  private static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    var row = Array(0...right.count)
    for (index, code) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let cost = min(row[column + 1] + 1, row[column] + 1, diagonal + (right[column] == code ? 0 : 1))
        (diagonal, row[column + 1]) = (row[column + 1], cost)
      }
    }
    return row[right.count]
  }
}
