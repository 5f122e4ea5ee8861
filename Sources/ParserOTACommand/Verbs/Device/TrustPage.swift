internal import OTAFeed
internal import OTAManifest

/// What a device believes releases by, for people and for programs.
struct TrustPage {
  let summary: String
  let members: [JSONMember]

  init(_ trust: TrustStatus) {
    guard let version = trust.rootVersion else {
      summary =
        trust.obstacle.map { "nothing is trusted: \($0.message)" } ?? Trust.checksumsOnly.warning
        ?? trust.name
      members = [
        JSONMember("trust", .string(trust.name)), JSONMember("rootVersion", .null),
        JSONMember("feedName", .null), JSONMember("epoch", .null),
        JSONMember("metadata", .array([])),
      ]
      return
    }
    let dates = trust.roles.map { "\($0.name) until \($0.expires)" }.joined(separator: ", ")
    let name = trust.feedName.map { " as \($0)" } ?? ""
    let epoch = trust.epoch.map { $0 > 1 ? ", epoch \($0)" : "" } ?? ""
    summary = "signed\(name), root version \(version)\(epoch) (\(dates))"
    members = [
      JSONMember("trust", .string(trust.name)), JSONMember("rootVersion", .integer(version)),
      JSONMember("feedName", trust.feedName.map { .string($0) } ?? .null),
      JSONMember("epoch", trust.epoch.map { .integer($0) } ?? .null),
      JSONMember("metadata", .array(trust.roles.map(Self.json))),
    ]
  }

  private static func json(_ role: TrustStatus.Role) -> JSONValue {
    .object([
      JSONMember("role", .string(role.name)), JSONMember("version", .integer(role.version)),
      JSONMember("expires", .string(role.expires.description)),
    ])
  }
}
