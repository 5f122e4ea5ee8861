public import OTAManifest

/// Says which snapshot is the newest; re-signed often, so that nobody can hide news for long.
public struct TimestampMetadata: Sendable {
  /// Version and expiry.
  public let header: MetadataHeader
  /// The newest snapshot.
  public let snapshot: MetadataDescription

  /// The version, from 1.
  public var version: Int64 { header.version }
  /// When it was signed; `nil` when it does not say so.
  public var signedAt: Timestamp? { header.feedExtension.signedAt }
  /// How many seconds the feed wants between two checks; `nil` when it does not say.
  public var checkInterval: Int64? { header.feedExtension.checkInterval }

  /// Whether it says that the feed has an express file.
  package var hasExpress: Bool { header.feedExtension.hasExpress }

  /// Whether stored bytes say so; a hint for what to ask for, so nothing is verified. `false` for what cannot be read.
  package static func announcesExpress(_ bytes: [UInt8]) -> Bool {
    do {
      let envelope = try Envelope(
        bytes, role: "timestamp", maxBytes: TrustLimits.standard.maxTimestampBytes)
      return try TimestampMetadata(envelope).hasExpress
    } catch {
      return false
    }
  }

  init(_ envelope: Envelope) throws(TrustError) {
    do {
      let object = try JSONObject(envelope.signed, known: MetadataHeader.fields + ["meta"])
      header = try MetadataHeader(object, kind: .timestamp)
      let meta = try object.object("meta")
      snapshot = try MetadataDescription(meta.object("snapshot.json", known: MetadataDescription.fields))
    } catch {
      throw TrustError(reading: error, role: envelope.role)
    }
  }
}
