internal import OTAManifest

/// Says which versions of all targets metadata belong together.
public struct Snapshot: Sendable {
  /// Version and expiry.
  public let header: MetadataHeader
  private let files: [ExactText: MetadataDescription]

  /// The version, from 1.
  public var version: Int64 { header.version }

  init(_ envelope: Envelope) throws(TrustError) {
    do {
      let object = try JSONObject(envelope.signed, known: MetadataHeader.fields + ["meta"])
      header = try MetadataHeader(object, kind: .snapshot)
      let meta = try object.object("meta")
      var files: [ExactText: MetadataDescription] = [:]
      for member in meta.members {
        files[ExactText(member.key)] = try MetadataDescription(
          JSONObject(member.value, path: meta.path(of: member.key), known: MetadataDescription.fields))
      }
      self.files = files
    } catch {
      throw TrustError(reading: error, role: envelope.role)
    }
  }

  /// What the snapshot says of the metadata of a role; `nil` when nothing.
  public func description(of role: String) -> MetadataDescription? { files[ExactText("\(role).json")] }

  /// Refuses this snapshot when it takes back a version, or forgets a file, of an older one.
  func requireNoRollback(from older: Snapshot, role: String) throws(TrustError) {
    let inOrder = older.files.sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }
    for (name, description) in inOrder {
      guard let new = files[name] else {
        throw TrustError(.rollback, role: role, "does not list \(name.text.printable()) any more")
      }
      guard new.version >= description.version else {
        throw TrustError(
          .rollback, role: role,
          "takes \(name.text.printable()) back from version \(description.version) to \(new.version)")
      }
    }
  }
}
