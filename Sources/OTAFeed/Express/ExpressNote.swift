internal import OTACrypto
internal import OTAManifest

/// What a device remembers of an express file, so that it can ask whether there is a newer one.
struct ExpressNote: Equatable {
  /// For how long nothing but the express file is asked for, in seconds: a host that lags with this one file, or a
  /// publisher that does not know it, delays a fix by no more than that.
  static let longestSeconds: Int64 = 86_400

  /// The address that the file came from; another mirror has another one.
  let url: String
  /// The entity tag of the file; `nil` when the host gave none.
  let tag: String?
  /// The digest of the timestamp in it, which must be the stored one for "not modified" to say anything.
  let timestamp: Digest
  /// When the feed was last asked without it.
  let since: Timestamp

  /// Whether it is time to ask the feed without the express file; also when the clock went back.
  func isOver(at now: Timestamp) -> Bool {
    now < since || now >= since.advanced(bySeconds: Self.longestSeconds)
  }

  init(url: String, tag: String?, timestamp: Digest, since: Timestamp) {
    (self.url, self.tag, self.timestamp, self.since) = (url, tag, timestamp, since)
  }

  /// Reads the file; a damaged one counts as none.
  init?(decoding bytes: [UInt8]) {
    do {
      let object = try JSONObject(JSONReader.read(bytes, maxBytes: 8192, maxDepth: 2))
      url = try object.string("url")
      tag = try object.optional("tag", object.string)
      timestamp = try object.digest("timestamp")
      since = try object.timestamp("since")
    } catch {
      return nil
    }
  }

  func encoded() -> [UInt8] {
    let members = [
      JSONMember("url", .string(url)), JSONMember("timestamp", .string(timestamp.hex)),
      JSONMember("since", .string(since.description)),
    ]
    return JSONValue.object(members + (tag.map { [JSONMember("tag", .string($0))] } ?? []))
      .encoded(indented: false)
  }
}
