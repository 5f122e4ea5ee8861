internal import OTACrypto
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
    /// Whether another try would find the same; a file that cannot be opened just now is no reason to give up a release.
    let isLasting: Bool

    init(text: String, isLasting: Bool = true) {
      self.text = text
      self.isLasting = isLasting
    }

    init(_ error: StorageError, _ text: String) {
      let lasting: [StorageError.Kind] = [.missing, .wrongKind, .tooLarge, .sizeDiffers]
      self.init(text: text, isLasting: lasting.contains(error.kind))
    }
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
    if let expected, digest != expected {
      throw Damage(text: "has a \(Self.manifest) that was changed on disk")
    }
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
      guard try sha256(bytes) == artifact.sha256 else {
        throw Damage(
          text: "has a \(name) that was changed on disk: its SHA-256 is not the one of its manifest")
      }
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
    case let error as StorageError where error.kind == .sizeDiffers:
      Damage(text: "has a \(name) of another size than its manifest says")
    case let error as StorageError: Damage(error, "has a \(name) that cannot be read: \(error.message)")
    case let error as InputError: Damage(text: "has a \(name) whose \(error.message)")
    case let error as CryptoError: Damage(text: "cannot be verified here: \(error.message)", isLasting: false)
    default: Damage(text: "has a \(name) that cannot be read", isLasting: false)
    }
  }

  /// Whether all three files are there with the sizes that the manifest says; their bytes are not hashed.
  static func isWhole(_ folder: Directory, expecting expected: Digest) -> Bool {
    do {
      let (manifest, digest) = try readManifest(in: folder)
      guard digest == expected else { return false }
      return try folder.size(of: bundle) == Int(manifest.bundle.bytes)
        && folder.size(of: sources) == Int(manifest.sources.bytes)
    } catch {
      // Whatever the reason, the release cannot be launched from here, which is the whole question.
      return false
    }
  }
}
