internal import OTAManifest

/// The files that a role vouches for, and the roles that it delegates to.
public struct Targets: Sendable {
  /// Version and expiry.
  public let header: MetadataHeader
  /// The roles that may vouch for other paths, the most trusted first.
  public let delegations: Delegations
  private let files: [ExactText: TargetDescription]

  /// The version, from 1.
  public var version: Int64 { header.version }
  /// The paths of the files that this role itself vouches for, in the order of their bytes.
  public var paths: [String] {
    files.keys.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  init(_ envelope: Envelope) throws(TrustError) {
    do {
      let object = try JSONObject(envelope.signed, known: MetadataHeader.fields + ["targets", "delegations"])
      header = try MetadataHeader(object, kind: .targets)
      let listed = try object.object("targets")
      var files: [ExactText: TargetDescription] = [:]
      for member in listed.members {
        files[ExactText(member.key)] = try TargetDescription(
          path: member.key,
          JSONObject(member.value, path: listed.path(of: member.key), known: TargetDescription.fields))
      }
      self.files = files
      delegations =
        object["delegations"] == nil
        ? .none
        : try Delegations(object.object("delegations", known: ["keys", "roles", "succinct_roles"]))
    } catch {
      throw TrustError(reading: error, role: envelope.role)
    }
  }

  /// What this role itself says of a path; `nil` when nothing.
  public func description(of path: String) -> TargetDescription? { files[ExactText(path)] }
}
