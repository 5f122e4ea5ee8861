internal import OTAFeed
internal import OTAManifest
public import ParserEngine
public import ParserPages

/// What came of one call of a parser.
public enum StepOutcome: Equatable, Sendable {
  /// It returned something of the right shape.
  case answered(ParserAnswer)
  /// It returned nothing that can be used.
  case failed(StepFailure)

  /// How much there is of what a reader needs; 0 for a failure.
  public var richness: Int { if case .answered(let answer) = self { answer.richness } else { 0 } }

  /// The outcome in a few words.
  public var summary: String {
    switch self {
    case .answered(let answer): answer.summary
    case .failed(let failure): failure.summary
    }
  }
}

/// Why a call gave no result.
public struct StepFailure: Error, Equatable, Sendable {
  /// Who or what is at fault.
  public enum Kind: String, Sendable, CaseIterable {
    /// The parser threw, never answered, or returned something of another shape.
    case parser
    /// A page could not be had.
    case page
    /// The bundle does not load, or its page did not survive the call.
    case bundle
    /// The bundle has no such source.
    case absent
  }

  /// Who or what is at fault.
  public let kind: Kind
  /// What happened, as the rest of a sentence.
  public let message: String
  /// The line in the bundle, from 1.
  public let line: Int?
  /// The column, from 1.
  public let column: Int?
  /// The page that could not be had.
  public let page: PageFault?

  /// Describes a failure.
  public init(
    _ kind: Kind, _ message: String, line: Int? = nil, column: Int? = nil, page: PageFault? = nil
  ) {
    (self.kind, self.message, self.page) = (kind, message, page)
    (self.line, self.column) = (line, column)
  }

  /// The failure of a call or of the bundle itself; only positions in the bundle count.
  public init(_ error: EngineError) {
    switch error {
    case .call(let fault):
      let isHere = fault.script == nil || fault.script == ParserBundle.scriptName
      self.init(
        fault.page == nil ? .parser : .page, fault.page?.message ?? "\(fault.name): \(fault.message)",
        line: isHere ? fault.line : nil, column: isHere ? fault.column : nil, page: fault.page)
    case .callTimedOut: self.init(.parser, error.text)
    case .script(let fault):
      self.init(.bundle, "the bundle does not load: \(error.text)", line: fault.line, column: fault.column)
    default: self.init(.bundle, error.text)
    }
  }

  /// The failure in one line, with its place.
  public var summary: String {
    let place = line.map { line in " (\(line)\(column.map { ":\($0)" } ?? ""))" } ?? ""
    return message.printable(maxCharacters: 300) + place
  }
}
