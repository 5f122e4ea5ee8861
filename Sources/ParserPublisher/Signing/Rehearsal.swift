internal import OTAFeed
internal import OTAManifest
internal import OTATransfer

/// Runs the real client against a feed as it will be, before anything goes out.
///
/// Once as a client that was shipped with the first root and never saw the feed, once as one that has seen all that is
/// live now: the second finds out whether something is taken back.
struct Rehearsal {
  let host: any FeedHost
  /// Everything that is about to be written.
  let writes: [FeedWrite]
  let firstRoot: [UInt8]
  /// What is live; `nil` for a feed that is being made.
  let live: MetadataState?
  let now: Timestamp

  /// What clients must find.
  struct Expectation {
    /// The exact bytes of each channel's newest manifest.
    let pointers: [Channel: [UInt8]]
    /// The channels whose two files are fetched as well.
    let whole: Set<Channel>
  }

  func run(_ expectation: Expectation) async throws(Problem) {
    var stores = [MemoryMetadataStore()]
    if let live { stores.append(MemoryMetadataStore(having: live)) }
    for store in stores {
      do {
        try await run(expectation, store)
      } catch {
        throw Self.refusal(error)
      }
    }
  }

  private func run(_ expectation: Expectation, _ store: MemoryMetadataStore) async throws(Problem) {
    let repository = TUFRepository(
      fetcher: OverlayFetcher(host: host, writes: writes),
      metadataBase: OverlayFetcher.prefix + FeedLayout.metadataFolder,
      targetsBase: OverlayFetcher.prefix + FeedLayout.targetsFolder)
    var client = try TUFClient(repository: repository, store: store, shippedRoot: firstRoot, now: now)
    try await client.refresh()
    for (channel, bytes) in expectation.pointers.sorted(by: { $0.key.name < $1.key.name }) {
      let path = channel.manifestPath
      guard try await Self.download(path, &client) == bytes else {
        throw Problem(.trustMismatch, "the signed \(path) is not the one that is to be published")
      }
      guard expectation.whole.contains(channel) else { continue }
      let manifest = try VerifiedManifest(unsigned: bytes, name: path).manifest
      try await client.requireSignedFiles(of: manifest)
      for file in FeedLayout.ContentFile.allCases {
        let target = TargetsInventory.content(file, of: manifest).target
        guard try ContentLookup.matches(await Self.download(target, &client), file.artifact(of: manifest))
        else {
          throw Problem(.trustMismatch, "the signed \(target) is not the file that the manifest names")
        }
      }
    }
  }

  private static func download(_ path: String, _ client: inout TUFClient) async throws(Problem) -> [UInt8] {
    guard let target = try await client.targetInfo(path) else {
      throw Problem(.trustUnlisted, "\(path) is not a target of the signed metadata")
    }
    let sink = MemorySink()
    try await client.download(target, into: sink)
    return sink.bytes
  }

  private static func refusal(_ problem: Problem) -> Problem {
    // A disk that fails says nothing about what clients would do.
    guard problem.code.responsibility != .localDisk else { return problem }
    return Problem(
      problem.code, "installed clients would refuse this: \(problem.message)",
      advice: problem.code == .trustExpired
        ? "sign with a date that is not so long past, and keep the root from expiring" : problem.advice)
  }
}
