import OTACrypto
import OTAManifest
import OTATrust

/// A feed with its keys: change a property, then ask for metadata, which is signed as it should be.
package struct TestFeed: Sendable {
  /// The moment that tests call now.
  package static let now = Timestamp("2026-06-01T00:00:00Z") ?? Timestamp(secondsSinceEpoch: 0)

  /// The keys of a role, and how many of them must sign.
  package struct Signers: Sendable {
    package var keys: [TestKey]
    package var threshold: Int64 = 1

    package init(_ numbers: UInt8...) throws { keys = try numbers.map { try TestKey($0) } }
  }

  package var root: Signers
  package var timestamp: Signers
  package var snapshot: Signers
  package var targets: Signers
  package var rootVersion: Int64 = 1
  package var timestampVersion: Int64 = 1
  package var snapshotVersion: Int64 = 1
  package var targetsVersion: Int64 = 1
  /// The version of the snapshot that the timestamp speaks of; as it is when `nil`.
  package var announcedSnapshot: Int64?
  /// When a role expires; in 2030 where nothing is said.
  package var expiry: [String: String] = [:]
  package var isConsistent = true
  /// The name of the feed as each role carries it.
  package var names: [String: String] = [:]
  /// The member `x-parser-ota` of a role besides the name.
  package var added: [String: [JSONMember]] = [:]
  /// Whether timestamp and snapshot give lengths and digests.
  package var hasHashes = false
  /// The content of all targets by path.
  package var files: [String: [UInt8]] = ["a/file.txt": Array("content".utf8)]
  /// The member `delegations` of the targets.
  package var delegations: JSONValue?
  /// Delegated metadata by role, all of version 1.
  package var delegated: [String: [UInt8]] = [:]

  package init() throws {
    root = try Signers(1)
    timestamp = try Signers(2)
    snapshot = try Signers(3)
    targets = try Signers(4)
  }

  /// Names the feed in all its metadata.
  package mutating func setName(_ name: String?) {
    for role in Root.Role.allCases { names[role.rawValue] = name }
  }

  /// The fields that all metadata begins with, and what this product adds.
  package func header(_ type: String, _ version: Int64) -> [JSONMember] {
    let name = names[type].map { [JSONMember("feed", .string($0))] } ?? []
    let members = name + (added[type] ?? [])
    let extra = members.isEmpty ? [] : [JSONMember("x-parser-ota", object(members))]
    return [
      JSONMember("_type", .string(type)), JSONMember("spec_version", "1.0.34"),
      JSONMember("version", .integer(version)),
      JSONMember("expires", .string(expiry[type] ?? "2030-01-01T00:00:00Z")),
    ] + extra
  }

  /// The root, not signed.
  package var rootBody: JSONValue {
    let roles = [("root", root), ("timestamp", timestamp), ("snapshot", snapshot), ("targets", targets)]
    var keys: [JSONMember] = []
    for key in roles.flatMap(\.1.keys) where !keys.contains(where: { $0.key == key.id }) {
      keys.append(JSONMember(key.id, key.entry))
    }
    return object(
      header("root", rootVersion) + [
        JSONMember("consistent_snapshot", .bool(isConsistent)), JSONMember("keys", object(keys)),
        JSONMember("roles", object(roles.map { JSONMember($0.0, Self.role($0.1)) })),
      ])
  }

  /// The entry of a role with its keys and threshold.
  package static func role(_ signers: Signers, _ more: [JSONMember] = []) -> JSONValue {
    object(
      more + [
        JSONMember("keyids", .array(signers.keys.map { .string($0.id) })),
        JSONMember("threshold", .integer(signers.threshold)),
      ])
  }

  /// The root, signed by its own keys and those of an older one.
  package func rootBytes(alsoBy older: [TestKey] = []) throws -> [UInt8] {
    let others = older.filter { key in !root.keys.contains { $0.id == key.id } }
    return try signed(rootBody, by: root.keys + others)
  }

  /// The timestamp, not signed.
  package func timestampBody() throws -> JSONValue {
    let entry = try description(of: snapshotBytes(), version: announcedSnapshot ?? snapshotVersion)
    return object(
      header("timestamp", timestampVersion) + [
        JSONMember("meta", object([JSONMember("snapshot.json", entry)]))
      ])
  }

  /// The timestamp, signed.
  package func timestampBytes() throws -> [UInt8] { try signed(timestampBody(), by: timestamp.keys) }

  /// The snapshot, not signed.
  package func snapshotBody() throws -> JSONValue {
    var meta = [JSONMember("targets.json", try description(of: targetsBytes(), version: targetsVersion))]
    for (role, bytes) in delegated.sorted(by: { $0.key < $1.key }) {
      meta.append(JSONMember("\(role).json", try description(of: bytes, version: 1)))
    }
    return object(header("snapshot", snapshotVersion) + [JSONMember("meta", object(meta))])
  }

  /// The snapshot, signed.
  package func snapshotBytes() throws -> [UInt8] { try signed(snapshotBody(), by: snapshot.keys) }

  /// Targets metadata, not signed, for any files.
  package func targetsBody(_ files: [String: [UInt8]], _ version: Int64 = 1) throws -> JSONValue {
    let entries = try files.sorted { $0.key < $1.key }.map { path, content in
      JSONMember(path, try Self.target(content))
    }
    return object(header("targets", version) + [JSONMember("targets", object(entries))])
  }

  /// The entry of a target.
  package static func target(_ content: [UInt8]) throws -> JSONValue {
    object([
      JSONMember("length", .integer(Int64(content.count))),
      JSONMember("hashes", object([JSONMember("sha256", .string(try sha256(content).hex))])),
    ])
  }

  /// The top-level targets metadata, signed.
  package func targetsBytes() throws -> [UInt8] {
    try signed(targetsBody(files, targetsVersion).with("delegations", delegations), by: targets.keys)
  }

  private func description(of bytes: [UInt8], version: Int64) throws -> JSONValue {
    let entry = object([JSONMember("version", .integer(version))])
    guard hasHashes else { return entry }
    return entry.with("length", .integer(Int64(bytes.count)))
      .with("hashes", object([JSONMember("sha256", .string(try sha256(bytes).hex))]))
  }

  /// All files of the feed by their path below its root.
  package func published(alsoBy older: [TestKey] = []) throws -> [String: [UInt8]] {
    let prefix: (Int64) -> String = { isConsistent ? "\($0)." : "" }
    var all = [
      "metadata/\(rootVersion).root.json": try rootBytes(alsoBy: older),
      "metadata/timestamp.json": try timestampBytes(),
      "metadata/\(prefix(snapshotVersion))snapshot.json": try snapshotBytes(),
      "metadata/\(prefix(targetsVersion))targets.json": try targetsBytes(),
    ]
    for (role, bytes) in delegated { all["metadata/\(prefix(1))\(role).json"] = bytes }
    for (path, content) in files {
      var names = path.split(separator: "/").map(String.init)
      let last = names.removeLast()
      names.append(isConsistent ? "\(try sha256(content).hex).\(last)" : last)
      all["files/\(names.joined(separator: "/"))"] = content
    }
    return all
  }
}
