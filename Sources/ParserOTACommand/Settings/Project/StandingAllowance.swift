internal import OTAManifest
internal import ParserPublisher

/// A finding of the gate that a project permits for a time, with the reason.
struct StandingAllowance: Equatable, Sendable {
  static let fields = ["finding", "reason", "until"]
  private static let maxReasonBytes = 500
  /// So many days before its end an allowance is spoken of.
  private static let noticeDays: Int64 = 7

  /// The finding as `--allow` takes it: `CODE` or `CODE:ID`.
  let finding: String
  let reason: String
  /// The last day on which it counts, as `YYYY-MM-DD` in UTC.
  let until: String
  private let end: Timestamp

  /// Reads one object of the list `allow`.
  init(_ object: JSONObject) throws(InputError) {
    if let stranger = object.members.first(where: { member in
      !Self.fields.contains { $0.hasSameBytes(as: member.key) }
    }) {
      throw UnknownKey.error(stranger.key, at: object.path(of: stranger.key), among: Self.fields)
    }
    finding = try object.string("finding")
    do {
      _ = try Allowance(text: finding)
    } catch {
      throw InputError(error.reason, field: object.path(of: "finding"), error.detail)
    }
    reason = try object.string("reason")
    guard !reason.isEmpty, reason.utf8.count <= Self.maxReasonBytes else {
      throw InputError(
        .malformed, field: object.path(of: "reason"), "must say why, in at most \(Self.maxReasonBytes) bytes")
    }
    until = try object.string("until")
    guard let end = Timestamp(until + "T23:59:59Z") else {
      throw InputError(.malformed, field: object.path(of: "until"), "must be a day such as 2026-12-31")
    }
    self.end = end
  }

  /// Whether its last day is over.
  func isOver(at now: Timestamp) -> Bool { end < now }

  /// What a person should know about it; `nil` while there is time.
  func notice(at now: Timestamp) -> String? {
    let what = "\(finding.printable()) (\(reason.printable(maxCharacters: 80)))"
    if isOver(at: now) { return "the allowance \(what) ended on \(until) and counts no longer" }
    let days = (end.secondsSinceEpoch - now.secondsSinceEpoch) / 86_400
    return days < Self.noticeDays ? "the allowance \(what) ends on \(until)" : nil
  }

  var json: JSONValue {
    .object([
      JSONMember("finding", .string(finding)), JSONMember("reason", .string(reason)),
      JSONMember("until", .string(until)),
    ])
  }
}

/// A key that a file may not have, with the one that was probably meant.
enum UnknownKey {
  static func error(_ key: String, at path: String, among known: [String]) -> InputError {
    let plain = { (text: String) in text.asciiLowercased.filter { $0.isLetter } }
    let meant = known.first { plain($0) == plain(key) } ?? Spelling.nearest(to: key, among: known)
    return InputError(
      .malformed, field: path.printable(),
      "is not a setting" + (meant.map { ", did you mean \"\($0)\"" } ?? ""))
  }
}
