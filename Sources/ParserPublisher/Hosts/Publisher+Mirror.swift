public import OTAFeed
public import OTAManifest
internal import OTAStorage
internal import OTATransfer
internal import OTATrust

/// What `Publisher.mirror` did.
public struct MirrorReport: Equatable, Sendable {
  /// The newest release of the copy, of the stable channel.
  public let version: ReleaseVersion
  /// How many files the copied state has.
  public let files: Int
  /// The paths that were new or changed, in the order of writing.
  public let writtenFiles: [String]
}

extension Publisher {
  /// Copies a feed to this host as a device would read it: everything is verified first, and pointers come last.
  ///
  /// Running it again copies what is new. An older state than the copy has is refused.
  /// - Parameter root: the root that apps have; `nil` takes the feed's own first root, or its checksums.
  public func mirror(
    from source: FeedLocation, root: [UInt8]?, allowsPlainHTTPOnLoopback: Bool
  ) async throws(Problem) -> MirrorReport {
    let reader = FeedReader(source, allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback)
    try await requireMirror()
    let first = try await Self.ownRoot(reader)
    let trust = (root ?? first).map { Trust.root($0) } ?? .checksumsOnly
    let plan: WritePlan
    let version: ReleaseVersion
    switch trust {
    case .root(let bytes):
      (plan, version) = try await SignedMirror(reader: reader, root: bytes, now: now()).plan()
    case .checksumsOnly: (plan, version) = try await Self.unsignedPlan(reader)
    }
    try makeFolder()
    return try await host.locked { () async throws(Problem) in
      try await refuseOlder(version)
      var written: [String] = []
      let commit = FeedCommit(host: host, publicFiles: publicFiles)
      try await commit.write(plan, &written)
      try await FeedPages(isSigned: trust != .checksumsOnly).write(to: host)
      for pointer in plan.pointers {
        let path = pointer.write.path
        guard try await host.read(path, maxBytes: Limits.standard.maxManifestBytes) != pointer.write.bytes
        else {
          continue
        }
        try await host.replace(path, with: pointer.write.bytes)
        written.append(path)
      }
      try await host.settle(.pointers)
      return MirrorReport(
        version: version, files: plan.files.count + plan.metadata.count + plan.pointers.count,
        writtenFiles: written)
    }
  }

  /// A copy may begin in a folder that is not there yet, once all is verified.
  private func makeFolder() throws(Problem) {
    guard let folder = host as? DirectoryHost ?? (host as? DeployHost)?.folder else { return }
    do {
      _ = try Directory.create(folder.root, mode: 0o755)
    } catch {
      throw Problem(onFeed: error)
    }
  }

  /// A feed that somebody publishes to is no copy, and must not become one.
  private func requireMirror() async throws(Problem) {
    guard try await host.read(FeedLayout.settings, maxBytes: Limits.standard.maxStateBytes) != nil else {
      return
    }
    throw Problem(
      .foreignFolder, "\(place) is a feed of its own: it has \(FeedLayout.settings)",
      kept: "nothing was changed there",
      advice: "copy into an empty place")
  }

  private func refuseOlder(_ version: ReleaseVersion) async throws(Problem) {
    guard let own = try await FeedState.readPointer(of: .stable, host)?.manifest.version, own > version else {
      return
    }
    throw Problem(
      .trustRollback, "the source has release \(version), and \(place) has release \(own) already",
      kept: "nothing was changed there", advice: "the source lags behind: run it again later")
  }

  private static func unsignedPlan(_ reader: FeedReader) async throws(Problem) -> (WritePlan, ReleaseVersion)
  {
    let newest = try await Trust.checksumsOnly.authority.newestManifest(of: .stable, from: reader)
    var releases = [newest]
    releases += try await ReleaseChain.before(newest.manifest, reader)
    var (plan, live) = (WritePlan(), [newest])
    for channel in Set(releases.map(\.manifest.channel)) where channel != .stable {
      live.append(try await Trust.checksumsOnly.authority.newestManifest(of: channel, from: reader))
    }
    var seen: Set<String> = []
    for release in releases + live {
      try await plan.add(release, ReleaseContent(reader: reader), &seen)
    }
    for release in live.reversed() {
      plan.move(FeedWrite(path: release.manifest.channel.manifestPath, bytes: release.bytes), from: nil)
    }
    return (plan, newest.manifest.version)
  }
}

extension WritePlan {
  /// Adds the files of a release under their own names, each once.
  mutating func add(
    _ release: VerifiedManifest, _ content: ReleaseContent, _ seen: inout Set<String>
  ) async throws(Problem) {
    let manifest = release.manifest
    for file in FeedLayout.ContentFile.allCases {
      let path = TargetsInventory.content(file, of: manifest).path
      guard seen.insert(path).inserted else { continue }
      add([FeedWrite(path: path, bytes: try await content.bytes(of: file, in: manifest))])
    }
    if seen.insert(release.immutablePath).inserted {
      add([FeedWrite(path: release.immutablePath, bytes: release.bytes)])
    }
  }
}

/// The whole signed state of a feed, read as a device reads it.
struct SignedMirror {
  let reader: FeedReader
  let root: [UInt8]
  let now: Timestamp

  func plan() async throws(Problem) -> (WritePlan, ReleaseVersion) {
    let first = try await reader.readIfThere(FeedLayout.firstRoot, maxBytes: FeedLayout.maxRootBytes) ?? root
    let store = CollectedMetadata(firstRoot: first)
    var client = try TUFClient(repository: try reader.repository, store: store, shippedRoot: first, now: now)
    try await client.refresh()
    guard store.roots.contains(root) else {
      throw Problem(
        .trustOtherFeed, "the given root is none of the roots of \(reader.location.text)",
        advice: "give a root of this feed, as parser-ota embed writes it")
    }
    var plan = WritePlan()
    var pointers: [(Channel, [UInt8])] = []
    for path in (client.topTargets?.paths ?? []).sorted() {
      guard let target = try await client.targetInfo(path) else { continue }
      let sink = MemorySink()
      try await client.download(target, into: sink)
      if let channel = TargetsInventory.channel(ofPointer: path) { pointers.append((channel, sink.bytes)) }
      plan.add([
        FeedWrite(path: FeedLayout.target(path, try ContentLookup.digest(of: sink.bytes)), bytes: sink.bytes)
      ])
    }
    let metadata = try store.files(client)
    plan.add(metadata.filter { $0.path != FeedLayout.timestamp })
    for timestamp in metadata where timestamp.path == FeedLayout.timestamp { plan.move(timestamp, from: nil) }
    for (channel, bytes) in pointers.sorted(by: { $0.0.name > $1.0.name }) {
      plan.move(FeedWrite(path: channel.manifestPath, bytes: bytes), from: nil)
    }
    let stable = pointers.first { $0.0 == .stable } ?? pointers.first
    guard let bytes = stable?.1 else {
      throw Problem(.noSuchRelease, "\(reader.location.text) has no release yet", advice: "publish one first")
    }
    return (plan, try VerifiedManifest(unsigned: bytes, name: Channel.stable.manifestPath).manifest.version)
  }
}
