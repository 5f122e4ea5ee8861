internal import OTAFeed
internal import OTAManifest

/// Compares the version that a bundle announces in its global with the number of its release.
///
/// Apps may show it, and people report it: two numbers for one release send them looking in the wrong place.
struct AnnouncedVersionCheck {
  let bundleName: String
  /// The number of the release; `nil` where only a publish would give it one.
  let version: ReleaseVersion?

  /// - Parameter announced: `version` of the global as text; `nil` when it has none.
  func findings(_ announced: String?) -> [Finding] {
    guard let announced, !announced.isEmpty else { return [] }
    let shown = announced.printable(maxCharacters: 40)
    guard let version else {
      return [finding(.note, "the bundle announces version \(shown)")]
    }
    if ReleaseVersion(decimal: announced) == version || ReleaseVersion(tag: announced) == version {
      return []
    }
    return [finding(.warning, "the bundle announces version \(shown), and the release is \(version)")]
  }

  private func finding(_ severity: Finding.Severity, _ message: String) -> Finding {
    Finding(
      .announcedVersion, severity, message, place: .init(file: bundleName),
      advice: "build the number of the release into the bundle, or leave version out of it")
  }
}
