internal import OTACrypto
package import OTAManifest
internal import OTAStorage
package import OTATransfer
package import OTATrust

/// One run of the client workflow of The Update Framework: what is new, verified step by step, and stored as it is.
///
/// Make a new one for each run, since the moment of the run is fixed. Whatever throws, the stored metadata stays such
/// that the next run can succeed. Source: specification 1.0.34, section 5.
package struct TUFClient: Sendable {
  private let repository: TUFRepository
  private let store: any TrustedMetadataStore
  private let start: RootStart
  private var trusted: TrustedMetadataSet
  /// The roots that were passed, the trusted one last.
  private var roots: TrustedRoots
  private var isRefreshed = false
  /// The time that all metadata of this run shares.
  private let budget: TransferBudget
  /// The host answers 200 for files that are not there; found out where it answered so for the next root.
  package private(set) var answersEverything = false

  /// Starts from the root that the app ships, or from the newest stored one that it led to.
  ///
  /// Nothing is fetched. A stored root that is missing, damaged or forged counts for nothing; the feed gives the chain again.
  package init(
    repository: TUFRepository, store: any TrustedMetadataStore, shippedRoot: [UInt8], now: Timestamp
  ) throws(Problem) {
    self.repository = repository
    budget = TransferBudget(repository.budget)
    self.store = store
    do {
      try PublicKey.checkThatVerifyingWorks()
      start = try RootStart(shipped: shippedRoot, store: store, now: now)
    } catch {
      throw Self.problem(error)
    }
    (trusted, roots) = (start.trusted, start.roots)
  }

  /// The trusted root.
  package var root: Root { trusted.root }
  /// The lineage and epoch of the trusted root.
  package var epoch: TrustEpoch { roots.epoch }
  /// Whether what was stored before this run belongs to the shipped root.
  package var lineage: StoredLineage { start.lineage }
  /// When the trusted timestamp was signed; `nil` before there is one, and when it does not say so.
  package var signedAt: Timestamp? { trusted.timestamp?.signedAt }
  /// How many seconds the feed wants between two checks; `nil` when it does not say.
  package var checkInterval: Int64? { trusted.timestamp?.checkInterval }

  /// Brings the top-level metadata up to date; `false` when nothing is new.
  ///
  /// With nothing new, two files are asked for (the next root, the timestamp) and none is written. Again, it does nothing;
  /// after an error, go on with a new client.
  @discardableResult
  package mutating func refresh() async throws(Problem) -> Bool {
    if isRefreshed { return false }
    try await updateRoot()
    let isNew = try await updateTimestamp()
    try await updateSnapshot()
    _ = try await targets(of: .top)
    try keepStart()
    isRefreshed = true
    return isNew
  }

  /// Takes on what was stored, without asking the feed; what is missing or damaged ends it.
  ///
  /// For looking at the stored metadata: whether it is out of date is for the moment of the run to decide.
  package mutating func adoptStored() throws(Problem) {
    guard let timestamp = try stored("timestamp"), let snapshot = try stored("snapshot"),
      let targets = try stored("targets")
    else { return }
    do {
      try trusted.adoptStoredTimestamp(timestamp)
      if try trusted.adoptStoredSnapshot(snapshot) { try trusted.updateTargets(targets, of: .top) }
    } catch {
      // What cannot be believed is not shown; the next refresh replaces it.
    }
  }

  /// Version and expiry of what is trusted, by role.
  package var headers: [(role: String, header: MetadataHeader)] { trusted.headers }

  /// The targets metadata of the top level, once it was taken on.
  package var topTargets: Targets? { trusted.targets(of: .top) }

  /// Refuses what is trusted now when it would have expired at another moment.
  package func requireFresh(at moment: Timestamp) throws(TrustError) {
    for (role, header) in trusted.headers { try header.requireFresh(at: moment, role: role) }
  }

  /// What trusted roles say of a target; `nil` when none of them vouches for it. Refreshes first when that was not done.
  package mutating func targetInfo(_ path: String) async throws(Problem) -> TargetDescription? {
    if !isRefreshed { try await refresh() }
    var search = DelegationSearch(for: path)
    do {
      while let edge = try search.next() {
        let targets = try await targets(of: edge)
        if let found = try search.visit(edge, targets) { return found }
      }
      return nil
    } catch {
      throw Self.problem(error)
    }
  }

  /// Streams a target into `sink`; what the sink holds may be used only when this returns.
  package func download(
    _ target: TargetDescription, into sink: any FetchSink,
    progress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)? = nil
  ) async throws(Problem) {
    let checking = VerifyingSink(target, into: sink)
    do {
      let url = try repository.targetURL(target, usesConsistentSnapshots: root.usesConsistentSnapshots)
      let request = FetchRequest(url: url, maxBytes: target.length, progress: progress)
      _ = try await repository.fetcher.fetch(request, into: checking)
      try checking.finish()
    } catch {
      if checking.looksLikeHTML { throw missing(target.path) }
      if let coding = checking.trueCoding { throw Problem(target.path, compressedAs: coding) }
      throw Self.problem(error)
    }
  }

  // MARK: The steps of the workflow

  private mutating func updateRoot() async throws(Problem) {
    for _ in 0..<TrustLimits.standard.maxRootRotations {
      let next = trusted.root.version + 1
      let url = repository.metadataURL(role: "root", version: next)
      let bytes: [UInt8]
      do {
        bytes = try await readOrPage(url)
        if try await isFallback(bytes) { break }
      } catch let error as TransferError where error.saysThatNothingIsThere {
        break
      } catch {
        throw Self.problem(error)
      }
      let older = trusted.root
      try verifying { (set) throws(TrustError) in try set.updateRoot(bytes) }
      try keepRoot(bytes, after: older)
    }
    try verifying { (set) throws(TrustError) in try set.requireFreshRoot() }
  }

  private mutating func updateTimestamp() async throws(Problem) -> Bool {
    if let stored = try stored("timestamp") {
      do {
        try trusted.adoptStoredTimestamp(stored)
      } catch {
        // Damaged, or signed with keys that were replaced since: the one of the feed takes its place.
      }
    }
    let bytes = try await fetch("timestamp", nil, maxBytes: TrustLimits.standard.maxTimestampBytes)
    let isNew = try verifying { (set) throws(TrustError) in try set.updateTimestamp(bytes) }
    if isNew { try keep(bytes, "timestamp") }
    return isNew
  }

  private mutating func updateSnapshot() async throws(Problem) {
    let announced = try verifying { (set) throws(TrustError) in try set.freshTimestamp() }.snapshot
    if let stored = try stored("snapshot") {
      do {
        if try trusted.adoptStoredSnapshot(stored) { return }
      } catch {
        // Damaged, or signed with keys that were replaced since: the one of the feed takes its place.
      }
    }
    let bytes = try await fetch("snapshot", announced, maxBytes: TrustLimits.standard.maxSnapshotBytes)
    try verifying { (set) throws(TrustError) in try set.updateSnapshot(bytes) }
    try keep(bytes, "snapshot")
  }

  private mutating func targets(of edge: DelegationEdge) async throws(Problem) -> Targets {
    if let known = trusted.targets(of: edge) { return known }
    let announced = try verifying { (set) throws(TrustError) in try set.description(of: edge.role) }
    if let stored = try stored(edge.role) {
      do {
        return try trusted.updateTargets(stored, of: edge)
      } catch {
        // Another version than the announced one, damaged, or not trusted by this delegator.
      }
    }
    let bytes = try await fetch(edge.role, announced, maxBytes: TrustLimits.standard.maxTargetsBytes)
    let targets = try verifying { (set) throws(TrustError) in try set.updateTargets(bytes, of: edge) }
    try keep(bytes, edge.role)
    return targets
  }

  // MARK: Files and network

  /// Keeps a root that was verified by the one before.
  private mutating func keepRoot(_ bytes: [UInt8], after older: Root) throws(Problem) {
    let startsEpoch = trusted.root.startsEpoch(after: older)
    let forgets = startsEpoch || trusted.root.revokesOnlineKeys(of: older) || start.forgetsVersions
    roots.append(
      TrustedRoots.Entry(version: trusted.root.version, digest: try Self.digest(bytes)),
      startsEpoch: startsEpoch)
    try storing { () throws(StorageError) in
      // First, so that no stop in between leaves versions that an attacker with a revoked key may have raised.
      if forgets { try forgetVersions() }
      // A root counts only when its digest is among those that were passed, so that comes before it.
      try store.store(roots.encoded(), as: .roots)
      try store.store(bytes, as: .newest(role: "root"))
    }
  }

  /// Keeps what a run began with, where no newer root was kept and the store says something else.
  private func keepStart() throws(Problem) {
    guard roots == start.roots else { return }
    let record = roots.encoded()
    try storing { () throws(StorageError) in
      if start.stored.roots != record { try store.store(record, as: .roots) }
      if start.stored.newest != start.rootBytes {
        try store.store(start.rootBytes, as: .newest(role: "root"))
      }
    }
  }

  private func forgetVersions() throws(StorageError) {
    for role in ["timestamp", "snapshot", "targets"] { try store.remove(.newest(role: role)) }
  }

  private static func digest(_ bytes: [UInt8]) throws(Problem) -> Digest {
    do { return try sha256(bytes) } catch { throw Problem(error) }
  }

  private func stored(_ role: String) throws(Problem) -> [UInt8]? {
    if start.forgetsVersions { return nil }
    return try storing { () throws(StorageError) in try store.load(.newest(role: role)) }
  }

  private func keep(_ bytes: [UInt8], _ role: String) throws(Problem) {
    try storing { () throws(StorageError) in try store.store(bytes, as: .newest(role: role)) }
  }

  private func fetch(
    _ role: String, _ announced: MetadataDescription?, maxBytes: Int
  ) async throws(Problem) -> [UInt8] {
    let version = trusted.root.usesConsistentSnapshots ? announced?.version : nil
    let url = repository.metadataURL(role: role, version: version)
    do {
      return try await small(url, maxBytes: min(announced?.length ?? maxBytes, maxBytes))
    } catch {
      throw Self.problem(error)
    }
  }

  /// Fetches a small file; throws a `TransferError`, or a `Problem` when something else came in its place.
  private func small(_ url: String, maxBytes: Int) async throws -> [UInt8] {
    let bytes = try await read(url, maxBytes: maxBytes)
    if ReleaseContentCheck.looksLikeHTML(bytes) { throw missing(url) }
    return bytes
  }

  /// Fetches a file of metadata, whatever it is; all of them share one budget of time.
  private func read(_ url: String, maxBytes: Int) async throws -> [UInt8] {
    guard budget.remaining > .zero else { throw Problem(metadataTookLongerThan: budget.whole) }
    let sink = MemorySink()
    let response: FetchResponse
    do {
      response = try await repository.fetcher.fetch(
        FetchRequest(url: url, maxBytes: maxBytes, budget: budget), into: sink)
    } catch {
      if ReleaseContentCheck.looksLikeHTML(sink.bytes) { return sink.bytes }
      guard budget.remaining > .zero else { throw Problem(metadataTookLongerThan: budget.whole) }
      throw error
    }
    if let coding = response.trueCoding(of: sink.bytes) { throw Problem(url, compressedAs: coding) }
    // Without a length nothing else shows that the connection broke.
    if response.totalBytes == nil, sink.bytes.first == UInt8(ascii: "{"), !Self.endsAsObject(sink.bytes) {
      throw TransferError(
        .truncated, url: url, detail: "the file ends in the middle, and no length was announced")
    }
    return sink.bytes
  }

  private static func endsAsObject(_ bytes: [UInt8]) -> Bool {
    bytes.last { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "}")
  }

  /// The same for a root, where the page of another host is an answer: hosts send one for what is not there.
  private func readOrPage(_ url: String) async throws -> [UInt8] {
    do {
      return try await read(url, maxBytes: TrustLimits.standard.maxRootBytes)
    } catch let error as TransferError where error.kind == .portal {
      return Array("<".utf8)
    }
  }

  // MARK: Hosts that answer everything

  /// Whether what came in place of the next root is what the host answers for any file that is not there.
  ///
  /// Then there is no next root. A host that answers so could answer 404 as well, which ends the chain by the
  /// specification: so nothing is weaker for it, and the expiry of the timestamp bounds how long it can hide a root.
  private mutating func isFallback(_ bytes: [UInt8]) async throws -> Bool {
    guard !Envelope.isReadable(bytes) else { return false }
    answersEverything = await answersForRandomName()
    if !answersEverything, ReleaseContentCheck.looksLikeHTML(bytes) {
      throw Problem(pageInsteadOf: repository.metadataURL(role: "root", version: trusted.root.version + 1))
    }
    return answersEverything
  }

  private func answersForRandomName() async -> Bool {
    let name = String(UInt64.random(in: .min ... .max), radix: 16)
    let url = repository.metadataURL(role: "\(name).root", version: nil)
    do {
      return !Envelope.isReadable(try await readOrPage(url))
    } catch {
      // Not there, as it should be, or not known: then what came for the root counts as it is.
      return false
    }
  }

  private func missing(_ name: String) -> Problem {
    answersEverything ? Problem(missingOrPage: name) : Problem(pageInsteadOf: name)
  }

  // MARK: Errors

  private mutating func verifying<Value>(
    _ step: (inout TrustedMetadataSet) throws(TrustError) -> Value
  ) throws(Problem) -> Value {
    do { return try step(&trusted) } catch { throw Problem(error) }
  }

  private func storing<Value>(_ step: () throws(StorageError) -> Value) throws(Problem) -> Value {
    do { return try step() } catch { throw Problem(error) }
  }

  static func problem(_ error: any Error) -> Problem {
    switch error {
    case let problem as Problem: problem
    case let error as StorageError: Problem(error)
    case let error as CryptoError: Problem(error)
    case let error as TrustError: Problem(error)
    case let error as TransferError:
      if let cause = error.underlying as? TrustError { Problem(cause) } else { Problem(error) }
    default: Problem(.transferFailed, "the file could not be fetched")
    }
  }
}

extension TransferError {
  /// The only answers that end the chain of roots: those that refuse this one file for good, or a folder without it.
  ///
  /// 403 and 404 are what the specification and most hosts have; 410 is a file that was removed, 400, 424 and 451 are
  /// what some hosts say in their place. A login (401, 407), too many requests (429), another moment (408, 421, 425) or
  /// trouble of the server (5xx) say nothing about the file: then there may be a newer root, and nothing goes on.
  fileprivate var saysThatNothingIsThere: Bool {
    status.map { [400, 403, 404, 410, 424, 451].contains($0) } ?? (kind == .notFound)
  }
}
