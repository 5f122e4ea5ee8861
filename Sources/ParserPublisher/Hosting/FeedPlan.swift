internal import OTAFeed
internal import OTAManifest

/// What `init` writes, in the order in which every reader finds the feed before or the feed after.
struct FeedPlan {
  let host: any FeedHost
  let settings: FeedSettings
  let adoption: Adoption?
  /// The moment at which readers look.
  let now: Timestamp?

  /// Plans the signatures, rehearses the whole, then writes; the settings are left to the caller.
  func write(_ signature: InitialSignature) async throws(Problem) {
    let adopted = adoption.map { $0.lasting + $0.oldWrites } ?? []
    let pointer = [adoption?.pointer].compactMap(\.self)
    let overlay = OverlayHost(host, adopted + pointer)
    let signed = try await signature.plan(under: settings, on: overlay)
    if let adoption {
      let root = if let signed { signed.root } else { try await firstRoot() }
      let rehearsal = AddressRehearsal(
        host: host, writes: adopted + pointer + (signed.map { $0.files + $0.metadata.writes } ?? []),
        settings: settings, root: root, now: now ?? Timestamp(secondsSinceEpoch: 0))
      try await rehearsal.run(old: adoption.old.manifest)
    }
    if let adoption { try await host.replace(FeedLayout.adopting, with: adoption.old.bytes) }
    let commit = FeedCommit(host: host)
    var (plan, written) = (WritePlan(), [String]())
    plan.add(adopted + (signed.map { $0.files + $0.metadata.versioned } ?? []))
    if let signed { plan.move(signed.metadata.timestamp, from: nil) }
    try await commit.write(plan, &written)
    try await FeedPages(isSigned: settings.trust != .checksumsOnly).write(to: host)
    for write in pointer { try await host.replace(write.path, with: write.bytes) }
    for pointer in plan.pointers { try await commit.move(pointer, &written) }
    // An interrupted run may have signed, and not come to this.
    let hasNone = try await host.size(of: FeedLayout.express) == nil
    let isUnfinished = hasNone && settings.trust != .checksumsOnly
    if signed != nil || isUnfinished {
      _ = try await ExpressUpkeep(host: host).run(for: MetadataState.read(from: host))
    }
    try await host.settle(.pointers)
  }

  /// The root of a feed whose signatures an interrupted run made already.
  private func firstRoot() async throws(Problem) -> [UInt8]? {
    guard try await host.list(FeedLayout.metadataFolder).contains(FeedLayout.timestampName) else {
      return nil
    }
    return try await host.read(FeedLayout.firstRoot, maxBytes: FeedLayout.maxRootBytes)
  }

  /// Removes what an adoption leaves: its note, and in a folder that was the old feed what nobody needs there.
  func tidy(_ isInPlace: Bool) async throws(Problem) {
    if let adoption {
      if isInPlace, let dropped = adoption.dropped { _ = try await dropped.remove(from: host) }
      try await host.remove(await otherManifests(of: adoption))
    }
    try await host.remove([FeedLayout.adopting])
  }

  /// Manifests of the same number that an earlier attempt made: two would be two releases.
  private func otherManifests(of adoption: Adoption) async throws(Problem) -> [String] {
    let version = adoption.release.manifest.version
    let folder = "\(FeedLayout.releasesFolder)/\(version)"
    let own = FeedLayout.manifest(adoption.release.digest, of: version)
    return try await host.list(folder).filter { FeedLayout.manifestDigest(inName: $0) != nil }
      .map { "\(folder)/\($0)" }.filter { $0 != own }
  }
}
