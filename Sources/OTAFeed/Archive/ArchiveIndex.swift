internal import OTAArchive
internal import OTACrypto
internal import OTAManifest

/// What an archive holds, while it is read: one release, whole, and nothing beside it.
struct ArchiveIndex {
  private let archive: String
  private(set) var small: [String: [UInt8]] = [:]
  private(set) var contents: [Digest: String] = [:]
  private var files: [String: ArchiveFile] = [:]
  private var sizes: [Digest: Int] = [:]

  init(archive: String) { self.archive = archive }

  /// Whether there is signed metadata.
  var isSigned: Bool { files[ArchiveFile.timestamp.role] != nil }

  /// The file that an entry is; refused before a byte of it is read.
  mutating func accept(_ entry: ArchiveReader.Entry) throws(Problem) -> ArchiveFile {
    guard let file = ArchiveFile(name: entry.name) else {
      throw Problem(
        noReleaseIn: archive,
        "holds \"\(entry.name.printable(maxCharacters: 100))\", which is not part of a release")
    }
    guard entry.bytes <= file.maxBytes else {
      throw Problem(ArchiveError.entryTooLarge(name: entry.name, maxBytes: file.maxBytes), in: archive)
    }
    guard files.updateValue(file, forKey: file.role) == nil else {
      throw Problem(noReleaseIn: archive, "holds more than one \(file.role)")
    }
    return file
  }

  /// Keeps what was read of a file; a name with a digest is held to it.
  mutating func add(
    _ file: ArchiveFile, _ content: [UInt8], byteCount: Int, digest: Digest
  ) throws(Problem) {
    if let promised = file.digest, promised != digest { throw Problem(damagedIn: archive, file.name) }
    if file.isContent {
      contents[digest] = file.name
      sizes[digest] = byteCount
    } else {
      small[file.name] = content
    }
  }

  /// The release, when nothing is missing and everything belongs to it.
  func release() throws(Problem) -> VerifiedManifest {
    guard case .manifest(let version, _) = files["manifest of a release"] else {
      throw Problem(noReleaseIn: archive, "holds no manifest of a release")
    }
    let release = try decoded("manifest of a release")
    guard release.manifest.version == version else {
      throw Problem(damagedIn: archive, files["manifest of a release"]?.name ?? "")
    }
    try requireContent(release.manifest.bundle, "bundle")
    try requireContent(release.manifest.sources, "catalog")
    try requirePointer(of: release)
    try requireMetadata()
    return release
  }

  private func decoded(_ role: String) throws(Problem) -> VerifiedManifest {
    guard let file = files[role], let bytes = small[file.name] else {
      throw Problem(noReleaseIn: archive, "holds no \(role)")
    }
    return try VerifiedManifest(local: bytes, name: "\(archive.printable(maxCharacters: 200)): \(file.name)")
  }

  private func requireContent(_ artifact: Artifact, _ role: String) throws(Problem) {
    guard let file = files[role] else { throw Problem(noReleaseIn: archive, "holds no \(role)") }
    guard file.digest == artifact.sha256, sizes[artifact.sha256] == Int(artifact.bytes) else {
      throw Problem(noReleaseIn: archive, "holds another \(role) than the one of its manifest")
    }
  }

  /// The newest manifest of the same channel: this one, or the one of a newer release, which says what is withdrawn.
  private func requirePointer(of release: VerifiedManifest) throws(Problem) {
    let pointer = try decoded(Channel.stable.manifestPath)
    let channel = release.manifest.channel
    guard files[Channel.stable.manifestPath] == .pointer(channel), pointer.manifest.channel == channel,
      files["copy of manifest.json"] == .pointerCopy(channel, pointer.digest)
    else {
      throw Problem(noReleaseIn: archive, "holds manifests that do not belong together")
    }
    let isNewest = pointer.digest == release.digest
    guard isNewest || pointer.manifest.version > release.manifest.version else {
      throw Problem(noReleaseIn: archive, "holds a newest manifest that is older than its release")
    }
  }

  /// Either no metadata at all, or one file of each role and every root from the first on.
  private func requireMetadata() throws(Problem) {
    let roles = [FeedLayout.timestamp, "snapshot", "targets"]
    let roots = files.values.compactMap { file in
      if case .root(let version) = file { version } else { nil }
    }
    let found = roles.filter { files[$0] != nil }
    if roots.isEmpty, found.isEmpty { return }
    if let missing = roles.first(where: { files[$0] == nil }) {
      throw Problem(noReleaseIn: archive, "holds signed metadata without its \(missing)")
    }
    guard let newest = roots.max(), newest == Int64(roots.count) else {
      throw Problem(noReleaseIn: archive, "does not hold every root from the first on")
    }
  }
}
