internal import OTAFeed
internal import OTAManifest

/// A release of an older feed as this feed goes on with it: the same number and bytes, in this layout.
///
/// Pure: made of what was read, it says what is to be written.
struct Adoption {
  /// The release as the old feed had it.
  let old: VerifiedManifest
  /// The release in this layout; the same bytes when it was in it already.
  let release: VerifiedManifest
  /// Bundle and catalog at their new places, then the manifest that stays.
  let lasting: [FeedWrite]
  /// The same bytes at the places where clients of the old manifest look.
  let oldWrites: [FeedWrite]
  /// What the settings say about them; `nil` when there are none, or none are kept.
  let oldNames: OldNames?
  /// What is not served under the old address, each with the reason as a sentence.
  let notes: [String]

  /// - Parameter keepOldNames: for how many releases after this one old addresses are served.
  init(_ adopted: AdoptedRelease, settings: FeedSettings, keepOldNames: Int) throws(Problem) {
    old = adopted.manifest
    let manifest = try old.manifest.inOwnLayout(of: settings)
    release =
      manifest == old.manifest
      ? old : try VerifiedManifest(unsigned: manifest.encoded(), name: Channel.stable.manifestPath)
    lasting = [
      FeedWrite(path: TargetsInventory.content(.bundle, of: manifest).path, bytes: adopted.bundle),
      FeedWrite(path: TargetsInventory.content(.sources, of: manifest).path, bytes: adopted.sources),
      FeedWrite(path: FeedLayout.manifest(release.digest, of: manifest.version), bytes: release.bytes),
    ]
    var places = OldPlaces(settings: settings, taken: Set(lasting.map(\.path)))
    try places.add(.bundle, of: old.manifest, adopted.bundle)
    try places.add(.sources, of: old.manifest, adopted.sources)
    let until = ReleaseVersion(manifest.version.number + Int64(keepOldNames)) ?? .maximum
    let isKept = keepOldNames > 0 && !places.writes.isEmpty
    oldNames = isKept ? OldNames(until: until, files: places.files) : nil
    oldWrites = isKept ? places.writes : []
    dropped = isKept ? nil : OldNames(until: until, files: places.files)
    notes = places.notes
  }

  /// Old names that are not kept, for a folder that has them.
  let dropped: OldNames?

  /// The manifest that everybody reads first.
  var pointer: FeedWrite { FeedWrite(path: Channel.stable.manifestPath, bytes: release.bytes) }
}

/// Collects where an old manifest has its files, as far as this feed can serve them there.
private struct OldPlaces {
  let settings: FeedSettings
  /// Paths of this layout that have the same bytes anyway.
  let taken: Set<String>
  var writes: [FeedWrite] = []
  var files: [OldNames.File] = []
  var notes: [String] = []

  mutating func add(
    _ file: FeedLayout.ContentFile, of manifest: Manifest, _ bytes: [UInt8]
  ) throws(Problem) {
    let artifact = file.artifact(of: manifest)
    guard let path = path(of: artifact.location) else {
      notes.append(
        "\(artifact.location.text) is outside of "
          + "\(settings.baseURL.map { "the base URL \($0)" } ?? "this feed"): "
          + "keep serving it there while old clients may ask for it")
      return
    }
    guard !taken.contains(path) else { return }
    guard !FeedLayout.isReserved(path) else {
      throw Problem(
        .forbiddenURL,
        "the manifest of release \(manifest.version) names \(path.printable()), which a feed needs for itself",
        advice: "move the file on the old feed first")
    }
    guard OldNames.isSafe(path) else {
      notes.append(
        "\(artifact.location.text) cannot be served from a folder: old clients find the file only on the old host"
      )
      return
    }
    guard !writes.contains(where: { $0.path == path }) else {
      throw Problem(
        .forbiddenURL, "the manifest names \(path.printable()) both as the bundle and as the catalog")
    }
    writes.append(FeedWrite(path: path, bytes: bytes))
    files.append(OldNames.File(path: path, sha256: artifact.sha256, bytes: artifact.bytes))
  }

  private func path(of location: ArtifactLocation) -> String? {
    switch location {
    case .relative(let path): path.text
    case .absolute(let address): settings.baseURL.flatMap { address.path(below: $0) }
    }
  }
}
