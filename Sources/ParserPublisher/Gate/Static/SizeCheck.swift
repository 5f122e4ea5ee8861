internal import OTAManifest

/// Looks for a bundle that grew or shrank so much that something else may have got into it, or out of it.
///
/// What counts is code: comments, blanks and source maps come and go with the settings of a build. The catalog is not
/// judged: it grows with its sources, and which ones came and went is shown by name.
enum SizeCheck {
  /// Growth above this share, in percent, is worth a look.
  static let warningPercent: Int64 = 20
  /// Growth above this factor refuses.
  static let maxFactor: Int64 = 2
  private static let minTextBytes = 10_000

  static func findings(_ release: GateCandidate, against live: GateBaseline) async -> [Finding] {
    let (new, old) = (Int64(release.bundle.count), live.manifest.bundle.bytes)
    guard let severity = await severity(new, old, release, live) else { return [] }
    return [finding(severity, new, old, release, live)]
  }

  private static func finding(
    _ severity: Finding.Severity, _ new: Int64, _ old: Int64, _ release: GateCandidate, _ live: GateBaseline
  ) -> Finding {
    let percent = (new - old).magnitude * 100 / old.magnitude
    let message =
      new > old
      ? "the bundle has \(new) bytes, \(percent) % more than the \(old) of release \(live.version)"
      : "the bundle has \(new) bytes, less than half of the \(old) of release \(live.version)"
    return Finding(
      .size, severity, message, place: .init(file: release.bundleName),
      advice: "look at what came in or got lost by accident")
  }

  private static func severity(
    _ new: Int64, _ old: Int64, _ release: GateCandidate, _ live: GateBaseline
  ) async -> Finding.Severity? {
    guard let byBytes = severity(new, old) else { return nil }
    do {
      let (mine, theirs) = (ScriptSize(release.bundle), ScriptSize(try await live.bundle()))
      return severity(byBytes, mine, theirs, grows: new > old)
    } catch {
      // Without the bundle of the live release only its size is known.
      return byBytes
    }
  }

  /// What a change of size means once it is known how much of it is code.
  static func severity(
    _ byBytes: Finding.Severity, _ new: ScriptSize, _ old: ScriptSize, grows: Bool
  ) -> Finding.Severity? {
    guard grows else { return new.tokens * 2 < old.tokens ? byBytes : nil }
    // Little text has doubled with one more address.
    let texts = (max(new.textBytes, minTextBytes), max(old.textBytes, minTextBytes))
    let found = [(new.tokens, max(old.tokens, 1)), texts].filter { $0.0 > $0.1 }.map { new, old in
      severity(Int64(new), Int64(old))
    }
    if found.contains(.error) { return byBytes }
    return found.contains(.warning) ? .warning : nil
  }

  /// What a change of size means; `nil` when it is an ordinary one.
  static func severity(_ new: Int64, _ old: Int64) -> Finding.Severity? {
    if new > old * maxFactor { return .error }
    if new * 100 > old * (100 + warningPercent) { return .warning }
    return new * 2 < old ? .warning : nil
  }
}

/// How much code a script has, whatever its blanks, comments and names are.
struct ScriptSize: Equatable {
  /// Words and signs.
  private(set) var tokens = 0
  /// The bytes of strings, templates and patterns.
  private(set) var textBytes = 0

  init(_ script: [UInt8]) {
    var scanner = ScriptScanner(script)
    while let token = scanner.next() {
      switch token.kind {
      case .comment: continue
      case .string, .template, .regex: textBytes += token.range.count
      default: break
      }
      tokens += 1
    }
  }
}
