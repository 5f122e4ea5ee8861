internal import OTAManifest
internal import OTATrust

/// How many days new metadata of each role stays good.
public struct ExpiryPolicy: Equatable, Sendable {
  /// The days that a feed may be told; ten years at most.
  public static let range = 1...3650

  /// Days of a root; only people with the root keys can renew it.
  public var rootDays: Int
  /// Days of targets metadata.
  public var targetsDays: Int
  /// Days of a snapshot.
  public var snapshotDays: Int
  /// Days of a timestamp: for so long can somebody between feed and client hide news.
  public var timestampDays: Int
  /// How many seconds devices wait between two checks; 0 lets them ask at any time, `nil` keeps what the feed says.
  ///
  /// It is not part of the settings: the live timestamp carries it on.
  public var checkInterval: Int64?

  /// Sets the days of each role.
  public init(
    rootDays: Int = 730, targetsDays: Int = 180, snapshotDays: Int = 180, timestampDays: Int = 30
  ) {
    self.rootDays = rootDays
    self.targetsDays = targetsDays
    self.snapshotDays = snapshotDays
    self.timestampDays = timestampDays
  }

  func days(of role: Root.Role) -> Int {
    switch role {
    case .root: rootDays
    case .targets: targetsDays
    case .snapshot: snapshotDays
    case .timestamp: timestampDays
    }
  }

  /// The end of what is signed at `date`.
  func expiry(of role: Root.Role, signedAt date: Timestamp) -> Timestamp {
    date.advanced(bySeconds: Int64(days(of: role)) * 86_400)
  }

  /// Whether less than a third of its days are left to metadata of a role.
  func isNearEnd(_ role: Root.Role, expires: Timestamp, at date: Timestamp) -> Bool {
    expires < date.advanced(bySeconds: Int64(days(of: role)) * 86_400 / 3)
  }

  /// The interval that new metadata names, after the one that is live.
  func interval(after live: Int64?) -> Int64? {
    checkInterval.map { $0 == 0 ? nil : $0 } ?? live
  }

  /// Refuses days or an interval outside the range.
  func check() throws(Problem) {
    try Self.check(interval: checkInterval)
    for role in Root.Role.allCases where !Self.range.contains(days(of: role)) {
      throw Problem(
        .inputRefused,
        "the expiry of \(role.rawValue) is \(days(of: role)) days, outside \(Self.range.lowerBound) to "
          + "\(Self.range.upperBound)")
    }
  }
}

extension ExpiryPolicy {
  /// Refuses an interval that no device would keep.
  static func check(interval: Int64?) throws(Problem) {
    guard let interval, interval != 0, !FeedInterval.range.contains(interval) else { return }
    throw Problem(
      .inputRefused,
      "the check interval is \(interval) s, outside \(FeedInterval.range.lowerBound) to "
        + "\(FeedInterval.range.upperBound)")
  }

  /// Reads the object `expiryDays` of the settings.
  init(_ object: JSONObject) throws(InputError) {
    func days(_ role: Root.Role) throws(InputError) -> Int {
      Int(try object.integer(role.rawValue, in: Int64(Self.range.lowerBound)...Int64(Self.range.upperBound)))
    }
    self.init(
      rootDays: try days(.root), targetsDays: try days(.targets), snapshotDays: try days(.snapshot),
      timestampDays: try days(.timestamp))
  }

  /// The object `expiryDays` of the settings.
  var value: JSONValue {
    .object(
      [Root.Role.root, .targets, .snapshot, .timestamp].map {
        JSONMember($0.rawValue, .integer(Int64(days(of: $0))))
      })
  }
}
