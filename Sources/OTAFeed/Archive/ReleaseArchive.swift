internal import OTAArchive
internal import OTACrypto
public import OTAManifest
internal import OTAStorage

/// One release in a file: bundle, catalog, manifest, and the signed metadata by which a device judges them.
///
/// Opening it reads the archive from end to end, under limits and in memory alone. It is refused as a whole unless it is
/// whole, and laid out as the part of a feed that a device asks for. That says nothing about its author: the trust in
/// force decides about that, as if its files had been fetched.
public struct ReleaseArchive: Sendable {
  /// What messages call it: the path that was given.
  public let name: String
  /// How many bytes the archive has.
  public var byteCount: Int { bytes.count }
  /// The manifest of the release, decoded; not authenticated.
  public var manifest: Manifest { release.manifest }
  /// Whether the archive holds signed metadata.
  public let isSigned: Bool
  /// The manifest of the release with its bytes; not authenticated.
  package let release: VerifiedManifest
  /// Each file that is held in memory, by its name: all but bundle and catalog.
  let small: [String: [UInt8]]
  /// The names of bundle and catalog.
  let contents: [Digest: String]
  let bytes: ArchiveBytes

  /// Opens an archive in memory.
  ///
  /// - Throws: `archive-damaged`, `archive-unsafe`, `archive-too-large` or `archive-invalid`.
  public init(_ bytes: [UInt8], name: String) throws(Problem) {
    if let strange = StrangeContent(bytes) {
      throw Problem(
        .archiveDamaged, "\(name.printable(maxCharacters: 200)) \(strange.message)", advice: strange.advice)
    }
    do {
      try self.init(ArchiveBytes(bytes), name)
    } catch let error as ArchiveError {
      throw Problem(error, in: name)
    } catch let problem as Problem {
      throw problem
    } catch let error as CryptoError {
      throw Problem(error)
    } catch {
      throw Problem(noReleaseIn: name, "cannot be read")
    }
  }

  /// Opens an archive in a file or a pipe.
  ///
  /// - Throws: the same, and what keeps the file from being read.
  public init(path: String) throws(Problem) {
    let bytes: [UInt8]
    do {
      bytes = try readInput(at: path, maxBytes: Self.maxBytes)
    } catch {
      throw Problem(ofInput: error)
    }
    try self.init(bytes, name: path)
  }

  /// The most bytes that an archive may have.
  public static let maxBytes = ArchiveLimits().maxPackedBytes

  private init(_ bytes: ArchiveBytes, _ name: String) throws {
    var index = ArchiveIndex(archive: name)
    var reader = try ArchiveReader(bytes)
    while let entry = try reader.next() {
      let file = try index.accept(entry)
      var digest = try SHA256Stream()
      var content: [UInt8] = []
      while true {
        let chunk = try reader.read()
        if chunk.isEmpty { break }
        try digest.update(chunk)
        if !file.isContent { content += chunk }
      }
      try index.add(file, content, byteCount: entry.bytes, digest: digest.finish())
    }
    try reader.finish()
    release = try index.release()
    (small, contents, isSigned) = (index.small, index.contents, index.isSigned)
    self.name = name
    self.bytes = bytes
  }

  /// The name and size of each file.
  package var files: [(name: String, bytes: Int)] {
    let content = [manifest.bundle, manifest.sources].compactMap { artifact in
      contents[artifact.sha256].map { ($0, Int(artifact.bytes)) }
    }
    return small.map { ($0.key, $0.value.count) } + content
  }

  /// The bytes of the first root in the archive; not authenticated. `nil` when it is not signed.
  package var firstRoot: [UInt8]? { small[ArchiveFile.root(1).name] }
}

extension ReleaseArchive: Equatable {
  /// Whether both are the same opened archive.
  public static func == (left: ReleaseArchive, right: ReleaseArchive) -> Bool { left.bytes === right.bytes }
}
