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

  /// The release that some devices have by a rollout: a roll back leaves it, for the one that everybody may have.
  private var running: VerifiedManifest? {
    state.documents.rollouts[request.channel]?.state == .withdrawn
      ? nil : state.candidate(of: request.channel)
  }

  /// What a word to run the embedded copy is published with: the content that is live, or the one that was named.
  private func unchanged(_ live: VerifiedManifest) throws(Problem) -> Choice {
    let next = try ReleaseNumbering.next(after: state.highest, requested: nil, allowsJump: false)
    let plan = RollbackPlan(
      live: live.manifest.version, target: live.manifest.version, next: next,
      withdrawn: Withdrawal.carried(live.manifest.withdrawn + state.takenBack(in: request.channel)))
    return Choice(live: live, target: live, plan: plan)
  }

  func choose() throws(Problem) -> Choice {
    guard let live = running ?? state.live[request.channel] else {
      throw Problem(
        .nothingToRollBackTo, "the channel \(request.channel) has no release",
        advice: "publish one with parser-ota publish")
    }
    if request.toEmbedded != nil, request.to == nil, let live = state.live[request.channel] {
      return try unchanged(live)
    }
    let target: VerifiedManifest
    if let version = request.to {
      target = try named(version, live)
    } else {
      target = try newest(before: live)
    }
    // A release whose manifest is lost may be one of this channel, and devices may have it.
    let lost = state.lost.filter(\.isManifest).map(\.version)
    let between = (candidates.map(\.manifest.version) + lost).filter {
      $0 > target.manifest.version && $0 <= live.manifest.version
    }
    let own = Withdrawal.versions(
      with: target.manifest.pair, in: state, remembered: state.live.values.map(\.manifest))
    let next = try ReleaseNumbering.next(
      after: state.highest, requested: nil, allowsJump: false)
    let plan = RollbackPlan(
      live: live.manifest.version, target: target.manifest.version, next: next,
      withdrawn: Withdrawal.carried(
        live.manifest.withdrawn + between + state.takenBack(in: request.channel), except: own))
    return Choice(live: live, target: target, plan: plan)
  }

  private func newest(before live: VerifiedManifest) throws(Problem) -> VerifiedManifest {
    let found = candidates.first {
      $0.manifest.version < live.manifest.version && $0.manifest.pair != live.manifest.pair
        && withdrawn(like: $0.manifest, live).isEmpty
    }
    guard let found else {
      throw Problem(
        .nothingToRollBackTo,
        "channel \(request.channel) has no good release before \(live.manifest.version); \(inventory)",
        advice: state.lost.contains(where: \.isManifest)
          ? "parser-ota repair restores lost files, from a copy of the feed with --from; or publish a corrected release"
          : "publish a corrected release instead")
    }
    return found
  }

  /// The withdrawn releases that a release is one of, or shares its content with.
  private func withdrawn(like manifest: Manifest, _ live: VerifiedManifest) -> [ReleaseVersion] {
    let own = live.manifest.withdrawn.contains(manifest.version) ? [manifest.version] : []
    return own
      + Withdrawal.releases(with: manifest.pair, of: [live.manifest], in: state).filter { !own.contains($0) }
  }

  private func named(
    _ version: ReleaseVersion, _ live: VerifiedManifest
  ) throws(Problem) -> VerifiedManifest {
    guard let found = candidates.first(where: { $0.manifest.version == version }),
      version <= live.manifest.version
    else {
      if let lost = state.problem(ofLost: version) { throw lost }
      throw Problem(
        .noSuchRelease, "channel \(request.channel) has no release \(version); \(inventory)",
        advice: "parser-ota releases lists them with their notes")
    }
    guard found.manifest.pair != live.manifest.pair else {
      throw Problem(
        .nothingToRollBackTo, "release \(version) is already live; \(inventory)",
        advice: "name an older release")
    }
    let twins = withdrawn(like: found.manifest, live)
    if let twin = twins.first, !request.allowsWithdrawn {
      throw Problem(
        .withdrawnContent,
        twin == version
          ? "release \(version) was withdrawn: going back to it would bring it back"
          : "release \(version) has the content of release \(twin), which was withdrawn",
        advice: "name another release; if this one is right after all, add --allow-withdrawn")
    }
    return found
  }

  /// At most this many releases are named in one sentence.
  private static let maxNamedReleases = 5

  private var inventory: String {
    let versions = candidates.map(\.manifest.version).sorted(by: >).map { "\($0)" }
    // What is lost may be of this channel; its manifest would say so.
    let lost = state.lost.filter(\.isManifest).map { "; release \($0.version) is lost (\($0.message))" }
      .joined()
    guard versions.count > Self.maxNamedReleases else {
      return (versions.isEmpty ? "none is available" : "available: \(versions.joined(separator: ", "))")
        + lost
    }
    let named = versions.prefix(Self.maxNamedReleases).joined(separator: ", ")
    return "available: \(named) and \(versions.count - Self.maxNamedReleases) more" + lost
  }

  /// The next release: older content under a higher number, and nothing new but its manifest.
  func build(_ choice: Choice, released: Timestamp) async throws(Problem) -> ReleaseDraft {
    let (live, target) = (choice.live.manifest, choice.target.manifest)
    let bundle = try await lookup.bytes(of: .bundle, in: target)
    let sources = try await lookup.bytes(of: .sources, in: target)
    let catalog = try await lookup.catalog(of: target)
    // Releases from before this layout, or from another address, name places that are not signed or not served.
    var manifest = try target.inOwnLayout(of: state.settings)
    manifest.version = choice.plan.next
    manifest.released = released
    manifest.notes =
      request.reason.flatMap(ReleaseNotes.meant)
      ?? (request.toEmbedded == nil ? "roll back to \(target.version)" : "apps run their embedded copy")
    manifest.parent = state.head?.digest
    manifest.parentVersion = state.head?.manifest.version
    manifest.withdrawn = choice.plan.withdrawn
    manifest.withdrawnContent = Withdrawal.contents(of: manifest.withdrawn, in: state, before: live)
    manifest.embeddedOnly = request.toEmbedded
    (manifest.follow, manifest.isCritical) = (nil, false)
    manifest.beside = state.live[request.channel]?.manifest.beside ?? []
    // What was allowed for its content comes along; that its clock was allowed says nothing about this one.
    manifest.allowed.removeAll { $0.hasSameBytes(as: ClockCheck.allowance) }
    manifest.aliases = AliasRules.surviving(live.aliases, beside: target.aliases, in: catalog)
    if let twin = withdrawn(like: target, choice.live).first {
      manifest.allow("\(GateCode.withdrawnContent.rawValue):\(twin)")
    }
    return try ReleaseDraft(
      manifest, contents: target.isInOwnLayout ? [] : Self.contents(target, bundle, sources),
      previous: live.version, diff: try await diff(from: live, to: catalog),
      warnings: [])
  }

  /// The files at the places of this layout, where a release from before it may not have them.
  private static func contents(
    _ manifest: Manifest, _ bundle: [UInt8], _ sources: [UInt8]
  ) -> [FeedWrite] {
    [
      FeedWrite(path: TargetsInventory.content(.bundle, of: manifest).path, bytes: bundle),
      FeedWrite(path: TargetsInventory.content(.sources, of: manifest).path, bytes: sources),
    ]
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

// MARK: What must be meant

extension RollbackBuilder {
  /// Within this time a second roll back without a name is likelier impatience than a plan.
  private static let impatienceSeconds: Int64 = 3600

  /// Why the target of a roll back must be named; none when it was.
  ///
  /// - Parameter moments: the clock, and the date that the roll back is to carry.
  func cautions(about choice: Choice, at moments: [Timestamp]) async throws(Problem) -> [RollbackCaution] {
    guard request.to == nil, request.toEmbedded == nil else { return [] }
    let again = repetition(choice, moments.min() ?? Timestamp(secondsSinceEpoch: 0))
    return try await [again, passedLost(choice), droppedSources(choice)].compactMap(\.self)
  }

  /// A lost release may be the one that is meant: only its manifest says whether it is of this channel.
  private func passedLost(_ choice: Choice) -> RollbackCaution? {
    let (live, target) = (choice.live.manifest, choice.target.manifest)
    let passed = state.lost.filter {
      $0.isManifest && $0.version > target.version && $0.version < live.version
        && !live.withdrawn.contains($0.version)
    }
    guard let lost = passed.max(by: { $0.version < $1.version }) else { return nil }
    return RollbackCaution(
      code: .feedIncomplete,
      message:
        "release \(lost.version) is lost (\(lost.message)), so this would go past it, to release \(target.version)"
    )
  }

  private func repetition(_ choice: Choice, _ moment: Timestamp) -> RollbackCaution? {
    let live = choice.live.manifest
    guard live.content != live.version, let released = live.released,
      released > moment.advanced(bySeconds: -Self.impatienceSeconds)
    else { return nil }
    let minutes = max(0, moment.secondsSinceEpoch - released.secondsSinceEpoch) / 60
    return RollbackCaution(
      code: .rollbackAgain,
      message:
        "release \(live.version) is a roll back to release \(live.content), made \(minutes) min ago: another "
        + "one goes further back, to release \(choice.target.manifest.version)")
  }

  private func droppedSources(_ choice: Choice) async throws(Problem) -> RollbackCaution? {
    let (live, target) = (choice.live.manifest, choice.target.manifest)
    let (old, new): (SourceCatalog, SourceCatalog)
    do {
      new = try await lookup.catalog(of: target)
      old = try await lookup.catalog(of: live)
    } catch  where error.code == .feedIncomplete || error.code == .sourcesInvalid {
      // A damaged target is refused when it is built; a damaged live catalog is a reason to go back.
      return nil
    }
    let rules = RemovalRules(
      live: old, new: new, diff: CatalogDiff(from: old, to: new), liveVersion: live.version)
    let lost = rules.lost(aliases: AliasRules.surviving(live.aliases, beside: target.aliases, in: new))
    guard !lost.isEmpty else { return nil }
    let named = lost.prefix(5).map { $0.text.printable() }.joined(separator: ", ")
    let rest = lost.count > 5 ? " and \(lost.count - 5) more" : ""
    return RollbackCaution(
      code: .rollbackDropsSources,
      message: "release \(target.version) lacks \(lost.count) source\(lost.count == 1 ? "" : "s") of release "
        + "\(live.version): \(named)\(rest)")
  }
}

extension Manifest {
  /// Records what the maintainer allowed, once.
  mutating func allow(_ text: String) {
    guard !allowed.contains(where: { $0.hasSameBytes(as: text) }) else { return }
    allowed = (allowed.suffix(Limits.standard.maxAllowed - 1) + [text]).sorted {
      Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8))
    }
  }
}
