package import OTAManifest
internal import OTATrust

/// The roots that a store has passed, by their digests: what `known-roots` beside the trusted metadata holds.
///
/// Only the newest root itself is kept. Its digest here, beside that of the root that the app ships, says that one led to
/// the other when it was verified. So a long chain costs a line for each root, not a file.
package struct TrustedRoots: Equatable, Sendable {
  /// One root that was trusted.
  package struct Entry: Equatable, Sendable {
    /// Its version.
    package let version: Int64
    /// The digest of its file.
    package let digest: Digest
  }

  /// How many roots are remembered; an app that ships an older one takes the chain from the feed again.
  static let maxEntries = 1024

  /// The roots by their versions, the newest last; never empty.
  package private(set) var entries: [Entry]
  /// Which lineage they are, and the epoch that it has come to.
  package private(set) var epoch: TrustEpoch

  /// Starts a lineage with the root that an app ships.
  init(first entry: Entry) {
    entries = [entry]
    epoch = TrustEpoch(lineage: entry.digest, rootVersion: 0)
  }

  /// Whether exactly this root was passed.
  package func contains(_ entry: Entry) -> Bool { entries.contains(entry) }

  /// Adds a verified root behind the one that it follows; roots that were remembered from there on go.
  mutating func append(_ entry: Entry, startsEpoch: Bool) {
    entries.removeAll { $0.version >= entry.version }
    entries.append(entry)
    entries.removeFirst(max(0, entries.count - Self.maxEntries))
    guard startsEpoch else { return }
    epoch = TrustEpoch(lineage: epoch.lineage, rootVersion: max(epoch.rootVersion, entry.version))
  }

  /// The same lineage up to a version.
  func through(_ version: Int64) -> TrustedRoots {
    var copy = self
    copy.entries.removeAll { $0.version > version }
    return copy
  }

  /// The same lineage, with its roots to be passed again from this one on.
  func restarted(at entry: Entry) -> TrustedRoots {
    var copy = self
    copy.entries = [entry]
    return copy
  }

  // MARK: The file

  /// Reads the file.
  init(decoding bytes: [UInt8]) throws(InputError) {
    let value = try JSONReader.read(bytes, maxBytes: TrustLimits.standard.maxRootBytes)
    let object = try JSONObject(value, known: ["lineage", "epoch", "roots"])
    entries = []
    for (index, item) in try object.array("roots").enumerated() {
      let path = "roots[\(index)]"
      let root = try JSONObject(item, path: path, known: ["version", "sha256"])
      let version = try root.integer("version")
      guard version > entries.last?.version ?? 0 else {
        throw InputError(.malformed, field: "\(path).version", "does not follow the one before")
      }
      entries.append(Entry(version: version, digest: try Self.digest("sha256", root)))
    }
    guard !entries.isEmpty else { throw InputError(.malformed, field: "roots", "is empty") }
    epoch = TrustEpoch(
      lineage: try Self.digest("lineage", object),
      rootVersion: try object.integer("epoch", in: 0...JSONObject.maxExactInteger))
  }

  private static func digest(_ name: String, _ object: JSONObject) throws(InputError) -> Digest {
    guard let digest = Digest(hex: try object.string(name)) else {
      throw InputError(.malformed, field: object.path(of: name), "is not 64 hexadecimal digits")
    }
    return digest
  }

  /// The file.
  func encoded() -> [UInt8] {
    let roots = entries.map { entry in
      JSONValue.object([
        JSONMember("version", .integer(entry.version)), JSONMember("sha256", .string(entry.digest.hex)),
      ])
    }
    return JSONValue.object([
      JSONMember("lineage", .string(epoch.lineage.hex)), JSONMember("epoch", .integer(epoch.rootVersion)),
      JSONMember("roots", .array(roots)),
    ]).encoded(indented: false)
  }
}

/// How far the trust of a store has come: the lineage of its roots, and the newest root that began an epoch in it.
package struct TrustEpoch: Hashable, Sendable {
  /// The digest of the first root of the lineage that the store knew.
  package let lineage: Digest
  /// The version of the newest root that raised the epoch or revoked a key of targets; 0 before there is one.
  package let rootVersion: Int64

  /// Describes an epoch that was written down.
  package init(lineage: Digest, rootVersion: Int64) {
    self.lineage = lineage
    self.rootVersion = rootVersion
  }

  /// Whether what was seen in an older epoch, or in another lineage, no longer counts.
  package func startsAnew(after older: TrustEpoch) -> Bool {
    lineage != older.lineage || rootVersion > older.rootVersion
  }
}

/// Whether stored metadata, and so the releases beside it, belong to the root that an app ships.
package enum StoredLineage: String, Equatable, Sendable {
  /// Nothing signed was ever stored.
  case none
  /// The stored roots lead to the shipped one or come from it.
  case same
  /// Another root made what is stored: another feed, or the same one after its root key was lost.
  case foreign
}
