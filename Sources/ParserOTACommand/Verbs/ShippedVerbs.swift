extension CommandTable {
  /// The tool as it is shipped: a new verb is one file in this folder and one line here.
  static let shipped = CommandTable(
    tool: "parser-ota",
    summary: "publish parser releases from CI, and take, explain and undo them on devices",
    groups: [:],
    verbs: [.help, .version, .completions])
}
