internal import OTAFeed
internal import OTAManifest
internal import ParserUpdater

/// The status of a device for people and for programs.
struct StatusPage {
  let summary: String
  let lines: [String]
  let members: [JSONMember]

  init(_ status: DeviceStatus, _ configuration: UpdaterConfiguration) {
    let explanation = ExplanationPage(status.next)
    summary = Self.running(status)
    lines = Self.lines(status, configuration) + explanation.lines
    // The choice of the channel is told by explain; here its name is enough.
    members = Self.members(status, configuration) + explanation.members.filter { $0.key != "channel" }
  }

  private static func running(_ status: DeviceStatus) -> String {
    if let obstacle = status.obstacle, !status.isStateKnown {
      return "what runs is unknown: \(obstacle.message)"
    }
    if let left = status.rolledBack {
      return "release \(left.version) was rolled back on \(left.date); a launch from before still runs it"
    }
    guard let current = status.current else {
      if let next = status.next.candidates.first, next.origin == .otherChannel {
        return "release \(next.version) of the channel before runs, confirmed: this one has none here yet"
      }
      return "the copy inside the app runs"
        + (status.embedded.map { ": release \($0)" } ?? ", but it cannot be read")
    }
    guard let launches = status.unconfirmedLaunches else {
      return "release \(current.version) runs, confirmed"
    }
    return
      "release \(current.version) is on trial, \(launches) unconfirmed launch\(launches == 1 ? "" : "es")"
  }

  private static func lines(_ status: DeviceStatus, _ configuration: UpdaterConfiguration) -> [String] {
    var lines = [running(status)]
    func add(_ label: String, _ text: String?) {
      if let text {
        lines.append("  " + label + String(repeating: " ", count: max(1, 11 - label.count)) + text)
      }
    }
    add("embedded", status.embedded.map { "release \($0)" } ?? "cannot be read")
    add("current", status.current.map(text))
    add("staged", status.staged.map(text))
    add("previous", status.previous.map(text))
    add("pinned", status.pinned.map { "release \($0)" })
    for rejected in status.rejected {
      add("rejected", "release \(rejected.version) since \(rejected.date): \(rejected.reason)")
    }
    if !status.withdrawn.isEmpty {
      add("withdrawn", status.withdrawn.map(\.description).joined(separator: ", "))
    }
    add("floor", status.floor.map { "release \($0): older offers are ignored" })
    add("problem", status.lastProblem.map { "\($0.date) \($0.code): \($0.message)" })
    if !status.running.isEmpty {
      add(
        "in use",
        "release " + status.running.map(\.description).joined(separator: ", ") + ", by live processes")
    }
    add("history", status.historyProblem)
    add("damage", status.damage)
    add("unknown", status.isStateKnown ? status.obstacle?.message : nil)
    add("feed", "\(configuration.feed.text), channel \(status.next.channel.followed)")
    add("trust", TrustPage(status.trust).summary)
    add("stale", status.stale.map { "since \($0.since): \($0.reason); nothing new is installed" })
    add("host", status.hostOddity)
    add("pause", status.askedAgainAt.map { "the feed is not asked again before \($0)" })
    add("clock", status.clockDoubt?.message)
    return lines
  }

  private static func text(_ entry: DeviceStatus.Entry) -> String {
    "release \(entry.version)" + (entry.obstacle.map { ", not usable: it \($0.text)" } ?? "")
  }

  private static func members(_ status: DeviceStatus, _ configuration: UpdaterConfiguration) -> [JSONMember] {
    let problem = status.lastProblem.map { problem in
      JSONValue.object([
        JSONMember("code", .string(problem.code)), JSONMember("message", .string(problem.message)),
        JSONMember("date", .string(problem.date.description)),
      ])
    }
    return [
      JSONMember("embedded", DeviceVerb.json(status.embedded)), JSONMember("current", json(status.current)),
      JSONMember("unconfirmedLaunches", status.unconfirmedLaunches.map { .integer(Int64($0)) } ?? .null),
      JSONMember("staged", json(status.staged)), JSONMember("previous", json(status.previous)),
      JSONMember("pinned", DeviceVerb.json(status.pinned)),
      JSONMember("rejected", .array(status.rejected.map(json))),
      JSONMember("withdrawn", .array(status.withdrawn.map { .integer($0.number) })),
      JSONMember("floor", DeviceVerb.json(status.floor)), JSONMember("lastProblem", problem ?? .null),
      JSONMember("damage", status.damage.map { .string($0) } ?? .null),
      JSONMember("historyProblem", status.historyProblem.map { .string($0) } ?? .null),
      JSONMember("running", .array(status.running.map { .integer($0.number) })),
      JSONMember("rolledBack", status.rolledBack.map(json) ?? .null),
      JSONMember("feed", .string(configuration.feed.text)),
      JSONMember("channel", .string(status.next.channel.followed.name)),
    ] + TrustPage(status.trust).members + [
      JSONMember("stale", status.stale.map(json) ?? .null),
      JSONMember("hostOddity", status.hostOddity.map { .string($0) } ?? .null),
      JSONMember("askedAgainAt", status.askedAgainAt.map { .string($0.description) } ?? .null),
      JSONMember("clockDoubt", status.clockDoubt.map { .string($0.message) } ?? .null),
    ]
  }

  private static func json(_ entry: DeviceStatus.Entry?) -> JSONValue {
    guard let entry else { return .null }
    return .object([
      JSONMember("version", .integer(entry.version.number)),
      JSONMember("obstacle", entry.obstacle.map { .string($0.code) } ?? .null),
    ])
  }

  private static func json(_ left: DeviceStatus.RolledBack) -> JSONValue {
    .object([
      JSONMember("version", .integer(left.version.number)),
      JSONMember("date", .string(left.date.description)),
    ])
  }

  private static func json(_ stale: DeviceStatus.Staleness) -> JSONValue {
    .object([
      JSONMember("since", .string(stale.since.description)), JSONMember("reason", .string(stale.reason)),
    ])
  }

  private static func json(_ rejected: DeviceStatus.RejectedRelease) -> JSONValue {
    .object([
      JSONMember("version", .integer(rejected.version.number)),
      JSONMember("reason", .string(rejected.reason)),
      JSONMember("date", .string(rejected.date.description)),
      JSONMember("bundle", .string(rejected.pair.bundle.hex)),
      JSONMember("sources", .string(rejected.pair.sources.hex)),
    ])
  }
}
