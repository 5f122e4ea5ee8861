internal import OTAManifest

/// Looks for a bundle that grew or shrank so much that something else may have got into it, or out of it.
///
/// The catalog is not judged: it grows with its sources, and which ones came and went is shown by name.
enum SizeCheck {
  /// Growth above this share, in percent, is worth a look.
  static let warningPercent: Int64 = 20
  /// Growth above this factor refuses.
  static let maxFactor: Int64 = 2

  static func findings(_ release: GateCandidate, against live: GateBaseline) -> [Finding] {
    let (new, old) = (Int64(release.bundle.count), live.manifest.bundle.bytes)
    guard let severity = severity(new, old) else { return [] }
    let percent = (new - old).magnitude * 100 / old.magnitude
    let message =
      new > old
      ? "the bundle has \(new) bytes, \(percent) % more than the \(old) of release \(live.version)"
      : "the bundle has \(new) bytes, less than half of the \(old) of release \(live.version)"
    return [
      Finding(
        .size, severity, message, place: .init(file: release.bundleName),
        advice: "look at what came in or got lost by accident")
    ]
  }

  /// What a change of size means; `nil` when it is an ordinary one.
  static func severity(_ new: Int64, _ old: Int64) -> Finding.Severity? {
    if new > old * maxFactor { return .error }
    if new * 100 > old * (100 + warningPercent) { return .warning }
    return new * 2 < old ? .warning : nil
  }
}
