internal import OTACrypto
internal import OTAFeed
internal import OTAManifest
internal import OTAStorage
internal import OTATrust

/// The files of a feed in a folder, as a web server gives them out.
struct FeedFiles: Sendable {
  let root: String

  /// The largest file that is served.
  static let maxBytes = 128 << 20

  /// The bytes of a file; `nil` for what is not there, may not be read, or is hidden.
  func file(_ path: String) -> [UInt8]? {
    var parts = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
    guard let name = parts.popLast(), !(parts + [name]).contains(where: { $0.hasPrefix(".") }) else {
      return nil
    }
    do {
      return try folder(parts).read(name, maxBytes: Self.maxBytes)
    } catch {
      // A host without the file answers 404, whatever the reason.
      return nil
    }
  }

  /// The names in a folder; empty when there is none.
  func names(in path: String) -> [String] {
    do {
      return try folder(path.split(separator: "/").map(String.init)).entries().map(\.name)
    } catch {
      // No folder, so no names.
      return []
    }
  }

  private func folder(_ parts: [String]) throws(StorageError) -> Directory {
    var folder = try Directory.open(root)
    for part in parts { folder = try folder.subdirectory(part) }
    return folder
  }

  /// The paths whose content changes from release to release.
  var pointers: [String] {
    [Channel.stable.manifestPath, FeedLayout.timestamp, Self.express]
      + names(in: FeedLayout.channelsFolder).compactMap { Channel($0)?.manifestPath }
  }

  /// What a device asks for first on newer feeds; it has to agree with the rest.
  static let express = FeedLayout.express

  /// Whether the feed has signatures.
  var isSigned: Bool { file(FeedLayout.timestamp) != nil }

  // MARK: Other states

  /// The catalog or bundle of another release, for a path of one; changed bytes where there is no other.
  func sibling(of path: String) -> [UInt8]? {
    let suffixes = FeedLayout.ContentFile.allCases.map { ".\($0.rawValue)" }
    guard let suffix = suffixes.first(where: path.hasSuffix), let own = file(path) else { return nil }
    for release in names(in: FeedLayout.releasesFolder).sorted(by: Self.newestFirst) {
      for name in names(in: "\(FeedLayout.releasesFolder)/\(release)").sorted() where name.hasSuffix(suffix) {
        let other = "\(FeedLayout.releasesFolder)/\(release)/\(name)"
        if other != path, let bytes = file(other), bytes != own { return bytes }
      }
    }
    return Self.damaged(own)
  }

  /// The metadata of the version before, under the name of the newest.
  func before(_ path: String) -> [UInt8]? {
    let folder = FeedLayout.metadataFolder + "/"
    guard path.hasPrefix(folder), let dot = path.firstIndex(of: "."),
      let version = Int(path[..<dot].dropFirst(folder.count)), version > 1
    else { return nil }
    return file("\(folder)\(version - 1)\(path[dot...])")
  }

  private static func newestFirst(_ one: String, _ other: String) -> Bool {
    (Int(one) ?? 0) > (Int(other) ?? 0)
  }

  /// The same bytes with one changed.
  static func damaged(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    if let last = bytes.indices.last { bytes[last / 2] ^= 1 }
    return bytes
  }
}

/// Signs a timestamp in ways that no publisher does.
struct TimestampForger: Sendable {
  /// The keys that the feed trusts; empty when none were given.
  let keys: [PrivateKey]
  /// A key that no feed trusts.
  let stranger: PrivateKey

  init(keys: [PrivateKey]) throws(CryptoError) {
    self.keys = keys
    stranger = try PrivateKey.generate()
  }

  /// The timestamp with another expiry, signed by the right keys.
  func expired(_ bytes: [UInt8], at moment: Timestamp) throws -> [UInt8] {
    let read = try Self.read(bytes)
    guard case .object(var members) = read.signed else { return bytes }
    for (index, member) in members.enumerated() where member.key == "expires" {
      members[index] = JSONMember("expires", .string("\(moment)"))
    }
    for (index, member) in members.enumerated() where member.key == "version" {
      guard case .number(let number) = member.value, let version = number.integer else { continue }
      members[index] = JSONMember("version", .integer(version + 1))
    }
    var document = try SignedDocument(.object(members), role: "timestamp")
    for key in keys {
      document.add(try key.sign(document.canonicalBytes), keyID: try key.publicKey.metadataID())
    }
    return document.encoded()
  }

  /// The timestamp as it is, signed by a stranger under the names of the right keys.
  func forged(_ bytes: [UInt8]) throws -> [UInt8] {
    var document = try Self.read(bytes)
    for id in document.signatures.keys { document.add(try stranger.sign(document.canonicalBytes), keyID: id) }
    return document.encoded()
  }

  private static func read(_ bytes: [UInt8]) throws -> SignedDocument {
    try SignedDocument(decoding: bytes, role: "timestamp", maxBytes: 16 << 10)
  }
}
