internal import OTAFeed
internal import OTAManifest

/// Turns a request and the state of a feed into the next release; reads the live catalog, writes nothing.
struct DraftBuilder {
  /// What a publish comes to.
  enum Result {
    case draft(ReleaseDraft, GateCandidate, GateBaseline?)
    case nothingToPublish(live: VerifiedManifest, diff: CatalogDiff, warnings: [String])
  }

  let request: PublishRequest
  let inputs: ReleaseInputs
  let state: FeedState
  let lookup: ContentLookup

  private var live: VerifiedManifest? { state.live[request.channel] }

  /// What a new release is compared with: the live one of its channel, else that of the channel it belongs to.
  private var compared: VerifiedManifest? {
    live ?? request.channel.lineOf.flatMap { state.live[$0.channel] } ?? state.live[.stable]
  }

  /// The withdrawn releases, of any channel, that have exactly these two files.
  private var withdrawnTwins: [ReleaseVersion] {
    Withdrawal.releases(with: inputs.pair, of: state.live.values.map(\.manifest), in: state)
  }

  func build(released: Timestamp) async throws(Problem) -> Result {
    let requested = try ReleaseNumbering.requested(request.version, tag: request.tag)
    try requireExpectedParent()
    let aliases = try AliasRules.carried(
      live?.manifest.aliases ?? [], adding: request.aliases, to: inputs.catalog)
    let catalog = try await liveCatalog()
    let diff = catalog.map { CatalogDiff(from: $0, to: inputs.catalog) }
    let warnings = inputs.warnings + (live.map { droppedDemands($0.manifest) } ?? [])
    if let candidate = state.candidate(of: request.channel), isUnchanged(candidate.manifest),
      !state.takenBack(in: request.channel).contains(candidate.manifest.version), let diff
    {
      return .nothingToPublish(live: candidate, diff: diff, warnings: warnings)
    }
    if let live, let diff, isUnchanged(live.manifest) {
      _ = try await lookup.bytes(of: .bundle, in: live.manifest)
      try requireNoOther(requested, live.manifest.version)
      return .nothingToPublish(live: live, diff: diff, warnings: warnings)
    }
    let version = try ReleaseNumbering.next(
      after: state.highest, requested: requested, allowsJump: request.allowsVersionJump)
    let contents = [
      content(.bundle, inputs.bundle, inputs.bundleDigest, version),
      content(.sources, inputs.sources, inputs.sourcesDigest, version),
    ]
    let manifest = try manifest(version, contents, aliases, released)
    var draft = try ReleaseDraft(
      manifest, contents: contents, previous: live?.manifest.version, diff: diff, warnings: warnings)
    draft.steps = try firstSteps(released)
    return .draft(draft, candidate(version, aliases), try await baseline(catalog))
  }

  /// The new files as the gate sees them.
  private func candidate(_ version: ReleaseVersion, _ aliases: [SourceAlias]) -> GateCandidate {
    var candidate = GateCandidate(
      inputs, bundleName: request.bundleName ?? request.bundlePath,
      sourcesName: request.sourcesName ?? request.sourcesPath, aliases: aliases)
    // The same files with another description are a release, as has been found by now; so are they on a new channel.
    candidate.changesDescription = live.map { $0.manifest.pair == inputs.pair } ?? true
    candidate.version = version
    candidate.sourceMap = SourceMapFile.beside(request.bundlePath, inputs.bundle)
    candidate.withdrawn = .releases(withdrawnTwins)
    return candidate
  }

  /// The live release as the gate sees it; its bundle is read when a check asks for it.
  private func baseline(_ catalog: SourceCatalog?) async throws(Problem) -> GateBaseline? {
    guard let compared = compared?.manifest else { return nil }
    let (lookup, manifest) = (lookup, compared)
    let known = live == nil ? nil : catalog
    let catalog: SourceCatalog
    if let known { catalog = known } else { catalog = try await lookup.catalog(of: compared) }
    return GateBaseline(manifest, catalog: catalog) { () async throws(Problem) in
      try await lookup.bytes(of: .bundle, in: manifest)
    }
  }

  /// The beginning of a rollout; `nil` for a release that everybody may have.
  private func firstSteps(_ start: Timestamp) throws(Problem) -> ReleaseDraft.FirstSteps? {
    guard let steps = request.rollout, steps != RolloutSteps(.all) else { return nil }
    guard live != nil else {
      throw Problem(
        .inputRefused,
        "the first release of channel \(request.channel) goes to everybody: there is none before it",
        advice: "leave --rollout out")
    }
    return ReleaseDraft.FirstSteps(
      steps: steps, start: start, isCritical: request.isCritical,
      takesBack: state.takenBack(in: request.channel))
  }

  private func requireExpectedParent() throws(Problem) {
    guard let expected = request.expectedParent, expected != state.head?.digest else { return }
    let found = state.head.map { "release \($0.manifest.version) with \($0.digest)" } ?? "nothing"
    throw Problem(
      .conflict, "the newest manifest of the feed is \(found), not the expected \(expected)",
      advice: "look at what was published meanwhile, then publish again")
  }

  private func liveCatalog() async throws(Problem) -> SourceCatalog? {
    guard let live = live?.manifest else { return nil }
    return try await lookup.catalog(of: live)
  }

  /// A demand on apps that gets lost is rarely meant: old apps would take the release and break.
  private func droppedDemands(_ live: Manifest) -> [String] {
    var warnings: [String] = []
    if let contract = live.contract, request.contract == nil {
      warnings.append("release \(live.version) needs contract \(contract), and this one names none")
    }
    if let oldest = live.minimumAppVersion, request.minimumAppVersion == nil {
      warnings.append("release \(live.version) needs app \(oldest) or later, and this one names none")
    }
    return warnings
  }

  private func isUnchanged(_ live: Manifest) -> Bool {
    inputs.pair == live.pair && request.contract == live.contract
      && request.minimumAppVersion == live.minimumAppVersion
      && request.aliases.allSatisfy(live.aliases.contains)
  }

  /// An older number for what is live already is a mistake, even though nothing would be written.
  private func requireNoOther(_ requested: ReleaseVersion?, _ live: ReleaseVersion) throws(Problem) {
    guard let requested, requested < live else { return }
    throw Problem(
      .versionRefused, "version \(requested) cannot be published: this content is release \(live) already",
      advice: "leave the version out")
  }

  /// Where the bytes go: to the path that a release on the feed gave them, or to one of their own.
  private func content(
    _ file: FeedLayout.ContentFile, _ bytes: [UInt8], _ digest: Digest, _ version: ReleaseVersion
  ) -> FeedWrite {
    let known = state.releases.lazy.map(\.manifest).filter { file.artifact(of: $0).sha256 == digest }
      .flatMap { ContentLookup.candidates(file, of: $0) }
      .first { FeedLayout.isContentAddressed($0, file, digest) }
    return FeedWrite(
      path: known ?? FeedLayout.content(file, digest, of: version), bytes: bytes)
  }

  private func manifest(
    _ version: ReleaseVersion, _ contents: [FeedWrite], _ aliases: [SourceAlias],
    _ released: Timestamp
  ) throws(Problem) -> Manifest {
    let digests = [inputs.bundleDigest, inputs.sourcesDigest]
    var artifacts: [Artifact] = []
    for (content, digest) in zip(contents, digests) {
      let location = try state.settings.location(of: content.path)
      artifacts.append(Artifact(location: location, sha256: digest, bytes: Int64(content.bytes.count)))
    }
    var manifest = Manifest(version: version, bundle: artifacts[0], sources: artifacts[1])
    manifest.channel = request.channel
    manifest.released = released
    manifest.notes = request.notes.flatMap(ReleaseNotes.meant)
    manifest.contract = request.contract
    manifest.minimumAppVersion = request.minimumAppVersion
    manifest.parent = state.head?.digest
    manifest.parentVersion = state.head?.manifest.version
    // The gate refuses what was withdrawn unless it is allowed; then the list must not name it any more.
    let withdrawn = (live?.manifest.withdrawn ?? []) + state.takenBack(in: request.channel)
    manifest.withdrawn = Withdrawal.carried(withdrawn, except: withdrawnTwins)
    manifest.beside = live?.manifest.beside ?? []
    manifest.isCritical = request.isCritical
    if let promoted = request.promoted { manifest.content = promoted.content }
    manifest.withdrawnContent = Withdrawal.contents(
      of: manifest.withdrawn, in: state, before: live?.manifest)
    manifest.aliases = aliases
    return manifest
  }
}

extension ContentLookup {
  /// The verified catalog of a release on the feed.
  func catalog(of manifest: Manifest) async throws(Problem) -> SourceCatalog {
    let bytes = try await bytes(of: .sources, in: manifest)
    do {
      return try SourceCatalog.decode(bytes)
    } catch {
      throw Problem(
        .sourcesInvalid, "the catalog of release \(manifest.version): \(error.message)",
        advice: "parser-ota verify tells which releases of the feed are sound")
    }
  }
}
