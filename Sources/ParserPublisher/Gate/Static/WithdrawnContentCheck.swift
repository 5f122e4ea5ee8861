internal import OTAManifest

/// Looks for content that was withdrawn before: a job that runs again must not bring it back.
enum WithdrawnContentCheck {
  static func run(_ release: GateCandidate, _ run: inout GateRun) {
    switch release.withdrawn {
    case .notCompared: run.skip(.withdrawnContent, "there is no live release to compare with")
    case .unknown(let reason): run.skip(.withdrawnContent, reason)
    case .releases(let versions): run.record(.withdrawnContent) { findings(release, versions) }
    }
  }

  private static func findings(_ release: GateCandidate, _ versions: [ReleaseVersion]) -> [Finding] {
    guard let newest = versions.last else { return [] }
    let others = versions.dropLast().map(\.description).joined(separator: ", ")
    return [
      Finding(
        .withdrawnContent, .error,
        "both files are those of release \(newest), which was withdrawn"
          + (others.isEmpty ? "" : " (as was \(others), with the same files)"),
        place: .init(file: release.bundleName),
        advice: "publish a corrected bundle; if the old one is right after all, add "
          + "--allow \(GateCode.withdrawnContent.rawValue):\(newest)"
      ).with { $0.subject = newest.description }
    ]
  }
}
