internal import OTAFeed
internal import OTAManifest

/// What `init` writes, in the order in which every reader finds the feed before or the feed after.
struct FeedPlan {
  let host: DirectoryHost
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
      let root = if let signed { signed.root } else { try firstRoot() }
      let rehearsal = AddressRehearsal(
        host: host, writes: adopted + pointer + (signed.map { $0.files + $0.metadata.writes } ?? []),
        settings: settings, root: root, now: now ?? Timestamp(secondsSinceEpoch: 0))
      try await rehearsal.run(old: adoption.old.manifest)
    }
    let commit = MetadataCommit(host: host)
    if let adoption { try host.replacePointer(FeedLayout.adopting, with: adoption.old.bytes) }
    _ = try await commit.write(adopted + (signed.map { $0.files + $0.metadata.versioned } ?? []))
    try await FeedPages(isSigned: settings.trust != .checksumsOnly).write(to: host)
    for write in pointer { try host.replacePointer(write.path, with: write.bytes) }
    if let signed { try await commit.moveTimestamp(signed.metadata, from: nil) }
  }

  /// The root of a feed whose signatures an interrupted run made already.
  private func firstRoot() throws(Problem) -> [UInt8]? {
    guard try host.list(FeedLayout.metadataFolder).contains("timestamp.json") else { return nil }
    return try host.read(FeedReader.firstRoot, maxBytes: FeedReader.maxRootBytes)
  }

  /// Removes what an adoption leaves: its note, and in a folder that was the old feed what nobody needs there.
  func tidy(_ isInPlace: Bool) async throws(Problem) {
    if let adoption {
      if isInPlace, let dropped = adoption.dropped { _ = try await dropped.remove(from: host) }
      try await host.removeDurably(otherManifests(of: adoption))
    }
    try await host.removeDurably([FeedLayout.adopting])
  }

  /// Manifests of the same number that an earlier attempt made: two would be two releases.
  private func otherManifests(of adoption: Adoption) throws(Problem) -> [String] {
    let version = adoption.release.manifest.version
    let folder = "\(FeedLayout.releasesFolder)/\(version)"
    let own = FeedLayout.manifest(adoption.release.digest, of: version)
    return try host.list(folder).filter { FeedLayout.manifestDigest(inName: $0) != nil }
      .map { "\(folder)/\($0)" }.filter { $0 != own }
  }
}
