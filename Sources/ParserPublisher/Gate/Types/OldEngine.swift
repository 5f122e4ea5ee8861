public import OTAManifest

/// An engine of apps that are in use, which must be able to run a bundle: `ios 15`, `android-webview 90`.
public struct OldEngine: Sendable, Hashable {
  /// Whose engine it is.
  public enum Kind: String, Sendable, CaseIterable {
    /// The web view of apps on iOS and iPadOS, which comes with the system.
    case ios
    /// The web view of apps on macOS, by the version of Safari.
    case safari
    /// The web view of apps on Android, by the version of Chromium.
    case androidWebView = "android-webview"
    case chrome
    case firefox
  }

  /// A version of one to three numbers.
  public struct EngineVersion: Sendable, Hashable {
    /// The version as it was written.
    public let text: String
  }

  /// Whose engine it is.
  public let kind: Kind
  /// The oldest version.
  public let version: EngineVersion

  /// Reads `KIND VERSION`.
  ///
  /// - Throws: `InputError` whose detail reads on from the name of the option.
  public init(text: String) throws(InputError) {
    let parts = text.split(separator: " ").map(String.init)
    guard parts.count == 2, let kind = Kind(rawValue: parts[0].lowercased()), Self.isVersion(parts[1]) else {
      let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw InputError(
        .malformed,
        "must name engines with their oldest versions, such as \"ios 15, android-webview 90\"; known are \(kinds)"
      )
    }
    self.kind = kind
    version = EngineVersion(text: parts[1])
  }

  /// Reads a list with commas; each kind once.
  public static func list(_ text: String) throws(InputError) -> [OldEngine] {
    let engines = try text.split(separator: ",", omittingEmptySubsequences: false).map {
      (part) throws(InputError) in try OldEngine(text: String(part))
    }
    guard Set(engines.map(\.kind)).count == engines.count else {
      throw InputError(.malformed, "must name each engine once, with its oldest version")
    }
    return engines
  }

  private static func isVersion(_ text: String) -> Bool {
    let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
    return (1...3).contains(numbers.count)
      && numbers.allSatisfy { (1...4).contains($0.count) && $0.allSatisfy { ("0"..."9").contains($0) } }
  }

  /// A list as it is written.
  public static func text(_ engines: [OldEngine]) -> String { engines.map(\.text).joined(separator: ", ") }

  /// The engine as it was written.
  public var text: String { "\(kind.rawValue) \(version.text)" }
}
