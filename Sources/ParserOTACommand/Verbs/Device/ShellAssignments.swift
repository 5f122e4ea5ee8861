internal import OTAManifest
internal import ParserUpdater

/// A launch as assignments for `sh`, each value quoted, so that `eval` runs nothing that stands in it.
enum ShellAssignments {
  static func text(_ active: ActiveRelease, _ files: LaunchFiles) -> String {
    let values: [(name: String, value: String)] = [
      ("VERSION", active.version?.description ?? ""), ("LAUNCH", active.launch.text),
      ("CHANNEL", active.manifest?.channel.name ?? ""), ("ORIGIN", active.origin.rawValue),
      ("STANDING", active.standing.rawValue), ("BUNDLE", files.bundle ?? ""),
      ("SOURCES", files.sources ?? ""),
      ("MANIFEST", files.manifest ?? ""),
    ]
    return values.map { "PARSER_OTA_\($0.name)=\($0.value.shellWord)\n" }.joined()
  }
}
