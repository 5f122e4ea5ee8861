internal import OTAManifest
internal import OTAStorage
internal import ParserUpdater

/// What the device verbs have in common: the store, its settings, and how releases are shown.
enum DeviceVerb {
  static let store = OptionSpec.option("store", "DIR", "the folder of the device").completing(.directory)
    .required()

  static let now = OptionSpec.flag(
    "now", "ask the feed at once: no pause, no check interval, no waiting for the share of a rollout")
  static let deadline = OptionSpec.option(
    "deadline", "SECONDS", "how long it may take in all, retries and mirrors included")

  /// The updater of the store that the command line names.
  static func updater(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> Updater {
    let store = context.absolutePath(try arguments.required("store"))
    let settings = try DeviceSettings.read(store: store)
    return Updater(try settings.configuration(store: store))
  }

  /// Runs a call of the library and turns its problem into a failure of the command.
  static func run<Value>(_ body: () throws(Problem) -> Value) throws(CommandFailure) -> Value {
    do {
      return try body()
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Runs an asynchronous call of the library and turns its problem into a failure of the command.
  static func run<Value: Sendable>(
    _ body: () async throws(Problem) -> Value
  ) async throws(CommandFailure) -> Value {
    do {
      return try await body()
    } catch {
      throw CommandFailure(error)
    }
  }

  /// A release that runs, as lines.
  static func lines(_ active: ActiveRelease, _ files: LaunchFiles? = nil) -> [String] {
    let files = files ?? LaunchFiles(of: active)
    guard let version = active.version else { return ["nothing usable"] + reasons(active) }
    var lines = ["release \(version) (\(active.origin.rawValue), \(words(active.standing)))"]
    lines.append("  launch   \(active.launch)")
    if let bundle = files.bundle { lines.append("  bundle   \(bundle)") }
    if let sources = files.sources { lines.append("  sources  \(sources)") }
    if let notes = active.manifest?.notes { lines.append("  notes    \(notes)") }
    return lines + reasons(active)
  }

  private static func reasons(_ active: ActiveRelease) -> [String] {
    active.passedOver.map { "  passed over: \($0.message)" } + active.notes.map { "  note: \($0.message)" }
  }

  /// A release that runs, as members of an object.
  static func members(_ active: ActiveRelease, _ files: LaunchFiles? = nil) -> [JSONMember] {
    let files = files ?? LaunchFiles(of: active)
    var members = [
      JSONMember("version", active.version.map { .integer($0.number) } ?? .null),
      JSONMember("origin", .string(active.origin.rawValue)),
      JSONMember("standing", .string(active.standing.rawValue)),
      JSONMember("launch", .string(active.launch.text)),
      JSONMember("channel", active.manifest.map { .string($0.channel.name) } ?? .null),
    ]
    if let bundle = files.bundle { members.append(JSONMember("bundle", .string(bundle))) }
    if let sources = files.sources { members.append(JSONMember("sources", .string(sources))) }
    if let manifest = files.manifest { members.append(JSONMember("manifestFile", .string(manifest))) }
    if let manifest = active.manifest { members.append(JSONMember("manifest", manifest.json)) }
    members.append(JSONMember("passedOver", .array(active.passedOver.map(json))))
    members.append(JSONMember("problems", .array(active.notes.map(json))))
    return members
  }

  static func json(_ passed: PassedOver) -> JSONValue {
    .object([
      JSONMember("version", passed.version.map { .integer($0.number) } ?? .null),
      JSONMember("origin", .string(passed.origin.rawValue)), JSONMember("code", .string(passed.code)),
      JSONMember("message", .string(passed.message)),
    ])
  }

  private static func json(_ problem: Problem) -> JSONValue {
    .object([
      JSONMember("code", .string(problem.code.rawValue)), JSONMember("message", .string(problem.message)),
    ])
  }

  static func words(_ standing: ActiveRelease.Standing) -> String {
    switch standing {
    case .confirmed: "confirmed"
    case .onTrial: "on trial"
    case .unusable: "unusable"
    }
  }

  /// What a check or update found, as code, sentence and status.
  ///
  /// - Parameter source: what messages call the place that the release came from, when it is not the host of the feed.
  static func describe(
    _ result: CheckResult, source: String? = nil
  ) -> (code: String, message: String, status: ExitStatus) {
    switch result {
    case .available(let version, let notes):
      ("available", "release \(version) is available" + (notes.map { ": \($0)" } ?? ""), .done)
    case .staged(let version): ("staged", "release \(version) is staged for the next launch", .done)
    case .upToDate(let version):
      ("up-to-date", "up to date" + (version.map { ": release \($0) is the newest" } ?? ""), .done)
    case .older(let version, let floor):
      (
        "up-to-date",
        "up to date: \(source.map { "\($0) holds" } ?? "the feed serves") release \(version), older than release \(floor) that was seen",
        .done
      )
    case .lagging(let lag):
      (
        "up-to-date",
        "up to date: "
          + (source.map { "\($0) holds an older state of the feed than the one that was seen before" }
            ?? text(lag)),
        .done
      )
    case .notUsable(let version, .versionReused):
      (
        ProblemCode.versionReused.rawValue,
        "release \(version) of \(source ?? "the feed") has other contents than the release \(version) on this device",
        .untrustedContent
      )
    case .notUsable(let version, let reason):
      (reason.code, "skipped release \(version): it \(reason.text)", .done)
    case .pinned(let version):
      ("pinned", "release \(version) is available, but a release is pinned by hand", .done)
    case .notDue(let date): ("not-due", "not asked: the next check of this feed is due at \(date)", .done)
    }
  }

  /// What to do about a release that is not taken; `nil` when nothing must be done here.
  static func hint(
    _ result: CheckResult, _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> String? {
    let store = context.absolutePath(try arguments.required("store")).shellWord
    switch result {
    case .notUsable(let version, .rejected):
      return "to allow it again: parser-ota device forget --release \(version) --store \(store)"
    case .notDue:
      return "to ask all the same: parser-ota \(arguments.spec.name) --now --store \(store)"
    case .pinned: return "to let the usual rules choose: parser-ota device unpin --store \(store)"
    default: return nil
    }
  }

  /// What both verbs that ask a feed say in JSON.
  static func members(_ result: CheckResult, _ updater: Updater) -> [JSONMember] {
    [
      JSONMember("version", json(version(of: result))),
      JSONMember("channel", .string(updater.configuration.channel.name)),
    ]
  }

  static func version(of result: CheckResult) -> ReleaseVersion? {
    switch result {
    case .available(let version, _), .staged(let version), .older(let version, _), .notUsable(let version, _),
      .pinned(let version):
      version
    case .upToDate(let version): version
    case .lagging, .notDue: nil
    }
  }

  /// How far a host is behind, with dates where the feed gives them.
  private static func text(_ lag: FeedLag) -> String {
    guard let served = lag.signedAt, let seen = lag.seenAt else {
      return "the host lags: it serves timestamp \(lag.served), and \(lag.seen) was seen before"
    }
    let minutes = max(0, seen.secondsSinceEpoch - served.secondsSinceEpoch) / 60
    let age = minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h"
    return "the host lags: it serves the feed of \(served), \(age) older than what was seen before"
  }

  static func json(_ version: ReleaseVersion?) -> JSONValue { version.map { .integer($0.number) } ?? .null }
}
