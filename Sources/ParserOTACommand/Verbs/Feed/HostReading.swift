internal import OTAFeed
internal import OTAManifest
internal import ParserPublisher

/// Lets verbs that read folders read a feed on a host: from a copy that is named as the host is.
struct HostReading {
  private let copy: HostCopy
  private let name: String

  /// The copy of the feed that `--feed` names; `nil` for a folder or the public address of a feed.
  static func begin(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) async throws(CommandFailure) -> HostReading? {
    guard let text = arguments.value("feed"), HostPlace.isHost(text) else { return nil }
    let copy = try await DeviceVerb.run { () async throws(Problem) in
      try await HostCopy(of: HostPlace(text, environment: context.environment))
    }
    return HostReading(copy: copy, name: text)
  }

  /// The copy as a feed.
  var location: FeedLocation { .directory(copy.folder) }

  /// A result that speaks of the host and not of the copy.
  func named(_ result: CommandResult) -> CommandResult {
    var lines = result.output
    if case .lines(let texts) = lines { lines = .lines(texts.map(named)) }
    var named = CommandResult(
      status: result.status, code: result.code, message: named(result.message),
      messageGoes: result.messageGoes, output: lines, payload: result.payload.map(named),
      warnings: result.warnings.map(named), hint: result.hint.map(named))
    named.status = result.status
    return named
  }

  /// A failure that speaks of the host and not of the copy.
  func named(_ failure: CommandFailure) -> CommandFailure {
    var named = failure
    named.message = self.named(failure.message)
    named.hint = failure.hint.map(self.named)
    named.details = failure.details.map(self.named)
    named.payload = failure.payload.map(self.named)
    return named
  }

  private func named(_ text: String) -> String { text.replacing(copy.folder, with: name) }

  private func named(_ member: JSONMember) -> JSONMember {
    guard member.key == "feed", case .string(let text) = member.value else { return member }
    return JSONMember(member.key, .string(named(text)))
  }

  /// Does something with the copy.
  func read(
    _ body: (FeedLocation) async throws(CommandFailure) -> CommandResult
  ) async throws(CommandFailure) -> CommandResult {
    do {
      let result = try await body(location)
      return named(result)
    } catch {
      throw named(error)
    }
  }
}
