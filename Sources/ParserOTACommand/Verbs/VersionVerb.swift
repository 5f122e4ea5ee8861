internal import OTAManifest

extension Verb {
  /// The version of the tool, by semantic versioning.
  static let toolVersion = "0.1.0"

  static let version = Verb(
    VerbSpec(
      ["version"], summary: "show the version of the tool",
      manual: VerbManual(examples: ["parser-ota version"])),
    run: { _, context in versionResult(context.table) })

  /// The version as a result.
  static func versionResult(_ table: CommandTable) -> CommandResult {
    .answer(
      "version", "\(table.tool) \(toolVersion)", lines: ["\(table.tool) \(toolVersion)"],
      payload: [.init("version", .string(toolVersion))])
  }
}
