internal import OTAFeed
public import OTAManifest

extension Publisher {
  /// Makes a feed whole again: restores lost and damaged files by their digests, and drops what nothing can restore.
  ///
  /// The newest release of a channel is never dropped. Running it again finishes an interrupted repair; on a whole feed it
  /// changes nothing.
  /// - Throws: `feedIncomplete` when a live release stays lost; `keyNotTrusted` when a signed feed must drop a release and
  ///   no key was given.
  public func repair(_ request: RepairRequest) async throws(Problem) -> RepairReport {
    let settings = try await FeedState.settings(of: host, place: place)
    return try await host.locked { () async throws(Problem) in
      try await repair(request, settings)
    }
  }

  private func repair(
    _ request: RepairRequest, _ settings: FeedSettings
  ) async throws(Problem) -> RepairReport {
    let sources = RepairSources(request, baseURL: settings.baseURL)
    try await sources.requireFeeds()
    var repair = FeedRepair(host: host, sources: sources, settings: settings, isDryRun: request.dryRun)
    if case .signed = settings.trust {
      var metadata = MetadataRepair(host: host, sources: sources)
      try await metadata.run()
      try await repair.take(metadata.found)
      try await repair.restoreManifests(of: MetadataState.read(from: repair.view))
    } else {
      try await FeedState.requireNoSignatures(host)
      try await repair.restoreListedManifests()
    }
    let state = try await FeedState.read(from: repair.view, place: place)
    try await repair.restoreContent(of: state.releases, isSigned: state.metadata != nil)
    for release in state.live.values.sorted(by: { $0.manifest.version < $1.manifest.version }) {
      try await repair.restoreForms(of: release.manifest, among: state.releases)
    }
    try requireLive(repair.lost, state)
    let dropped = Self.dropped(repair.lost)
    if !request.dryRun { try await drop(dropped, request) }
    return RepairReport(
      outcome: repair.restored.isEmpty && dropped.isEmpty && (request.dryRun || !state.isUnfinished)
        ? .nothingToRepair : request.dryRun ? .wouldRepair : .repaired,
      restored: repair.restored, dropped: dropped, warnings: repair.warnings)
  }

  /// The live release of a channel must be whole: nothing stands in for it.
  private func requireLive(_ lost: [LostFile], _ state: FeedState) throws(Problem) {
    let live = Set(state.live.values.map(\.manifest.version))
    let files = lost.filter { live.contains($0.version) }
    guard let first = files.first else { return }
    throw Problem(
      .feedIncomplete,
      "release \(first.version) is live and cannot be restored: "
        + files.map(\.message).joined(separator: "; "),
      kept: "what could be restored was; nothing was dropped",
      advice: "give a copy of the feed with --from FOLDER|URL, or publish the release's files again")
  }

  private static func dropped(_ lost: [LostFile]) -> [RepairReport.Dropped] {
    var reasons: [ReleaseVersion: [String]] = [:]
    for file in lost { reasons[file.version, default: []].append(file.message) }
    return reasons.sorted { $0.key < $1.key }.map {
      RepairReport.Dropped(version: $0.key, reason: $0.value.joined(separator: "; "))
    }
  }

  /// Takes lost releases off the list, then tidies up.
  private func drop(_ dropped: [RepairReport.Dropped], _ request: RepairRequest) async throws(Problem) {
    let state = try await readState()
    let versions = Set(dropped.map(\.version))
    let gone = Set(
      state.releases.filter { versions.contains($0.manifest.version) && !state.isLive($0.digest) }.map(
        \.digest))
    if let metadata = state.metadata {
      if !dropped.isEmpty { try await resign(state.dropping(gone), metadata, request) }
    } else {
      let names = try await FeedState.listReleases(host)
      try await host.remove(names.filter { versions.contains($0.version) }.map(\.path))
    }
    var outcome = ReleaseCommit.Outcome()
    let now = try await readState()
    _ = try await ExpressUpkeep(host: host).run(for: now)
    try await commit(nil).tidyUp(now, &outcome)
  }

  private func resign(
    _ state: FeedState, _ metadata: MetadataState, _ request: RepairRequest
  ) async throws(Problem) {
    guard !request.signers.isEmpty,
      let signing = try signing(request.signers, request.date, state, isDryRun: false)
    else {
      throw Problem(
        .keyNotTrusted, "releases must be dropped from the signed list, and no key to sign with was given",
        kept: "what could be restored was; nothing was dropped",
        advice: "add --release-key FILE, or give a copy that has the files with --from FOLDER|URL")
    }
    let plan = try await signing.plan(for: state, [], host, whole: Set(state.live.keys))
    var (writes, written) = (WritePlan(), [String]())
    writes.add(plan, after: metadata)
    try await FeedCommit(host: host).run(writes, &written)
  }
}
