internal import OTAFeed
internal import OTAManifest
internal import ParserEngine
internal import ParserPages
internal import ParserPublisher
internal import ParserWorkbench

/// What went wrong with a parser, and who must act: its author, the site, or the owner of this machine.
extension ParserVerb {
  /// The engine is missing or does not start.
  static func noEngine(_ reason: String) -> CommandFailure {
    CommandFailure(
      .notAchieved, code: ProblemCode.noEngine.rawValue,
      message: "the engine cannot be used: \(reason.printable(maxCharacters: 300))",
      hint: "install parser-ota-engine beside parser-ota, or name it with --engine FILE")
  }

  /// A call that gave no result.
  ///
  /// - Parameter call: what was asked, such as `list of ABC`.
  static func failure(_ error: EngineError, of call: String, in bundle: String) -> CommandFailure {
    switch error {
    case .notInstalled(let path): return noEngine("\(path) is not installed")
    case .notStarted(let words): return noEngine("it does not start: \(words)")
    case .cancelled, .closed:
      return CommandFailure(.tryLater, code: ProblemCode.cancelled.rawValue, message: "\(call) was cancelled")
    default: return failure(StepFailure(error), of: call, in: bundle)
    }
  }

  /// A call that failed, with the place in the bundle, or with the page that could not be had.
  static func failure(_ failure: StepFailure, of call: String, in bundle: String) -> CommandFailure {
    if let page = failure.page { return self.failure(page, of: call) }
    var place = failure.line.map { "\(bundle):\($0)" }
    if let column = failure.column { place = place.map { "\($0):\(column)" } }
    var result = CommandFailure(
      .notAchieved, code: ProblemCode.parserFailed.rawValue,
      message:
        "\(call) failed: \(failure.message.printable(maxCharacters: 300))\(place.map { " (\($0))" } ?? "")",
      hint: failure.line == nil
        ? "the parser is at fault; --trace shows its requests and what it logs"
        : "the parser is at fault; look at the place that is named")
    result.payload = [
      JSONMember("line", failure.line.map { .integer(Int64($0)) } ?? .null),
      JSONMember("column", failure.column.map { .integer(Int64($0)) } ?? .null),
    ]
    return result
  }

  /// A page that could not be had, which is no fault of the parser unless it asked for what nobody may have.
  private static func failure(_ page: PageFault, of call: String) -> CommandFailure {
    let code = PageFaultCode(rawValue: page.code)
    let isOfParser = code.map { [.refusedURL, .refusedRequest, .notRecorded].contains($0) } ?? false
    var result = CommandFailure(
      isOfParser ? .notAchieved : .tryLater,
      code: (isOfParser ? ProblemCode.parserFailed : .pageUnavailable).rawValue,
      message: "\(call) got no page from \(page.url.printable(maxCharacters: 300)): "
        + "\(page.message.printable(maxCharacters: 300)) [\(page.code.printable())]",
      hint: code?.advice ?? "open the URL in a browser")
    result.payload = [
      JSONMember(
        "page",
        .object([
          JSONMember("code", .string(page.code)), JSONMember("url", .string(page.url)),
          JSONMember("status", page.status.map { .integer(Int64($0)) } ?? .null),
        ]))
    ]
    return result
  }

  /// A recording that cannot be read or written.
  static func failure(_ error: FixtureError) -> CommandFailure {
    switch error {
    case .storage(let error): return CommandFailure(Problem(error))
    case .missing:
      return CommandFailure(
        .notAchieved, code: ProblemCode.notRecorded.rawValue, message: error.message,
        hint: "record it: parser-ota record --source ID --out DIR")
    case .foreignFolder:
      return CommandFailure(
        ExitStatus(ProblemCode.foreignFolder.responsibility), code: ProblemCode.foreignFolder.rawValue,
        message: error.message, kept: "nothing was changed there",
        hint: "give an empty folder, or one that does not exist yet")
    case .malformed, .unusable:
      return CommandFailure(
        .untrustedContent, code: ProblemCode.fixtureInvalid.rawValue, message: error.message,
        kept: "every recording as it was", hint: "record the source again: parser-ota record")
    }
  }
}
