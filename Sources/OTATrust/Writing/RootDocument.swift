public import OTACrypto
public import OTAManifest

/// A root that is being made, or the next one after a root that exists; fields that are unknown here are kept.
public struct RootDocument: Equatable, Sendable {
  /// What will be signed.
  public private(set) var signed: JSONValue

  /// Starts the first root, without keys, with thresholds of 1 and with consistent snapshots.
  public init(expires: Timestamp) {
    let roles = Root.Role.allCases.map { role in
      JSONMember(
        role.rawValue,
        .object([JSONMember("keyids", .array([])), JSONMember("threshold", .integer(1))]))
    }
    let header = MetadataHeader.members(.root, version: 1, expires: expires)
    signed = .object(
      header + [
        JSONMember("consistent_snapshot", .bool(true)), JSONMember("keys", .object([])),
        JSONMember("roles", .object(roles)),
      ])
  }

  /// Reads a root file to derive from; its signatures are left behind and were verified by the caller.
  public init(decoding bytes: [UInt8]) throws(TrustError) {
    let envelope = try Envelope(bytes, role: "root", maxBytes: TrustLimits.standard.maxRootBytes)
    _ = try Root(envelope)
    signed = envelope.signed
  }

  /// The version.
  public var version: Int64 {
    guard case .number(let number) = signed[member: "version"] else { return 0 }
    return number.integer ?? 0
  }

  /// From this moment on clients refuse it; `nil` when it is no moment.
  public var expires: Timestamp? {
    guard case .string(let text) = signed[member: "expires"] else { return nil }
    return Timestamp(text)
  }

  /// The name of the feed; `nil` for an unnamed feed.
  public var feedName: String? {
    guard case .string(let name) = signed[member: FeedExtension.member]?[member: "feed"] else { return nil }
    return name
  }

  /// The epoch, from 1.
  public var epoch: Int64 {
    guard case .number(let number) = signed[member: FeedExtension.member]?[member: "epoch"] else { return 1 }
    return number.integer ?? 1
  }

  /// Names the feed; clients refuse a root that takes a name back or changes it.
  public mutating func setFeedName(_ name: String) { setAdded("feed", .string(name)) }

  /// Sets the epoch; clients refuse a root that goes back to an older one.
  public mutating func setEpoch(_ epoch: Int64) { setAdded("epoch", .integer(epoch)) }

  private mutating func setAdded(_ name: String, _ value: JSONValue) {
    if signed[member: FeedExtension.member] == nil { signed[member: FeedExtension.member] = .object([]) }
    signed[member: FeedExtension.member]?[member: name] = value
  }

  /// The ids of the keys that speak for a role, in order.
  public func keyIDs(of role: Root.Role) -> [String] { entry(of: role)?[member: "keyids"]?.texts ?? [] }

  /// How many keys of a role must sign.
  public func threshold(of role: Root.Role) -> Int {
    guard case .number(let number) = entry(of: role)?[member: "threshold"] else { return 0 }
    return number.integer.flatMap { Int(exactly: $0) } ?? 0
  }

  /// The ids of all listed keys, in order.
  public var listedKeyIDs: [String] { signed[member: "keys"]?.memberNames ?? [] }

  /// Lets a key speak for a role; doing so again changes nothing.
  public mutating func addKey(_ key: PublicKey, to role: Root.Role) throws(TrustError) {
    let id: String
    let value: JSONValue
    do {
      (id, value) = (try key.metadataID(), try key.metadataValue())
    } catch {
      throw TrustError(.cannotVerify, role: "root", "cannot list the key: \(error.message)")
    }
    if signed[member: "keys"]?[member: id] == nil { signed[member: "keys"]?[member: id] = value }
    var ids = keyIDs(of: role)
    guard !ids.contains(where: { $0.hasSameBytes(as: id) }) else { return }
    ids.append(id)
    setKeyIDs(ids, of: role)
  }

  /// Takes a role away from a key; a key without any role is not listed any more.
  ///
  /// - Returns: `false` when the key did not speak for the role.
  @discardableResult
  public mutating func removeKey(_ id: String, from role: Root.Role) -> Bool {
    let ids = keyIDs(of: role)
    let remaining = ids.filter { !$0.hasSameBytes(as: id) }
    guard remaining.count != ids.count else { return false }
    setKeyIDs(remaining, of: role)
    let isUsed = Root.Role.allCases.contains { keyIDs(of: $0).contains { $0.hasSameBytes(as: id) } }
    if !isUsed { signed[member: "keys"]?[member: id] = nil }
    return true
  }

  /// Sets how many keys of a role must sign; `document()` checks that there are as many.
  public mutating func setThreshold(_ threshold: Int, of role: Root.Role) {
    signed[member: "roles"]?[member: role.rawValue]?[member: "threshold"] = .integer(Int64(threshold))
  }

  /// The root that follows this one: the version after it, and a new expiry.
  public func nextVersion(expires: Timestamp) -> RootDocument {
    var next = self
    next.signed[member: "version"] = .integer(version + 1)
    next.signed[member: "expires"] = .string("\(expires)")
    next.signed[member: "spec_version"] = .string(MetadataHeader.specification)
    return next
  }

  /// What is to be signed.
  ///
  /// - Throws: `malformed` when the keys of a role can never reach its threshold.
  public func document() throws(TrustError) -> SignedDocument {
    for role in Root.Role.allCases {
      let (needed, count) = (threshold(of: role), Set(keyIDs(of: role)).count)
      guard (1...max(count, 1)).contains(needed), count > 0 else {
        throw TrustError(
          .malformed, role: "root",
          "would ask for \(needed) signatures of the role \(role.rawValue), which has \(count) keys")
      }
    }
    return try SignedDocument(signed, role: "root")
  }

  private func entry(of role: Root.Role) -> JSONValue? { signed[member: "roles"]?[member: role.rawValue] }

  private mutating func setKeyIDs(_ ids: [String], of role: Root.Role) {
    signed[member: "roles"]?[member: role.rawValue]?[member: "keyids"] = .array(ids.map { .string($0) })
  }
}
