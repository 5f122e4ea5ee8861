internal import OTAFeed
internal import OTAManifest

/// Chooses what to go back to, and describes it as the next release; reads catalogs, writes nothing.
struct RollbackBuilder {
  let request: RollbackRequest
  let state: FeedState
  let lookup: ContentLookup

  /// The live release, the one whose content is taken, and what the next manifest says.
  struct Choice {
    let live: VerifiedManifest
    let target: VerifiedManifest
    let plan: RollbackPlan
  }

  /// The releases of the channel on the feed, newest first.
  private var candidates: [VerifiedManifest] {
    state.releases.filter { $0.manifest.channel == request.channel }
  }

  func choose() throws(Problem) -> Choice {
    guard let live = state.live[request.channel] else {
      throw Problem(
        .nothingToRollBackTo, "the channel \(request.channel) has no release",
        advice: "publish one with parser-ota publish")
    }
    let target: VerifiedManifest
    if let version = request.to {
      target = try named(version, live)
    } else {
      target = try newest(before: live)
    }
    let between = candidates.map(\.manifest.version).filter {
      $0 > target.manifest.version && $0 <= live.manifest.version
    }
    let next = try ReleaseNumbering.next(
      after: state.head?.manifest.version, requested: nil, allowsJump: false)
    let plan = RollbackPlan(
      live: live.manifest.version, target: target.manifest.version, next: next,
      withdrawn: Withdrawal.carried(live.manifest.withdrawn + between))
    return Choice(live: live, target: target, plan: plan)
  }

  private func newest(before live: VerifiedManifest) throws(Problem) -> VerifiedManifest {
    let found = candidates.first {
      $0.manifest.version < live.manifest.version && $0.manifest.pair != live.manifest.pair
        && !live.manifest.withdrawn.contains($0.manifest.version)
    }
    guard let found else {
      throw Problem(
        .nothingToRollBackTo,
        "nothing older than release \(live.manifest.version) of \(request.channel) can be taken: \(inventory)",
        advice: "publish a corrected release instead")
    }
    return found
  }

  private func named(
    _ version: ReleaseVersion, _ live: VerifiedManifest
  ) throws(Problem) -> VerifiedManifest {
    guard let found = candidates.first(where: { $0.manifest.version == version }),
      version <= live.manifest.version
    else {
      throw Problem(
        .noSuchRelease, "release \(version) of \(request.channel) is not on the feed: \(inventory)",
        advice: "parser-ota releases lists them with their notes")
    }
    guard found.manifest.pair != live.manifest.pair else {
      throw Problem(
        .nothingToRollBackTo, "release \(version) has the content that is live already: \(inventory)",
        advice: "name an older release")
    }
    return found
  }

  private var inventory: String {
    let versions = candidates.map { "\($0.manifest.version)" }
    return versions.isEmpty ? "it has none" : "it has \(versions.joined(separator: ", "))"
  }

  /// The next release: older content under a higher number, and nothing new but its manifest.
  func build(_ choice: Choice, released: Timestamp) async throws(Problem) -> ReleaseDraft {
    let (live, target) = (choice.live.manifest, choice.target.manifest)
    _ = try await lookup.bytes(of: .bundle, in: target)
    let catalog = try await lookup.catalog(of: target)
    var manifest = target
    manifest.version = choice.plan.next
    manifest.released = released
    manifest.notes = request.reason.flatMap { $0.isEmpty ? nil : $0 } ?? "roll back to \(target.version)"
    manifest.parent = state.head?.digest
    manifest.parentVersion = state.head?.manifest.version
    manifest.withdrawn = choice.plan.withdrawn
    manifest.aliases = AliasRules.surviving(live.aliases, beside: target.aliases, in: catalog)
    return try ReleaseDraft(
      manifest, contents: [], previous: live.version, diff: try await diff(from: live, to: catalog),
      warnings: [])
  }

  /// A live catalog that is damaged is a reason to go back, not to stay.
  private func diff(from live: Manifest, to catalog: SourceCatalog) async throws(Problem) -> CatalogDiff? {
    do {
      return CatalogDiff(from: try await lookup.catalog(of: live), to: catalog)
    } catch  where error.code == .feedIncomplete || error.code == .sourcesInvalid {
      return nil
    }
  }
}
