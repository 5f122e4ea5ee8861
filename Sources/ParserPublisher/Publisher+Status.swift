public import OTAFeed
public import OTAManifest
internal import OTATransfer
internal import OTATrust

/// How a feed stands: what is live, until when its signatures are good, and what waits to be done.
public struct FeedStatus: Sendable {
  /// One channel.
  public struct ChannelStatus: Equatable, Sendable {
    /// Its newest release.
    public let live: ReleaseSummary
    /// The releases that it calls withdrawn.
    public let withdrawn: [ReleaseVersion]
  }

  /// The signed metadata of one role.
  public struct Role: Equatable, Sendable {
    /// root, targets, snapshot or timestamp.
    public let name: String
    /// From this moment on clients install nothing new.
    public let expires: Timestamp
    /// On this day somebody should renew it.
    public let renewBy: Timestamp
  }

  /// Something that somebody should do.
  public struct ToDo: Equatable, Sendable {
    /// `expired`, `renew`, `unfinished`, `damaged` or `no-release`.
    public let code: String
    /// One sentence, lower case, without a full stop.
    public let message: String
    /// What to do.
    public let advice: String
  }

  /// Where it is.
  public let place: String
  /// Its channels, stable first, then by name.
  public let channels: [ChannelStatus]
  /// The kind of trust: `root` or `checksums-only`.
  public let trust: String
  /// The signed name of the feed.
  public let feedName: String?
  /// Its roles; empty on a feed that is not signed.
  public let roles: [Role]
  /// Whether the root came from elsewhere, rather than from the feed itself.
  public let isRootGiven: Bool
  /// What should be done now, the most pressing first.
  public let toDo: [ToDo]

  /// The first day on which something must be done; `nil` on a feed that is not signed.
  public var nextDay: Timestamp? { roles.map(\.renewBy).min() }
}

extension Publisher {
  /// How the feed in this folder stands; nothing is written.
  public func status() async throws(Problem) -> FeedStatus {
    let state = try await readState()
    let moment = now()
    var roles: [FeedStatus.Role] = []
    if case .signed(let policy) = state.settings.trust, let metadata = state.metadata {
      let ends = [
        ("root", metadata.chain.newest.header.expires), ("targets", metadata.targets.expires),
        ("snapshot", metadata.snapshot.expires), ("timestamp", metadata.timestamp.expires),
      ]
      roles = ends.map { FeedStatus.role($0.0, $0.1, policy) }
    }
    var tasks: [FeedStatus.ToDo] = state.lost.map {
      FeedStatus.ToDo(
        code: "damaged", message: "release \($0.version): \($0.message)",
        advice: "parser-ota repair --feed \(place.shellWord)")
    }
    if state.isUnfinished {
      tasks.append(
        FeedStatus.ToDo(
          code: "unfinished",
          message: state.pending.map { "release \($0.version) was begun and is not finished" }
            ?? "the names that old clients read lag behind what is signed",
          advice: "run the same publish or rollback again"))
    }
    if let metadata = state.metadata, !metadata.isTrustedByNewestRoot {
      tasks.append(
        FeedStatus.ToDo(
          code: "renew",
          message: "the newest root replaced keys, and nothing is signed with the new ones yet",
          advice: "parser-ota refresh with the release keys that the root names"))
    }
    return FeedStatus(
      place: place,
      channels: FeedStatus.channels(state.live),
      trust: state.settings.trust.name, feedName: state.metadata?.chain.newest.feedName, roles: roles,
      isRootGiven: true,
      toDo: FeedStatus.tasks(roles, isEmpty: state.live.isEmpty, at: moment) + tasks)
  }

  /// How a feed somewhere else stands, as its readers see it.
  ///
  /// - Parameter root: where trust begins; `nil` takes the feed's own first root, which shows dates and proves nothing.
  public static func status(
    of location: FeedLocation, root: [UInt8]?, now: Timestamp, allowsPlainHTTPOnLoopback: Bool
  ) async throws(Problem) -> FeedStatus {
    let reader = FeedReader(location, allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback)
    guard
      let begin = try await root.orElse({ () async throws(Problem) in
        try await readRoot(FeedLayout.firstRoot, reader)
      })
    else {
      let list = try await releases(
        of: location, root: nil, allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback)
      return FeedStatus(
        place: location.text, channels: list.channels, trust: Trust.checksumsOnly.name, feedName: nil,
        roles: [], isRootGiven: false, toDo: [])
    }
    let repository = try reader.repository
    func client(_ moment: Timestamp) async throws(Problem) -> TUFClient {
      var client = try TUFClient(
        repository: repository, store: OverlayMetadataStore(), shippedRoot: begin, now: moment)
      try await client.refresh()
      return client
    }
    var found: TUFClient
    do throws(Problem) {
      found = try await client(now)
    } catch  where error.code == .trustExpired {
      // What is out of date is to be shown as well.
      found = try await client(Timestamp(secondsSinceEpoch: 0))
    }
    var live: [Channel: VerifiedManifest] = [:]
    for path in found.topTargets?.paths ?? [] {
      guard let channel = Channel(ofManifestPath: path), let target = try await found.targetInfo(path) else {
        continue
      }
      let sink = MemorySink()
      try await found.download(target, into: sink)
      live[channel] = try VerifiedManifest(unsigned: sink.bytes, name: path)
    }
    let roles = found.headers.map { FeedStatus.role($0.role, $0.header.expires, ExpiryPolicy()) }
    return FeedStatus(
      place: location.text, channels: FeedStatus.channels(live), trust: Trust.root(begin).name,
      feedName: found.root.feedName, roles: roles, isRootGiven: root != nil,
      toDo: FeedStatus.tasks(roles, isEmpty: live.isEmpty, at: now))
  }
}

extension FeedStatus {
  fileprivate static func channels(_ live: [Channel: VerifiedManifest]) -> [ChannelStatus] {
    live.values.map {
      ChannelStatus(live: ReleaseSummary($0, live: $0), withdrawn: $0.manifest.withdrawn.sorted())
    }.sorted { Self.isFirst($0.live.channel, $1.live.channel) }
  }

  fileprivate static func isFirst(_ left: Channel, _ right: Channel) -> Bool {
    left == .stable ? right != .stable : right != .stable && left.name < right.name
  }

  fileprivate static func role(_ name: String, _ expires: Timestamp, _ policy: ExpiryPolicy) -> Role {
    let notice: Int64
    if name == "root" {
      notice = FeedSigning.rootWarningSeconds / 86_400
    } else {
      let days =
        ["targets": policy.targetsDays, "snapshot": policy.snapshotDays][name] ?? policy.timestampDays
      notice = Int64(days) / 3
    }
    return Role(name: name, expires: expires, renewBy: expires.advanced(bySeconds: -notice * 86_400))
  }

  /// What the dates of the roles ask for, the most pressing first.
  fileprivate static func tasks(_ roles: [Role], isEmpty: Bool, at now: Timestamp) -> [ToDo] {
    var tasks: [ToDo] = []
    for role in roles.sorted(by: { $0.expires < $1.expires }) where role.renewBy <= now {
      let isOver = role.expires <= now
      let left = (role.expires.secondsSinceEpoch - now.secondsSinceEpoch) / 86_400
      tasks.append(
        ToDo(
          code: isOver ? "expired" : "renew",
          message: isOver
            ? "\(role.name) expired at \(role.expires): clients install nothing new"
            : "\(role.name) expires at \(role.expires), in \(left) days",
          advice: role.name == "root"
            ? "only the root keys can renew it: parser-ota root prepare" : "parser-ota refresh"))
    }
    if isEmpty {
      tasks.append(
        ToDo(code: "no-release", message: "no release was published yet", advice: "parser-ota publish"))
    }
    return tasks
  }
}

extension ReleaseList {
  /// The live releases of what was found.
  fileprivate var channels: [FeedStatus.ChannelStatus] {
    releases.filter(\.isLive).map { live in
      FeedStatus.ChannelStatus(
        live: live,
        withdrawn: releases.filter { $0.isWithdrawn && $0.channel == live.channel }.map(\.version).sorted())
    }.sorted { FeedStatus.isFirst($0.live.channel, $1.live.channel) }
  }
}

extension Channel {
  /// The channel whose pointer stands at a path; `nil` for any other file.
  fileprivate init?(ofManifestPath path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    if path == Channel.stable.manifestPath {
      self = .stable
    } else if parts.count == 3, parts[0] == "channels", parts[2] == "manifest.json",
      let channel = Channel(String(parts[1])), channel != .stable
    {
      self = channel
    } else {
      return nil
    }
  }
}

extension Optional where Wrapped: Sendable {
  /// The value, or that of another place.
  fileprivate func orElse(
    _ other: () async throws(Problem) -> Wrapped?
  ) async throws(Problem) -> Wrapped? {
    if let self { return self }
    return try await other()
  }
}
