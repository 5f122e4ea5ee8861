internal import OTAFeed
internal import OTAManifest
internal import ParserWorkbench

/// A release that is ready to be written.
struct ReleaseDraft {
  let manifest: Manifest
  /// The exact bytes of the manifest.
  let bytes: [UInt8]
  /// The digest of `bytes`.
  let digest: Digest
  /// The bundle and the catalog, in the order of writing; none for a roll back.
  let contents: [FeedWrite]
  let previous: ReleaseVersion?
  let diff: CatalogDiff?
  let warnings: [String]
  /// How it goes to some devices first; `nil` for a release that everybody may have.
  var steps: FirstSteps?

  /// The beginning of a rollout.
  struct FirstSteps {
    let steps: RolloutSteps
    let start: Timestamp
    let isCritical: Bool
    /// Releases of earlier rollouts that must not run any more.
    let takesBack: [ReleaseVersion]
  }

  /// The document that lets some devices have the release first; `nil` for a release that everybody may have.
  var rollout: Rollout? {
    steps.map { first in
      var rollout = Rollout(
        channel: manifest.channel, version: manifest.version, manifest: digest, steps: first.steps,
        start: first.start, isCritical: first.isCritical)
      rollout.takesBack = Array(first.takesBack.suffix(Rollout.maxTakenBack))
      return rollout
    }
  }

  /// Encodes the manifest, and proves that a client can read it back.
  init(
    _ manifest: Manifest, contents: [FeedWrite], previous: ReleaseVersion?, diff: CatalogDiff?,
    warnings: [String]
  ) throws(Problem) {
    let bytes = manifest.encoded()
    do throws(InputError) {
      guard try Manifest.decode(bytes) == manifest else {
        throw InputError(.malformed, "would not be read back as it was written")
      }
    } catch {
      throw Problem(
        .inputRefused, "the new manifest \(error.message)",
        advice: "shorten the notes or the list of aliases, or check the values given for the release")
    }
    self.manifest = manifest
    self.bytes = bytes
    digest = try ContentLookup.digest(of: bytes)
    self.contents = contents
    self.previous = previous
    self.diff = diff
    self.warnings = warnings
  }

  /// A release that is on the feed already, to be everybody's.
  init(_ release: VerifiedManifest, previous: ReleaseVersion?) {
    (manifest, bytes, digest) = (release.manifest, release.bytes, release.digest)
    (contents, self.previous, diff, warnings) = ([], previous, nil, [])
  }

  /// The same draft with what was allowed, and how recorded sources fared, written into its manifest.
  func recording(_ gate: GateReport) throws(Problem) -> ReleaseDraft {
    let allowances = gate.usedAllowances
    guard !allowances.isEmpty || gate.fixtures != nil else { return self }
    guard allowances.count <= Limits.standard.maxAllowed else {
      throw Problem(
        .inputRefused,
        "\(allowances.count) allowances are more than the \(Limits.standard.maxAllowed) of a manifest",
        advice: "allow a code as a whole, such as --allow ids-removed")
    }
    var manifest = manifest
    manifest.allowed = allowances.map(\.text)
    manifest.fixtures = gate.fixtures?.score
    return try replacing(manifest)
  }

  /// The same draft with what is said of it.
  func described(_ description: ReleaseDescription?) throws(Problem) -> ReleaseDraft {
    guard let description else { return self }
    try ReleaseNotes.check(description.notes)
    var manifest = manifest
    manifest.notes = description.notes.flatMap(ReleaseNotes.meant) ?? manifest.notes
    manifest.source = description.source
    return try replacing(manifest, warnings: description.warnings)
  }

  /// The same release described in another way, with other files to write or more to say; steps stay as they are.
  func replacing(
    _ manifest: Manifest, contents: [FeedWrite]? = nil, warnings added: [String] = []
  ) throws(Problem) -> ReleaseDraft {
    var draft = try ReleaseDraft(
      manifest, contents: contents ?? self.contents, previous: previous, diff: diff,
      warnings: warnings + added)
    draft.steps = steps
    return draft
  }

  /// The same draft with one more thing that was allowed; `nil` changes nothing.
  func recording(_ allowance: String?) throws(Problem) -> ReleaseDraft {
    guard let allowance else { return self }
    var manifest = manifest
    manifest.allow(allowance)
    return try replacing(manifest)
  }
}
