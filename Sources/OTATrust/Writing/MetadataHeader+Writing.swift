internal import OTAManifest

extension MetadataHeader {
  /// The version of The Update Framework that new metadata follows.
  static let specification = "1.0.34"

  /// The fields that metadata of a kind begins with.
  static func members(_ kind: Kind, version: Int64, expires: Timestamp) -> [JSONMember] {
    [
      JSONMember("_type", .string(kind.rawValue)), JSONMember("spec_version", .string(specification)),
      JSONMember("version", .integer(version)), JSONMember("expires", .string("\(expires)")),
    ]
  }
}
