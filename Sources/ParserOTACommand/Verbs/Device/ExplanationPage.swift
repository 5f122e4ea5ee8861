internal import OTAManifest
internal import ParserUpdater

/// A decision and its reasons for people and for programs.
struct ExplanationPage {
  let summary: String
  let lines: [String]
  let members: [JSONMember]

  init(_ explanation: Explanation) {
    let first = explanation.candidates.first
    summary =
      first.map { "the next launch runs release \($0.version) (\($0.origin.rawValue))" }
      ?? "the next launch has nothing to run"
    var lines = [summary + (first?.isOnTrial == true ? ", on trial" : "")]
    for candidate in explanation.candidates.dropFirst() {
      lines.append(
        "  else release \(candidate.version) (\(candidate.origin.rawValue)), if the files before it break until then"
      )
    }
    lines += explanation.passedOver.map { "  passed over: \($0.message)" }
    var members = [
      JSONMember("candidates", .array(explanation.candidates.map(Self.json))),
      JSONMember("passedOver", .array(explanation.passedOver.map(DeviceVerb.json))),
      JSONMember("unknown", explanation.obstacle.map(Self.json) ?? .null),
    ]
    lines.append(explanation.channel.sentence)
    members.append(
      JSONMember(
        "channel",
        .object([
          JSONMember("followed", .string(explanation.channel.followed.name)),
          JSONMember("configured", .string(explanation.channel.configured.name)),
          JSONMember("chosen", explanation.channel.chosen.map { .string($0.name) } ?? .null),
        ])))
    if let standing = explanation.rollout {
      lines.append(standing.sentence)
      members.append(JSONMember("rollout", Self.json(standing)))
    }
    if let advisories = explanation.advisories, !advisories.entries.isEmpty {
      lines.append("advisories of \(advisories.written):")
      lines += advisories.entries.map { "  \(AdvisoryLine.text($0))" }
      members.append(JSONMember("advisories", .array(advisories.entries.map(\.json))))
    }
    if let offer = explanation.offer {
      let (code, message, _) = DeviceVerb.describe(offer)
      lines.append("with this manifest: \(message)")
      members.append(
        JSONMember(
          "offer",
          .object([
            JSONMember("code", .string(code)), JSONMember("message", .string(message)),
            JSONMember("version", DeviceVerb.json(DeviceVerb.version(of: offer))),
          ])))
    }
    self.lines = lines
    self.members = members
  }

  private static func json(_ problem: Problem) -> JSONValue {
    .object([
      JSONMember("code", .string(problem.code.rawValue)), JSONMember("message", .string(problem.message)),
    ])
  }

  private static func json(_ standing: RolloutStanding) -> JSONValue {
    .object([
      JSONMember("version", .integer(standing.rollout.version.number)),
      JSONMember("reason", .string(standing.reason.rawValue)),
      JSONMember("message", .string(standing.sentence)),
      JSONMember("takes", .bool(standing.reason.takes)),
      JSONMember("bucket", standing.bucket.map { .integer(Int64($0)) } ?? .null),
      JSONMember("share", .integer(Int64(standing.share.parts))),
      JSONMember("provenTime", .string("\(standing.moment)")),
      JSONMember("document", standing.rollout.json),
    ])
  }

  private static func json(_ candidate: Explanation.Candidate) -> JSONValue {
    .object([
      JSONMember("version", .integer(candidate.version.number)),
      JSONMember("origin", .string(candidate.origin.rawValue)),
      JSONMember("onTrial", .bool(candidate.isOnTrial)),
    ])
  }
}
