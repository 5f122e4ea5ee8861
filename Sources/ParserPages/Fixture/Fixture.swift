public import OTAManifest
public import ParserEngine

/// The pages of one source on one day, and what its parser made of them.
public struct Fixture: Equatable, Sendable {
  /// One call that was made, and what it returned.
  public struct Step: Equatable, Sendable {
    /// What was asked of the parser.
    public let method: ParserCall.Method
    /// With which arguments.
    public let arguments: JSONValue
    /// What it returned.
    public let answer: ParserAnswer

    /// Describes a step.
    public init(_ method: ParserCall.Method, _ arguments: JSONValue, answer: ParserAnswer) {
      self.method = method
      self.arguments = arguments
      self.answer = answer
    }
  }

  /// The version of the format that this code writes and reads.
  public static let format: Int64 = 1

  /// The source.
  public let source: SourceID
  /// The domain that its parser had.
  public let domain: String
  /// When the pages were recorded.
  public let recorded: Timestamp
  /// The digest of the bundle that recorded them.
  public let bundle: Digest
  /// The calls, in order.
  public let steps: [Step]
  /// The requests that the calls made, in the order in which they were answered.
  public let exchanges: [Exchange]

  /// Puts a recording together.
  public init(
    source: SourceEntry, recorded: Timestamp, bundle: Digest, steps: [Step], exchanges: [Exchange]
  ) {
    self.init(
      source: source.id, domain: source.domain, moment: (recorded, bundle), steps: steps, exchanges: exchanges
    )
  }

  init(
    source: SourceID, domain: String, moment: (recorded: Timestamp, bundle: Digest), steps: [Step],
    exchanges: [Exchange]
  ) {
    self.source = source
    self.domain = domain
    (recorded, bundle) = moment
    self.steps = steps
    self.exchanges = exchanges
  }

  /// The same recording for a source that had, or has, another id.
  public func renamed(to source: SourceID) -> Fixture {
    Fixture(source: source, domain: domain, moment: (recorded, bundle), steps: steps, exchanges: exchanges)
  }

  /// The recording without its pages, for what only needs its steps.
  public var withoutPages: Fixture {
    Fixture(source: source, domain: domain, moment: (recorded, bundle), steps: steps, exchanges: [])
  }

  /// The largest number of calls in a recording.
  static let maxSteps = 64
  /// The largest number of requests in a recording; a parser that needs more is lost in a loop.
  public static let maxExchanges = 1000
  /// The largest size of the index file.
  static let maxIndexBytes = 4 << 20
  /// The largest size of one page.
  static let maxPageBytes = 8 << 20
  /// The largest size of all answers together; a recording is held in memory.
  public static let maxTotalBytes = 128 << 20
}
