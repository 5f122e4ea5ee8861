/// The scripts of the gate, compiled apart from the rest because they change seldom and compile slowly.
package enum GateScripts {
  /// What answers in the page about the make-up of a bundle.
  package static let probe = text(PackageResources.probe_js)

  /// What makes the calls of a dry run in the page.
  package static let caller = [
    PackageResources.page_js, PackageResources.selectors_js, PackageResources.samples_js,
    PackageResources.patterns_js, PackageResources.results_js, PackageResources.watching_js,
    PackageResources.dryrun_js,
  ].map(text).joined(separator: "\n")

  /// What starts the code reader in Node.
  package static let readerStart = text(PackageResources.start_js)

  /// The files that the code reader asks for, by name.
  package static let reader: [(name: String, bytes: [UInt8])] = [
    ("main.js", PackageResources.main_js), ("tools.js", PackageResources.tools_js),
    ("syntax.js", PackageResources.syntax_js), ("bundle.js", PackageResources.bundle_js),
    ("names.js", PackageResources.names_js), ("words.js", PackageResources.words_js),
    ("calls.js", PackageResources.calls_js), ("report.js", PackageResources.report_js),
    ("sourcemap.js", PackageResources.sourcemap_js), ("engines.js", PackageResources.engines_js),
    ("types.js", PackageResources.types_js), ("program.js", PackageResources.program_js),
    ("sorting.js", PackageResources.sorting_js), ("evidence.js", PackageResources.evidence_js),
    ("promises.js", PackageResources.promises_js), ("engine-names.json", PackageResources.engine_names_json),
    ("features.json", PackageResources.features_json),
  ]

  /// The declarations of what an app and a parser agree on.
  package static let contract = text(PackageResources.contract_d_ts)

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
