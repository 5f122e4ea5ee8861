/// The stable codes of what the gate looks for, as they stand in findings, in `--allow`, and in manifests.
public enum GateCode: String, Sendable, CaseIterable {
  /// The two files cannot be a release at all; clients would refuse them, so this one cannot be allowed.
  case input
  /// The catalog leaves fields out, or writes them in an unusual way; readers understand it all the same.
  case catalogFields = "catalog-fields"
  case syntax
  case load
  case entryPoints = "entry-points"
  case catalogMatch = "catalog-match"
  case danglingCall = "dangling-call"
  case dryRun = "dry-run"
  /// What parsers give on made-up pages is no list, has no address, or is less than the live release gives.
  case results
  /// Parsers ask for addresses that cannot be right, or past the app.
  case requests
  /// Selectors that the engine does not know.
  case selectors
  case overrideKeys = "override-keys"
  /// Names that are nowhere declared, constants that are assigned, and the like.
  case names
  /// What TypeScript's checker says for sure, with the contract between app and parsers.
  case types
  /// Syntax and interfaces that the oldest engines of apps do not have.
  case engines
  case announcedVersion = "announced-version"
  case fixtures
  case idsRemoved = "ids-removed"
  case idChangedMeaning = "id-changed-meaning"
  case size
  case unchanged
  case withdrawnContent = "withdrawn-content"
  case leftovers
  /// The engine is missing or does not start, so that the checks that need it could not run.
  case noEngine = "no-engine"
  /// The kernel does not keep the engine from the network and from files, so that the page's rules are all there is.
  case confinement

  /// What the check asks for, as one phrase.
  public var summary: String {
    switch self {
    case .input: "both files are ones that clients accept"
    case .catalogFields:
      "the catalog writes out the fields that its readers look for, and domains are bare host names"
    case .syntax: "the bundle parses"
    case .load:
      "the bundle loads: it neither throws, nor hangs, nor takes all memory, and its parsers can be built"
    case .entryPoints: "the bundle defines its global with getParser and getAllSources"
    case .catalogMatch:
      "the catalog in the bundle is the catalog file, and each of its sources has a whole parser"
    case .danglingCall: "every method that a parser calls on itself exists, and no method is used as a text"
    case .dryRun: "no parser fails on made-up pages by a fault of its own code"
    case .results:
      "what parsers give on made-up pages is what apps read, and no less than the live release gives"
    case .requests: "parsers ask for whole addresses of their own site, and through the app"
    case .selectors: "the engine knows every selector"
    case .names: "names, constants, fields and calls are ones that the bundle has when they are used"
    case .types: "members, arguments, results and promises are what the page and the contract say"
    case .engines: "the oldest engines of apps have the syntax and the interfaces"
    case .overrideKeys:
      "no override of a source hides a method, and each has a reader and the type of its default"
    case .announcedVersion: "the version that the bundle announces, if any, is the number of the release"
    case .fixtures: "recorded sources give at least what they gave before"
    case .idsRemoved: "no source of the live release disappears, or is written in another way"
    case .idChangedMeaning: "no source id comes to mean another site, and no two change places"
    case .size: "neither file grows suddenly"
    case .unchanged: "the release differs from the live one"
    case .withdrawnContent: "the content is not that of a release that was withdrawn"
    case .leftovers: "nothing from development is left: debugger, merge markers, local paths, keys"
    case .noEngine: "the engine is there to run the bundle"
    case .confinement: "the kernel keeps the engine from the network and from people's files"
    }
  }

  /// Whether the check runs the bundle.
  public var needsEngine: Bool {
    switch self {
    case .syntax, .load, .entryPoints, .catalogMatch, .danglingCall, .dryRun, .results,
      .requests, .selectors, .overrideKeys,
      .announcedVersion, .fixtures:
      true
    case .input, .catalogFields, .idsRemoved, .idChangedMeaning, .size, .unchanged, .withdrawnContent,
      .leftovers, .noEngine, .confinement, .names, .types, .engines:
      false
    }
  }

  /// Whether the check reads the code with Node.js, which a machine may lack.
  public var needsReader: Bool { [.names, .types, .engines].contains(self) }

  /// Whether the check compares with a live release.
  public var needsLiveRelease: Bool {
    switch self {
    case .idsRemoved, .idChangedMeaning, .size, .unchanged, .withdrawnContent: true
    case .input, .catalogFields, .syntax, .load, .entryPoints, .catalogMatch, .danglingCall, .dryRun,
      .results, .requests, .selectors, .overrideKeys, .announcedVersion, .fixtures, .leftovers, .noEngine,
      .confinement, .names, .types, .engines:
      false
    }
  }

  /// Whether a maintainer may say that a finding is meant: not where no app could do anything with the release.
  public var isAllowable: Bool { ![.input, .syntax, .load, .entryPoints].contains(self) }
}
