import OTACrypto
import OTAFeed
import OTAManifest
import OTATrust
import Synchronization

/// Signs a feed in memory with keys that tests hold: the publisher of a signed feed, its mistakes and its thieves.
package final class FeedSigner: Sendable {
  /// The names of the four kinds of metadata.
  package enum Role: String, CaseIterable, Sendable {
    case root, targets, snapshot, timestamp
  }

  /// Everything that the next signature depends on; tests change it to play a thief or a careless publisher.
  package struct Books: Sendable {
    /// The moment of signing.
    package var now: Timestamp
    /// How long metadata is good for, in days.
    package var days: [Role: Int64] = [.root: 730, .targets: 180, .snapshot: 180, .timestamp: 30]
    /// The keys that sign each role.
    package var keys: [Role: [PrivateKey]]
    /// The version that each role has now; the root follows its own chain.
    package var versions: [Role: Int64] = [.targets: 0, .snapshot: 0, .timestamp: 0]
    /// Whether a timestamp says when it was signed.
    package var datesTimestamps = false
    /// The files that targets metadata lists.
    package var files: [String: FileEntry] = [:]
    /// The newest root.
    package var root: RootDocument
    /// All roots as they are published, the first one at index 0.
    package var roots: [[UInt8]] = []
    /// The newest metadata of the online roles.
    package var signed: [Role: [UInt8]] = [:]
    /// Whether an express file follows each signature, as on a feed of the tool.
    package var hasExpress = false
    /// What the express file holds beside the metadata: files that are listed, by their paths below the feed.
    package var enclosed: [String: [UInt8]] = [:]
  }

  private let state: Mutex<Books>

  /// A feed with one root key and one release key.
  package init(seed: UInt8 = 1, now: Timestamp = Timestamp(secondsSinceEpoch: 1_780_000_000)) {
    let (rootKey, releaseKey) = (Self.key(seed), Self.key(seed + 1))
    var root = RootDocument(expires: now.advanced(bySeconds: 730 * 86_400))
    Self.certain {
      try root.addKey(rootKey.publicKey, to: .root)
      for role in [Root.Role.targets, .snapshot, .timestamp] {
        try root.addKey(releaseKey.publicKey, to: role)
      }
    }
    var first = Books(
      now: now,
      keys: [
        .root: [rootKey], .targets: [releaseKey], .snapshot: [releaseKey], .timestamp: [releaseKey],
      ], root: root)
    first.roots = [Self.signed(Self.certain { try root.document() }, by: [rootKey])]
    state = Mutex(first)
  }

  /// The key that belongs to a number.
  package static func key(_ seed: UInt8) -> PrivateKey {
    certain { try PrivateKey(seed: [UInt8](repeating: seed, count: 32)) }
  }

  /// The bytes of a root; the first one is what the app ships unless a test says otherwise.
  package func root(_ version: Int = 1) -> [UInt8] { state.withLock { $0.roots[version - 1] } }

  /// Changes what the next signatures depend on.
  package func change(_ body: (inout Books) -> Void) { state.withLock { body(&$0) } }

  /// What the next signatures depend on now.
  package func books() -> Books { state.withLock { $0 } }

  // MARK: Signing

  /// Lists a release and its pointer, signs everything anew and puts it on the feed.
  package func publish(_ release: SampleRelease, on feed: MemoryFeed) {
    let version = release.manifest.version
    list(release.bundle, at: "releases/\(version)/parsers.bundle.js", on: feed)
    list(release.sources, at: "releases/\(version)/sources.json", on: feed)
    list(release.bytes, at: "releases/\(version)/manifest.json", on: feed)
    list(release.bytes, at: release.manifest.channel.manifestPath, on: feed)
    sign(on: feed)
  }

  /// Lists any file and puts it on the feed under its consistent name, but signs nothing yet.
  package func list(_ bytes: [UInt8], at path: String, on feed: MemoryFeed) {
    let digest = Self.certain { try sha256(bytes) }
    state.withLock { $0.files[path] = FileEntry(length: bytes.count, sha256: digest) }
    var names = path.split(separator: "/").map(String.init)
    names[names.count - 1] = "\(digest.hex).\(names[names.count - 1])"
    feed.put(bytes, at: "files/" + names.joined(separator: "/"))
  }

  /// Signs new versions of the three online roles; fewer when only those are named.
  package func sign(_ roles: Set<Role> = [.targets, .snapshot, .timestamp], on feed: MemoryFeed) {
    let lists = feed.files
    let files = state.withLock { books in
      for role in roles { books.versions[role, default: 0] += 1 }
      for role in [Role.targets, .snapshot, .timestamp] where roles.contains(role) {
        books.signed[role] = Self.signed(
          Self.certain { try Self.document(role, books) }, by: books.keys[role] ?? [])
      }
      var files = Self.files(books)
      if books.hasExpress { files[ExpressFile.path] = Self.express(books, lists) }
      return files
    }
    for (path, bytes) in files { feed.put(bytes, at: path) }
  }

  /// The express file of what is signed now.
  private static func express(_ books: Books, _ lists: [String: [UInt8]]) -> [UInt8]? {
    var parts = files(books).filter { $0.key != "metadata/1.root.json" }
    for (path, entry) in books.files where path.hasSuffix("manifest.json") && !path.hasPrefix("releases/") {
      var names = path.split(separator: "/").map(String.init)
      names[names.count - 1] = "\(entry.sha256.hex).\(names[names.count - 1])"
      let place = "files/" + names.joined(separator: "/")
      parts[place] = lists[place]
    }
    return ExpressFile(parts: parts.merging(books.enclosed) { $1 }).encoded()
  }

  /// Publishes the next root after `edit` changed it; signed by the old and by the new root keys.
  package func rotateRoot(
    on feed: MemoryFeed, rootKeys: [PrivateKey]? = nil, _ edit: (inout RootDocument) throws -> Void = { _ in }
  ) {
    let (path, bytes) = state.withLock { books in
      let expires = books.now.advanced(bySeconds: (books.days[.root] ?? 730) * 86_400)
      var next = books.root.nextVersion(expires: expires)
      Self.certain { try edit(&next) }
      let signers = (books.keys[.root] ?? []) + (rootKeys ?? [])
      if let rootKeys { books.keys[.root] = rootKeys }
      let bytes = Self.signed(Self.certain { try next.document() }, by: signers)
      books.root = next
      books.roots.append(bytes)
      return ("metadata/\(next.version).root.json", bytes)
    }
    feed.put(bytes, at: path)
  }

  /// Takes the release key of the root away and puts another in its place; the next signatures are made with it.
  package func replaceReleaseKey(by new: PrivateKey, on feed: MemoryFeed) {
    let old = state.withLock { $0.keys[.timestamp] ?? [] }
    rotateRoot(on: feed) { root in
      for role in [Root.Role.targets, .snapshot, .timestamp] {
        for key in old { root.removeKey(try key.publicKey.metadataID(), from: role) }
        try root.addKey(new.publicKey, to: role)
      }
    }
    change { books in
      for role in [Role.targets, .snapshot, .timestamp] { books.keys[role] = [new] }
    }
  }

  private static func document(_ role: Role, _ books: Books) throws -> SignedDocument {
    let expires = books.now.advanced(bySeconds: (books.days[role] ?? 0) * 86_400)
    let version = books.versions[role] ?? 1
    func entry(_ role: Role) throws -> FileEntry {
      let bytes = books.signed[role] ?? []
      return FileEntry(length: bytes.count, sha256: try sha256(bytes))
    }
    return switch role {
    case .root: try books.root.document()
    case .targets: try TargetsDocument(version: version, expires: expires, files: books.files).document()
    case .snapshot:
      try SnapshotDocument(
        version: version, expires: expires, targetsVersion: books.versions[.targets] ?? 1,
        targets: entry(.targets)
      ).document()
    case .timestamp:
      try timestamp(version, expires, books, entry(.snapshot)).document()
    }
  }

  private static func timestamp(
    _ version: Int64, _ expires: Timestamp, _ books: Books, _ snapshot: FileEntry
  ) -> TimestampDocument {
    var document = TimestampDocument(
      version: version, expires: expires, snapshotVersion: books.versions[.snapshot] ?? 1, snapshot: snapshot,
      signedAt: books.datesTimestamps ? books.now : nil)
    document.hasExpress = books.hasExpress
    return document
  }

  private static func files(_ books: Books) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for (index, root) in books.roots.enumerated() { files["metadata/\(index + 1).root.json"] = root }
    for (role, bytes) in books.signed {
      let prefix = role == .timestamp ? "" : "\(books.versions[role] ?? 1)."
      files["metadata/\(prefix)\(role.rawValue).json"] = bytes
    }
    return files
  }

  /// A document with the signatures of these keys.
  package static func signed(_ document: SignedDocument, by keys: [PrivateKey]) -> [UInt8] {
    var document = document
    for key in keys {
      certain { document.add(try key.sign(document.canonicalBytes), keyID: try key.publicKey.metadataID()) }
    }
    return document.encoded()
  }

  @discardableResult
  private static func certain<Value>(_ body: () throws -> Value) -> Value {
    do { return try body() } catch { preconditionFailure("\(error)") }
  }
}
