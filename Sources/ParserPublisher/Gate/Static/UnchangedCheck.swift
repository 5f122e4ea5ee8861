internal import OTAManifest

/// Looks for a release that would change nothing on any device, or less than its files promise.
enum UnchangedCheck {
  static func findings(_ release: GateCandidate, against live: GateBaseline) -> [Finding] {
    let old = live.manifest.pair
    if release.pair == old {
      guard !release.changesDescription else { return [] }
      return [
        Finding(
          .unchanged, .error,
          "both files are those of release \(live.version): a new number would change nothing",
          place: .init(file: release.bundleName), advice: "build the bundle first, or leave the release out")
      ]
    }
    guard release.pair.bundle == old.bundle, !CatalogDiff(from: live.catalog, to: release.catalog).isEmpty
    else { return [] }
    return [
      Finding(
        .unchanged, .warning,
        "the catalog changed, and the bundle is that of release \(live.version) with the catalog in it",
        place: .init(file: release.bundleName), advice: "build the bundle from the new catalog")
    ]
  }
}
