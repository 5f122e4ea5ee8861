internal import OTAFeed
internal import OTAManifest
internal import OTATrust

/// Who signs the next state of a feed, and from when on; made only when the signers are enough.
struct FeedSigning: Sendable {
  var builder: MetadataBuilder
  /// The first root, from which the oldest clients start.
  let firstRoot: [UInt8]
  /// The moment at which clients would read the feed.
  let now: Timestamp

  /// How close to its end a root is worth a warning: its keys are off the network, and their holders on holiday.
  static let rootWarningSeconds: Int64 = 60 * 86_400

  /// Whether it is time to make the next root.
  static func isRootNearEnd(_ expires: Timestamp, at moment: Timestamp) -> Bool {
    expires < moment.advanced(bySeconds: rootWarningSeconds)
  }

  /// Signs the next state after what is live.
  ///
  /// - Throws: `trustExpired` when the root has run out.
  init(
    metadata: MetadataState, signers: [any MetadataSigner], expiry: ExpiryPolicy, date: Timestamp,
    now: Timestamp
  ) throws(Problem) {
    let root = metadata.chain.newest
    guard max(now, date) < root.header.expires else {
      throw Problem(
        .trustExpired,
        "\(FeedLayout.metadata("root", root.version)) expired at \(root.header.expires), so clients refuse all that "
          + "is signed under it",
        advice: Self.nextRootAdvice)
    }
    builder = MetadataBuilder(root: root, live: metadata, signers: signers, expiry: expiry, date: date)
    firstRoot = metadata.chain.files[0]
    self.now = now
  }

  /// Starts a feed under its first root.
  init(firstRoot: [UInt8], root: Root, signers: [any MetadataSigner], expiry: ExpiryPolicy, date: Timestamp) {
    builder = MetadataBuilder(root: root, live: nil, signers: signers, expiry: expiry, date: date)
    self.firstRoot = firstRoot
    now = date
  }

  /// Refuses signers that are fewer than clients want.
  func requireSigners() throws(Problem) {
    for role in [Root.Role.targets, .snapshot, .timestamp] { _ = try builder.signers.enough(for: role) }
  }

  /// What a person should know of the root.
  var warnings: [String] {
    let expires = builder.root.header.expires
    guard Self.isRootNearEnd(expires, at: now) else { return [] }
    let days = max(0, expires.secondsSinceEpoch - now.secondsSinceEpoch) / 86_400
    return [
      "the root expires at \(expires), in \(days) days; only the root keys can renew it: \(Self.nextRoot)"
    ]
  }

  /// The command that begins the next root.
  static let nextRoot = "parser-ota root prepare --feed DIR --out next.root.json"
  /// What to do about a root that has expired or soon does.
  static let nextRootAdvice =
    "only the root keys can renew it: \(nextRoot), then parser-ota root sign and root commit"

  /// Signs a state of the feed, and proves that installed clients take it.
  ///
  /// - Parameter files: what else is about to be written.
  func plan(
    for state: FeedState, _ files: [FeedWrite], _ host: any FeedHost, whole: Set<Channel>
  ) async throws(Problem) -> MetadataPlan {
    let inventory = try TargetsInventory.files(
      live: state.live, kept: Retention(state: state).kept, documents: state.documents)
    var plan = try await builder.plan(files: inventory)
    plan.versioned.insert(contentsOf: try Self.pointerCopies(of: state), at: 0)
    try await rehearse(plan, state, files, host, whole: whole)
    return plan
  }

  /// Runs the real client against the feed as the plan makes it.
  func rehearse(
    _ plan: MetadataPlan, _ state: FeedState, _ files: [FeedWrite], _ host: any FeedHost, whole: Set<Channel>
  ) async throws(Problem) {
    let rehearsal = Rehearsal(
      host: host, writes: files + plan.writes, firstRoot: firstRoot, live: builder.live, now: now)
    try await rehearsal.run(
      Rehearsal.Expectation(pointers: state.live.mapValues(\.bytes), whole: whole))
  }

  /// The live manifests, and the documents beside them, under the names that are signed.
  static func pointerCopies(of state: FeedState) throws(Problem) -> [FeedWrite] {
    try state.documents.signedCopies()
      + state.live.sorted { $0.key.name < $1.key.name }.flatMap { channel, release in
        [
          FeedWrite(path: FeedLayout.pointerCopy(release.digest, of: channel), bytes: release.bytes),
          FeedWrite(path: release.immutablePath, bytes: release.bytes),
        ]
      }
  }
}
