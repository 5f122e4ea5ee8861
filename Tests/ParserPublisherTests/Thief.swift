import OTACrypto
import OTAFeed
import OTAManifest
import OTAStorage
import OTATrust

@testable import ParserPublisher

/// Somebody who has the release key of a feed and its folder, and none of the publisher's scruples.
struct Thief {
  let feed: SignedFeed
  /// The stolen key.
  var key: UInt8 = 2
  /// When the metadata expires that the thief signs.
  var expires = TestFeed.date.advanced(bySeconds: 100 * 86_400)
  /// The version of all three kinds of metadata; the next ones when `nil`.
  var versions: Int64?
  /// Listed files that are not there.
  var junk = 0
  /// When the timestamp says that it was signed.
  var signedAt: Timestamp?

  /// Publishes a manifest made of the live one, whatever it says.
  func publish(_ change: (inout [JSONMember]) -> Void) async throws {
    let live = try feed.read("manifest.json")
    guard case .object(var members) = try JSONReader.read(live, maxBytes: 1 << 20) else { return }
    change(&members)
    let bytes = JSONValue.object(members).encoded(indented: true)
    let digest = try sha256(bytes)
    let version = try Manifest.decode(bytes).version
    let host = feed.host
    _ = try host.put(FeedLayout.manifest(digest, of: version), bytes)
    _ = try host.put(FeedLayout.pointerCopy(digest, of: .stable), bytes)
    let entry = FileEntry(length: bytes.count, sha256: digest)
    try await sign { files in
      files["manifest.json"] = entry
      files[TargetsInventory.manifestPath(of: version)] = entry
    }
    try host.replace("manifest.json", with: bytes)
  }

  /// Signs everything again with other files.
  func sign(_ change: (inout [String: FileEntry]) throws -> Void = { _ in }) async throws {
    let live = try await MetadataState.read(from: feed.host)
    var files = live.files
    for number in 0..<junk {
      files["junk/\(number)"] = FileEntry(length: 1, sha256: try sha256([1]))
    }
    try change(&files)
    let name = live.chain.newest.feedName
    let (targets, snapshot, timestamp) = (
      versions ?? live.targets.version + 1, versions ?? live.snapshot.version + 1,
      versions ?? live.timestamp.version + 1
    )
    let first = try await write(
      TargetsDocument(version: targets, expires: expires, files: files, feedName: name).document(),
      "\(targets).targets.json")
    let second = try await write(
      SnapshotDocument(
        version: snapshot, expires: expires, targetsVersion: targets, targets: first, feedName: name
      ).document(), "\(snapshot).snapshot.json")
    _ = try await write(
      TimestampDocument(
        version: timestamp, expires: expires, snapshotVersion: snapshot, snapshot: second, feedName: name,
        signedAt: signedAt
      ).document(), "timestamp.json")
  }

  private func write(_ document: SignedDocument, _ path: String) async throws -> FileEntry {
    var document = document
    try await document.sign(with: signer(key), keyID: signer(key).publicKey.metadataID())
    let bytes = document.encoded()
    try durablyReplaceFile(at: "\(feed.feed)/metadata/\(path)", with: bytes)
    return FileEntry(length: bytes.count, sha256: try sha256(bytes))
  }
}

extension [JSONMember] {
  /// The value of a member; assigning replaces it, or adds it.
  subscript(_ key: String) -> JSONValue? {
    get { first { $0.key == key }?.value }
    set {
      removeAll { $0.key == key }
      if let newValue { append(JSONMember(key, newValue)) }
    }
  }
}
