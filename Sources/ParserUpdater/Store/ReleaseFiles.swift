internal import OTACrypto
internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// The three files of a release, wherever its folder is: in the store or inside the app.
enum ReleaseFiles {
  static let manifest = "manifest.json"
  static let bundle = "parsers.bundle.js"
  static let sources = "sources.json"

  /// A release whose bytes were read and hashed in this call.
  struct Loaded: Sendable {
    let manifest: Manifest
    let manifestDigest: Digest
    let bundle: [UInt8]
    let sources: [UInt8]
  }

  /// Why a release is not whole, as the end of a sentence that begins with it.
  struct Damage: Error, Equatable {
    let text: String
    /// Why it cannot be known whether the release is whole; `nil` when it is not.
    ///
    /// What is unknown gives up nothing: no slot is emptied, no file is removed, fetched or replaced.
    let unknown: Problem?

    init(text: String, unknown: Problem? = nil) {
      self.text = text
      self.unknown = unknown
    }

    init(_ error: StorageError, _ text: String) {
      self.init(text: text, unknown: error.leavesUnknown ? Problem(error) : nil)
    }

    /// The stable code of the reason for passing the release over.
    var code: String { unknown == nil ? "not-whole" : "unknown" }
  }

  /// Reads the manifest alone, and its digest.
  static func readManifest(in folder: Directory) throws(Damage) -> (manifest: Manifest, digest: Digest) {
    do {
      let bytes = try folder.read(manifest, maxBytes: Limits.standard.maxManifestBytes)
      return (try Manifest.decode(bytes), try sha256(bytes))
    } catch {
      throw damage(manifest, error)
    }
  }

  /// Reads and verifies a whole release: the bytes returned are the bytes that were hashed.
  ///
  /// - Parameter expected: the digest that the manifest must have; `nil` inside the app, where it is the anchor.
  static func load(from folder: Directory, expecting expected: Digest?) throws(Damage) -> Loaded {
    let (manifest, digest) = try readManifest(in: folder)
    try require(digest, expected)
    return Loaded(
      manifest: manifest, manifestDigest: digest,
      bundle: try readVerified(bundle, manifest.bundle, in: folder),
      sources: try readVerified(sources, manifest.sources, in: folder))
  }

  private static func readVerified(
    _ name: String, _ artifact: Artifact, in folder: Directory
  ) throws(Damage) -> [UInt8] {
    do {
      let bytes = try folder.read(name, exactly: Int(artifact.bytes))
      guard try sha256(bytes) == artifact.sha256 else { throw changed(name) }
      return bytes
    } catch let error as Damage {
      throw error
    } catch {
      throw damage(name, error)
    }
  }

  private static func damage(_ name: String, _ error: any Error) -> Damage {
    switch error {
    case let error as StorageError where error.kind == .missing: Damage(text: "has no \(name)")
    case let error as StorageError where error.kind == .sizeDiffers: sizeDiffers(name)
    case let error as StorageError: Damage(error, "has a \(name) that cannot be read: \(error.message)")
    case let error as InputError: Damage(text: "has a \(name) whose \(error.message)")
    case let error as CryptoError:
      Damage(text: "cannot be verified here: \(error.message)", unknown: Problem(error))
    default: Damage(text: "has a \(name) that cannot be read")
    }
  }

  /// Verifies a whole release as `load` does, in pieces: for questions, which do not keep the bytes.
  static func verify(_ folder: Directory, expecting expected: Digest?) throws(Damage) {
    let (manifest, digest) = try readManifest(in: folder)
    try require(digest, expected)
    try verify(bundle, manifest.bundle, in: folder)
    try verify(sources, manifest.sources, in: folder)
  }

  private static func verify(
    _ name: String, _ artifact: Artifact, in folder: Directory
  ) throws(Damage) {
    do {
      var file = try folder.openForReading(name)
      guard file.size == Int(artifact.bytes) else { throw sizeDiffers(name) }
      var hash = try SHA256Stream()
      var count = 0
      while count <= artifact.bytes {
        let chunk = try file.read(maxBytes: 1 << 18)
        if chunk.isEmpty { break }
        try hash.update(chunk)
        count += chunk.count
      }
      guard count == Int(artifact.bytes) else { throw sizeDiffers(name) }
      guard try hash.finish() == artifact.sha256 else { throw changed(name) }
    } catch let error as Damage {
      throw error
    } catch {
      throw damage(name, error)
    }
  }

  private static func require(_ digest: Digest, _ expected: Digest?) throws(Damage) {
    guard let expected, digest != expected else { return }
    throw Damage(text: "has a \(manifest) that was changed on disk")
  }

  private static func changed(_ name: String) -> Damage {
    Damage(text: "has a \(name) that was changed on disk: its SHA-256 is not the one of its manifest")
  }

  private static func sizeDiffers(_ name: String) -> Damage {
    Damage(text: "has a \(name) of another size than its manifest says")
  }
}
