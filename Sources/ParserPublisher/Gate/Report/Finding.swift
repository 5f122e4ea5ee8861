internal import OTAManifest
internal import OTAFeed

/// One thing that a check found: what, where, and what to do about it.
public struct Finding: Equatable, Sendable {
  /// What a finding means for the release.
  public enum Severity: String, Sendable, CaseIterable {
    /// The release does not go out.
    case error
    /// Shown, and the release goes out.
    case warning
    /// Worth knowing.
    case note
  }

  /// Where it is; every part may be unknown.
  public struct Place: Equatable, Sendable {
    /// The file, as whoever asked for the check named it.
    public var file: String?
    /// The line, from 1.
    public var line: Int?
    /// The column in UTF-16 units, from 1, as SARIF and browsers count.
    public var column: Int?

    /// Names a place.
    public init(file: String? = nil, line: Int? = nil, column: Int? = nil) {
      (self.file, self.line, self.column) = (file, line, column)
    }

    /// The place as compilers write it, such as `parsers.bundle.js:12:3`; `nil` without a file.
    public var text: String? {
      file.map {
        ([$0] + [line, column].prefix { $0 != nil }.compactMap { $0?.description }).joined(separator: ":")
      }
    }
  }

  /// The check that found it.
  public let code: GateCode
  /// What it means for the release.
  public let severity: Severity
  /// One sentence, lower case, without a full stop.
  public let message: String
  /// The sources that it concerns, by their ids; empty when it concerns the release as a whole.
  public var sources: [String] = []
  /// The method of a parser that it concerns.
  public var method: String?
  /// What `--allow CODE:ID` may name instead of a source: the missing method, the kind of leftover, the file.
  public var subject: String?
  /// Where it is.
  public var place = Place()
  /// What to do about it.
  public var advice: String?
  /// By which allowances it is let through; empty when by none.
  public internal(set) var allowedBy: [Allowance] = []

  /// Describes something found.
  public init(
    _ code: GateCode, _ severity: Severity, _ message: String, place: Place = Place(), advice: String? = nil
  ) {
    (self.code, self.severity, self.message) = (code, severity, message)
    (self.place, self.advice) = (place, advice)
  }

  /// Whether the release stays where it is because of this finding.
  public var refuses: Bool { severity == .error && allowedBy.isEmpty }

  /// The finding with some of its values set.
  func with(_ change: (inout Finding) -> Void) -> Finding {
    var copy = self
    change(&copy)
    return copy
  }
}

extension Finding {
  /// At most this many sources are named in one sentence.
  private static let maxNamedSources = 5

  /// The sources as a phrase, such as `ABC, DEF and 47 more`.
  public var sourcesPhrase: String {
    let named = sources.prefix(Self.maxNamedSources).map { $0.printable() }.joined(separator: ", ")
    let rest = sources.count - Self.maxNamedSources
    return rest > 0 ? "\(named) and \(rest) more" : named
  }

  /// The sources as they follow a sentence, in brackets; empty when none is named.
  public var sourcesNote: String { sources.isEmpty ? "" : " (\(sourcesPhrase))" }

  /// What `--allow` must say so that exactly this finding is let through; `nil` when nothing does, or only several do.
  public var allowanceText: String? { allowanceTexts.count == 1 ? allowanceTexts[0] : nil }

  /// What `--allow` must say, once for each, so that this finding is let through: the thing, or each of a few sources.
  ///
  /// Empty when it cannot be allowed, or only by naming more sources than fit into a hint.
  public var allowanceTexts: [String] {
    guard code.isAllowable, severity == .error else { return [] }
    if sources.count != 1, let subject { return ["\(code.rawValue):\(subject)"] }
    if sources.count > Self.maxNamedSources { return [] }
    // A whole check is named only where a finding is about the release as a whole.
    if sources.isEmpty { return code == .dryRun ? [] : [code.rawValue] }
    return sources.map { "\(code.rawValue):\($0)" }
  }

  /// How to let the finding through, as options; `nil` when nothing does.
  public var allowanceHint: String? {
    guard code.isAllowable, severity == .error else { return nil }
    let texts = allowanceTexts
    guard texts.isEmpty else { return texts.map { "--allow \($0.shellWord)" }.joined(separator: " ") }
    return sources.isEmpty ? nil : "--allow \(code.rawValue):ID for each of the sources"
  }
}

extension Finding {
  /// A short name that stays the same while the finding does, whatever lines move: for tools that follow findings.
  public var fingerprint: String {
    let words = message.utf8.filter { !(0x30...0x39).contains($0) }
    let parts =
      [code.rawValue, method ?? "", subject ?? ""] + sources + [String(decoding: words, as: UTF8.self)]
    // FNV-1a with 64 bits: nothing here is secret, and a collision only merges two lines of a report.
    let hash = parts.joined(separator: "\u{1F}").utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
