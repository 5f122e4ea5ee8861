internal import OTAFeed
internal import OTAManifest

/// A file of a kept release that is not on the feed any more, or not as it was published.
struct LostFile: Equatable, Sendable {
  /// The release that needs it.
  let version: ReleaseVersion
  /// The path below the feed.
  let path: String
  /// The end of a sentence that begins with the path: `is missing`.
  let reason: String
  /// Whether it is the manifest, without which nothing is known of the release.
  let isManifest: Bool

  var message: String { "\(path) \(reason)" }

  /// The refusal of what needs the file.
  var problem: Problem {
    Problem(
      .feedIncomplete, "release \(version) is lost: \(message)",
      advice: "restore the file, or let parser-ota repair do it: it takes --from FOLDER|URL")
  }
}

extension LostFile {
  /// A manifest that could not be read.
  init(_ name: ReleaseName, _ problem: Problem) {
    self.init(
      version: name.version, path: name.path,
      reason: problem.code == .conflict ? "is missing" : "cannot be used: \(problem.message)",
      isManifest: true)
  }
}

extension Problem {
  /// Whether a file is there and is not what was published; one that cannot be read is not known to be damaged.
  var isDamage: Bool {
    [.manifestInvalid, .digestMismatch, .wrongKind, .tooLarge, .sizeMismatch, .feedIncomplete, .htmlInstead]
      .contains(code)
  }
}

extension VerifiedManifest {
  /// Where the feed keeps it when its pointer moves on.
  var immutablePath: String { FeedLayout.manifest(digest, of: manifest.version) }
}

extension FeedState {
  /// The largest number on the feed, lost releases included: the next one is counted from it.
  var highest: ReleaseVersion? { (releases.map(\.manifest.version) + lost.map(\.version)).max() }

  /// Releases that nobody can get whole, and that are not the newest of a channel.
  var damaged: Set<Digest> {
    let versions = Set(lost.map(\.version))
    return Set(releases.filter { versions.contains($0.manifest.version) && !isLive($0.digest) }.map(\.digest))
  }

  /// What goes when this state is signed anew, each with its reason.
  var lostReleases: [LostFile] {
    let live = Set(live.values.map(\.manifest.version))
    var seen: Set<ReleaseVersion> = []
    return lost.filter { !live.contains($0.version) && seen.insert($0.version).inserted }
      .sorted { $0.version < $1.version }
  }

  /// The refusal of something that needs a lost release; `nil` when it is not lost.
  func problem(ofLost version: ReleaseVersion) -> Problem? {
    lost.first { $0.version == version }?.problem
  }

  /// The state without some releases.
  func dropping(_ dropped: Set<Digest>) -> FeedState {
    FeedState(
      settings: settings, live: live, releases: releases.filter { !dropped.contains($0.digest) },
      pending: pending, pointers: pointers, metadata: metadata, lost: lost, documents: documents)
  }

  /// The targets that signed metadata still lists although their release is lost.
  func lostTargets() throws(Problem) -> Set<String> {
    guard let metadata, !lostReleases.isEmpty else { return [] }
    let files = try TargetsInventory.files(
      live: live, kept: dropping(damaged).releases, documents: documents)
    return Set(metadata.files.keys).subtracting(files.keys)
  }
}

/// Finds out whether the files of releases are there, by their sizes: damage within a file is for `verify` and `repair`.
struct ContentInventory {
  let host: any FeedHost
  /// Whether files must be under the names that signed metadata gives to them.
  let isSigned: Bool

  func lost(of releases: [VerifiedManifest]) async throws(Problem) -> [LostFile] {
    var lost: [LostFile] = []
    var known: [Digest: String?] = [:]
    for release in releases {
      for file in FeedLayout.ContentFile.allCases {
        let digest = file.artifact(of: release.manifest).sha256
        let reason: String?
        if let found = known[digest] {
          reason = found
        } else {
          reason = try await fault(of: file, in: release.manifest)
        }
        known[digest] = reason
        guard let reason else { continue }
        let path = TargetsInventory.content(file, of: release.manifest).path
        lost.append(
          LostFile(version: release.manifest.version, path: path, reason: reason, isManifest: false))
      }
    }
    return lost
  }

  private func fault(
    of file: FeedLayout.ContentFile, in manifest: Manifest
  ) async throws(Problem) -> String? {
    let expected = file.artifact(of: manifest).bytes
    var fault = "is missing"
    let own = TargetsInventory.content(file, of: manifest).path
    for path in isSigned ? [own] : ContentLookup.candidates(file, of: manifest) {
      do throws(Problem) {
        guard let size = try await host.size(of: path) else { continue }
        if Int64(size) == expected { return nil }
        if path == own { fault = "has \(size) bytes, not the \(expected) of release \(manifest.version)" }
      } catch  where error.code == .wrongKind {
        if path == own { fault = "is not a regular file" }
      }
    }
    return fault
  }
}
