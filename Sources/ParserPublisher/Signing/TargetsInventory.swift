internal import OTAFeed
internal import OTAManifest
internal import OTATrust

/// What signed metadata says of the releases of a feed: each file under its path below `files/`.
enum TargetsInventory {
  /// The path of a release's manifest.
  static func manifestPath(of version: ReleaseVersion) -> String { "releases/\(version)/manifest.json" }

  /// The channel whose pointer a path is; `nil` for any other path.
  static func channel(ofPointer path: String) -> Channel? {
    if path == Channel.stable.manifestPath { return .stable }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, let channel = Channel(parts[1]), path == channel.manifestPath else { return nil }
    return channel
  }

  /// The release whose manifest a path is; `nil` for any other path.
  static func version(ofManifest path: String) -> ReleaseVersion? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "releases", parts[2] == Channel.stable.manifestPath else {
      return nil
    }
    return ReleaseVersion(decimal: parts[1])
  }

  /// The path of a file of a release, and where the file is on the feed.
  static func content(
    _ file: FeedLayout.ContentFile, of manifest: Manifest
  ) -> (target: String, path: String) {
    let digest = file.artifact(of: manifest).sha256
    let path =
      ContentLookup.candidates(file, of: manifest)
      .first { FeedLayout.isContentAddressed($0, file, digest) }
      ?? FeedLayout.content(file, digest, of: manifest.content)
    let folder = path.split(separator: "/").dropFirst().dropLast().joined(separator: "/")
    return ("\(folder)/\(file.rawValue)", path)
  }

  /// Every target of these releases; where two want one path, what is live comes first.
  static func files(
    live: [Channel: VerifiedManifest], kept: [VerifiedManifest], documents: FeedDocuments
  ) throws(Problem) -> [String: FileEntry] {
    var files: [String: FileEntry] = [:]
    func add(_ path: String, _ entry: FileEntry) { if files[path] == nil { files[path] = entry } }
    for (channel, release) in live {
      add(channel.manifestPath, FileEntry(length: release.bytes.count, sha256: release.digest))
    }
    for (path, bytes) in documents.bytes {
      add(path, FileEntry(length: bytes.count, sha256: try ContentLookup.digest(of: bytes)))
    }
    let newestFirst = live.values.sorted { $0.manifest.version > $1.manifest.version }
    for release in newestFirst + kept {
      let manifest = release.manifest
      add(
        manifestPath(of: manifest.version), FileEntry(length: release.bytes.count, sha256: release.digest))
      for file in FeedLayout.ContentFile.allCases {
        let artifact = file.artifact(of: manifest)
        add(
          content(file, of: manifest).target,
          FileEntry(length: Int(artifact.bytes), sha256: artifact.sha256))
      }
    }
    // Of packed forms those that are on the feed: a list of all of them would be larger than they save.
    for form in newestFirst.flatMap(\.manifest.forms) {
      guard let target = form.artifact.targetPath else { continue }
      add(target, FileEntry(length: Int(form.bytes), sha256: form.sha256))
    }
    return files
  }
}
