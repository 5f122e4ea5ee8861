import OTAManifest

/// What must be true of a feed after the steps that were taken: pure, and without any code of the product but its names.
struct Model: Equatable {
  /// A release that was published.
  struct Release: Equatable {
    let version: Int64
    let content: Content
    let isRollback: Bool
    let date: Int64
  }

  /// How long a roll back on top of a roll back must be named.
  static let impatience: Int64 = 3600

  /// Whether the folder is a feed.
  var exists = false
  var isSigned = false
  /// How many releases of a channel stay; `nil` for the tool's own choice, which no sequence reaches.
  var keep: Int?
  /// The releases that are on the feed, by channel, oldest first.
  var releases: [Channel: [Release]] = [:]
  var withdrawn: [Channel: Set<Int64>] = [:]
  /// What the withdrawn releases consist of, as the live manifest of a channel remembers it.
  var remembered: [Channel: [Int64: Content]] = [:]
  /// The newest number of all channels.
  var head: Int64 = 0
  var adopted: Int64?
  var rootKeys: [UInt8] = []
  var releaseKeys: [UInt8] = []
  var rootVersion = 0
  /// Ids that a manifest once led away from, so that dropping them may lose nothing.
  var aliased: Set<String> = []
  /// Whether a file that an older release needs is missing.
  var hasLost = false
  /// Releases whose manifest is lost, so that a roll back does not know of them.
  var unknown: Set<Int64> = []
  /// What is still shown by the name that old clients read, beside the live release, after a kill.
  var lagging: [Channel: Int64] = [:]
  var isUnfinished = false

  func live(_ channel: Channel = .stable) -> Release? { releases[channel]?.last }

  func release(_ version: Int64, _ channel: Channel = .stable) -> Release? {
    releases[channel]?.last { $0.version == version }
  }

  /// The releases with these files that a channel, or any one, withdraws.
  func withdrawnTwins(_ content: Content, by channel: Channel? = nil) -> [Int64] {
    let channels: [Channel] = channel.map { [$0] } ?? Array(withdrawn.keys)
    let marks = Set(channels.flatMap { withdrawn[$0] ?? [] })
    return twins(content, rememberedBy: channels).filter { marks.contains($0) }
  }

  /// The releases with these files that anybody can still know: their manifest is there, or a later one remembers them.
  private func twins(_ content: Content, rememberedBy channels: [Channel]) -> [Int64] {
    let kept = releases.values.joined().filter { $0.content == content && !unknown.contains($0.version) }
    let known = channels.flatMap { Array(remembered[$0] ?? [:]) }.filter { $0.value == content }
    return Set(kept.map(\.version) + known.map(\.key)).sorted()
  }

  /// The newest manifest of a channel tells what the releases on its list consist of, as far as it is known before it.
  private mutating func remember(_ channel: Channel, before: Model) {
    var contents: [Int64: Content] = [:]
    let kept = before.releases.values.joined().filter { !before.unknown.contains($0.version) }
    for version in withdrawn[channel] ?? [] {
      contents[version] =
        before.remembered[channel]?[version] ?? kept.first { $0.version == version }?.content
    }
    remembered[channel] = contents
  }

  // MARK: What a verb comes to

  /// How a verb must end.
  enum Expectation: Equatable {
    /// It must succeed, and this is the model afterwards.
    case done(Model)
    /// It must refuse and change nothing.
    case refused(String)
    /// It may refuse, or succeed with this.
    case either(Model)
  }

  func publishing(
    _ content: Content, _ channel: Channel, allowed: Bool, date: Int64, aliases: [SourceAlias] = []
  ) -> Expectation {
    guard exists else { return .refused("there is no feed") }
    var after = self
    after.aliased.formUnion(aliases.map(\.old))
    after.settle()
    guard live(channel)?.content != content else { return hasLost ? .either(after) : .done(after) }
    let twins = withdrawnTwins(content)
    after.add(content, channel, isRollback: false, date: date)
    guard twins.isEmpty || allowed else { return .refused("D6: these files were withdrawn") }
    after.withdrawn[channel]?.subtract(twins)
    after.remember(channel, before: self)
    return .done(after)
  }

  func rollingBack(
    _ target: Release?, isNamed: Bool, allowed: Bool, _ channel: Channel, date: Int64
  ) -> Expectation {
    guard exists, let live = live(channel) else { return .refused("there is no release") }
    if isFinishing(target, isNamed: isNamed, channel) {
      var after = self
      after.settle()
      return .either(after)
    }
    if !isNamed, live.isRollback, date - live.date < Self.impatience {
      return .refused("D5: the live release is a roll back of a moment ago")
    }
    guard let target else { return .refused("there is no such release") }
    guard target.content != live.content else { return .refused("that content is live") }
    let dropped = Set(live.content.ids).subtracting(target.content.ids)
    guard isNamed || dropped.isSubset(of: aliased) else { return .refused("D5: it would drop sources") }
    guard allowed || (withdrawnTwins(target.content, by: channel).isEmpty && !isWithdrawn(target, channel))
    else {
      return .refused("D6: release \(target.version) was withdrawn")
    }
    var after = self
    after.settle()
    let between = (releases[channel] ?? []).map(\.version)
      .filter { $0 > target.version && !unknown.contains($0) }
    after.add(target.content, channel, isRollback: true, date: date)
    after.withdrawn[channel, default: []].formUnion(between)
    after.withdrawn[channel]?
      .subtract(twins(target.content, rememberedBy: Array(remembered.keys)) + [target.version])
    after.remember(channel, before: self)
    // An alias leads away from what is dropped only while it leads to a source.
    let mayDrop = !isNamed && !dropped.isEmpty
    return hasLost || mayDrop ? .either(after) : .done(after)
  }

  /// Whether a roll back is the one again that was killed before old clients could see it.
  func isFinishing(_ target: Release?, isNamed: Bool, _ channel: Channel) -> Bool {
    guard let live = live(channel), live.isRollback, isUnfinished else { return false }
    return isNamed ? target?.content == live.content : lagging[channel] != nil
  }

  func isWithdrawn(_ release: Release, _ channel: Channel) -> Bool {
    withdrawn[channel, default: []].contains(release.version)
  }

  /// The release that a roll back without a name must take.
  func newestGood(_ channel: Channel) -> Release? {
    guard let live = live(channel) else { return nil }
    return releases[channel]?.dropLast().last {
      $0.content != live.content && !isWithdrawn($0, channel)
        && withdrawnTwins($0.content, by: channel).isEmpty
    }
  }

  mutating func add(_ content: Content, _ channel: Channel, isRollback: Bool, date: Int64) {
    head += 1
    releases[channel, default: []]
      .append(Release(version: head, content: content, isRollback: isRollback, date: date))
    prune()
  }

  /// What is not kept any more goes; what is live in any channel stays.
  private mutating func prune() {
    guard let keep else { return }
    for (channel, all) in releases { releases[channel] = Array(all.suffix(keep)) }
  }

  /// A manifest that is lost on a feed without signatures is a release given up: nothing else speaks of it.
  mutating func lose(_ file: LostFile, of version: Int64) {
    guard file == .manifest else { return hasLost = true }
    if isSigned {
      hasLost = true
      unknown.insert(version)
    } else {
      for channel in releases.keys { releases[channel]?.removeAll { $0.version == version } }
    }
  }

  /// A verb that ends well leaves nothing unfinished behind.
  mutating func settle() {
    lagging = [:]
    isUnfinished = false
  }
}
