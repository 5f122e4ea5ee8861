internal import OTAFeed
internal import OTAManifest

/// What a device believes releases by, for people and for programs.
struct TrustPage {
  let summary: String
  let members: [JSONMember]

  init(_ trust: TrustStatus) {
    guard let version = trust.rootVersion else {
      summary =
        trust.obstacle.map { "nothing is believed: \($0.message)" } ?? Trust.checksumsOnly.warning
        ?? trust.name
      members = [
        JSONMember("trust", .string(trust.name)), JSONMember("rootVersion", .null),
        JSONMember("metadata", .array([])),
      ]
      return
    }
    let dates = trust.roles.map { "\($0.name) until \($0.expires)" }.joined(separator: ", ")
    summary = "signed, root version \(version) (\(dates))"
    members = [
      JSONMember("trust", .string(trust.name)), JSONMember("rootVersion", .integer(version)),
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
