public import OTAManifest

/// One call of a parser, as apps make it.
public struct ParserCall: Sendable, Equatable {
  /// What is asked of a parser.
  public enum Method: String, Sendable, CaseIterable {
    /// `getListPage(page, order, filter)`.
    case list
    /// `getListPage(page, order, { query })`.
    case search
    /// `getDetails({ id, url, source })`.
    case details
    /// `getPages({ id, url, branch, source })`.
    case pages
  }

  /// The name under which bundles define themselves, unless somebody says otherwise.
  public static let defaultGlobalName = "NyoraParsers"

  /// The id of the source, exactly as the bundle knows it.
  public var source: String
  /// What is asked of the parser.
  public var method: Method
  /// `{page, order, filter}`, `{page, order, query}`, `{url}` or `{url, branch}`.
  public var arguments: JSONValue
  /// The global that the bundle defines.
  public var globalName = ParserCall.defaultGlobalName

  /// Describes a call.
  public init(source: String, method: Method, arguments: JSONValue) {
    self.source = source
    self.method = method
    self.arguments = arguments
  }
}

/// A script with the name that positions in it are told by.
public struct EngineScript: Sendable {
  /// The name, such as `parsers.bundle.js`.
  public let name: String
  /// The text.
  public let text: String

  /// Names a script; what cannot stand in a URL as it is becomes an underscore.
  public init(name: String, text: String) {
    self.name = String(
      name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) ? $0 : "_" })
    self.text = text
  }
}

/// A line that a bundle logged.
public struct LogLine: Sendable, Equatable {
  /// The level of lines that probes write, and that no bundle can write.
  public static let probeLevel = "probe"

  /// `log`, `warn`, `error` …, `uncaught` for what no code of the bundle caught, or `probe`.
  public let level: String
  /// The text, at most 4096 characters.
  public let text: String

  /// A line.
  public init(level: String, text: String) {
    self.level = level
    self.text = text
  }
}
