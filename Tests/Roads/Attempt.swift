import OTACrypto
import OTAFeed
import OTAManifest
import OTATrust
import TestSupport

@testable import ParserPublisher

/// A verb that is ready to be run: what a person types, what must come of it, and the call.
struct Attempt {
  /// A short name of the verb.
  let kind: String
  /// The command as a person would type it.
  let command: String
  let expectation: Model.Expectation
  /// Runs it, on another host when one is given.
  let run: ((any FeedHost)?) async throws -> Void
}

/// A root on its way from `root prepare` to `root commit`.
struct PreparedRoot {
  var draft: RootDraft
  /// The version of the root that it follows.
  let base: Int
  /// The keys before and after.
  let before: Keys
  let after: Keys
  var isSigned = false
}

/// Whose keys count for a feed, by their numbers.
struct Keys: Equatable {
  var root: [UInt8]
  var release: [UInt8]
}

extension World {
  /// Prepares a verb; `nil` when it means nothing here.
  func attempt(at verb: Verb) async throws -> Attempt? {
    switch verb {
    case .publish(let publication, let isBeta): return try publish(publication, Self.channel(isBeta))
    case .rollback(let target, let isBeta): return rollback(target, Self.channel(isBeta))
    case .refresh(let force): return refresh(force: force)
    case .key(let change): return try key(change)
    case .rootPrepare(let change): return rootPrepare(change)
    case .rootSign: return rootSign()
    case .rootCommit: return rootCommit()
    case .startAgain: return initialise("again", signed: model.isSigned)
    case .sign: return sign()
    case .repair: return repair()
    case .start, .startOverLive, .loseSettings, .loseKept, .checkout, .killed, .together: return nil
    }
  }

  static let beta = Channel("beta") ?? .stable

  static func channel(_ isBeta: Bool) -> Channel { isBeta ? beta : .stable }

  private var keyOptions: String { model.isSigned ? " " + Self.options("release", model.releaseKeys) : "" }

  static func options(_ role: String, _ keys: [UInt8]) -> String {
    keys.map { "--\(role)-key k\($0).pem" }.joined(separator: " ")
  }

  private static func channelOption(_ channel: Channel) -> String {
    channel == .stable ? "" : " --channel \(channel.name)"
  }

  // MARK: Releases

  private func publish(_ publication: Publication, _ channel: Channel) throws -> Attempt? {
    let live = model.live(channel)?.content
    guard var wanted = content(publication, live, channel) else { return nil }
    if live == nil, channel != .stable { meanDifferences(from: model.live(.stable)?.content, &wanted) }
    var words = "parser-ota publish --feed feed\(Self.channelOption(channel))"
    words += " --bundle \(wanted.content.names.bundle) --sources \(wanted.content.names.catalog)"
    words += " --allow no-engine" + wanted.options.map { " \($0)" }.joined() + keyOptions
    var request = PublishRequest(
      bundlePath: try write(wanted.content.names.bundle, wanted.content.bundleBytes),
      sourcesPath: try write(wanted.content.names.catalog, wanted.content.catalogBytes), channel: channel)
    request.gate.allowances = [Allowance(.noEngine)] + wanted.allowances
    request.allowedRemovals = wanted.removals
    request.aliases = wanted.aliases
    request.signers = model.isSigned ? try signers(model.releaseKeys) : []
    let expected =
      wanted.refusal.map { Model.Expectation.refused($0) }
      ?? model.publishing(
        wanted.content, channel, allowed: wanted.isWithdrawnAllowed, date: now.secondsSinceEpoch,
        aliases: wanted.aliases)
    let head = model.head
    let isNew = live != wanted.content
    return Attempt(kind: "publish", command: words, expectation: expected) { [self] host in
      let report = try await publisher(host).publish(request)
      // A publish that finishes what was killed has the number already.
      guard report.outcome == (isNew ? .published : .nothingToPublish) || model.isUnfinished else {
        throw Violation("publish-outcome", "\(words) ended with \(report.outcome.rawValue)")
      }
      guard !isNew || report.manifest.version.number == head + 1 else {
        throw Violation("number", "\(words) made release \(report.manifest.version), after \(head)")
      }
    }
  }

  /// The first release of a channel is compared with the live one of stable: what differs is meant.
  private func meanDifferences(from stable: Content?, _ wish: inout Wish) {
    guard let stable else { return }
    let gone = stable.ids.filter { !wish.content.ids.contains($0) && !wish.removals.contains($0) }
    wish.options += gone.map { "--allow-removed \($0)" }
    wish.removals += gone
    if wish.content.isLong, !stable.isLong {
      wish.options.append("--allow size")
      wish.allowances.append(Allowance(.size))
    }
  }

  private func rollback(_ target: Target, _ channel: Channel) -> Attempt? {
    var named: Model.Release?
    switch target {
    case .plain: break
    case .back(let places):
      let all = model.releases[channel] ?? []
      guard all.count > places else { return nil }
      named = all[all.count - 1 - places]
    case .withdrawn:
      named = model.releases[channel]?.last { model.isWithdrawn($0, channel) }
      guard named != nil else { return nil }
    case .adopted:
      guard channel == .stable, let adopted = model.adopted else { return nil }
      named = model.release(adopted)
      guard named != nil else { return nil }
    }
    let isNamed = target != .plain
    let isAllowed = target == .withdrawn(allowed: true)
    let goal = named ?? model.newestGood(channel)
    var words = "parser-ota rollback --feed feed\(Self.channelOption(channel)) --yes"
    if let named { words += " --to \(named.version)" }
    if isAllowed { words += " --allow-withdrawn" }
    words += keyOptions
    let expected = model.rollingBack(
      goal, isNamed: isNamed, allowed: isAllowed, channel, date: now.secondsSinceEpoch)
    let (isSigned, keys) = (model.isSigned, model.releaseKeys)
    let finished = model.isFinishing(goal, isNamed: isNamed, channel) ? model.live(channel) : nil
    return Attempt(kind: "rollback", command: words, expectation: expected) { [self] host in
      var request = RollbackRequest(
        channel: channel, to: named.flatMap { ReleaseVersion($0.version) },
        signers: isSigned ? try signers(keys) : [])
      request.allowsWithdrawn = isAllowed
      let report = try await publisher(host).rollback(request)
      guard let goal = finished ?? goal,
        report.manifest.bundle.sha256 == (try sha256(goal.content.bundleBytes)),
        report.manifest.sources.sha256 == (try sha256(goal.content.catalogBytes))
      else {
        throw Violation(
          "rollback-content", "\(words) did not take release \(goal?.version ?? 0) but others' files")
      }
    }
  }

  private func refresh(force: Bool) -> Attempt {
    var after = model
    // A refresh does not move pointers, so what is unfinished stays so.
    if !model.isUnfinished { after.settle() }
    let expected: Model.Expectation =
      !model.exists || !model.isSigned ? .refused("nothing is signed") : .done(after)
    let keys = model.releaseKeys
    let words = "parser-ota refresh --feed feed\(force ? " --force" : "") \(Self.options("release", keys))"
    return Attempt(kind: "refresh", command: words, expectation: expected) { [self] host in
      _ = try await publisher(host).refresh(signers: try signers(keys), force: force)
    }
  }

  // MARK: What is published

  /// Files to publish, and what has to be said about them.
  private struct Wish {
    var content: Content
    var options: [String] = []
    var allowances: [Allowance] = []
    var removals: [String] = []
    var aliases: [SourceAlias] = []
    var refusal: String?
    var isWithdrawnAllowed = false
  }

  private func content(_ publication: Publication, _ live: Content?, _ channel: Channel) -> Wish? {
    var content = Content(bundle: nextMarker(), catalog: nextMarker(), second: live?.second ?? 0)
    if let live { content.second = live.second }
    switch publication {
    case .new: return Wish(content: content)
    case .same: return live.map { Wish(content: $0) }
    case .newBundleOnly:
      guard let live else { return nil }
      content.catalog = live.catalog
      return Wish(content: content)
    case .newCatalogOnly:
      guard let live else { return nil }
      content.bundle = live.bundle
      content.isLong = live.isLong
      return Wish(content: content)
    case .renamed: return renamed(content, live)
    case .removed(let isAllowed): return removed(content, live, isAllowed)
    case .grown(let isAllowed):
      guard let live, !live.isLong else { return nil }
      content.isLong = true
      return isAllowed
        ? Wish(content: content, options: ["--allow size"], allowances: [Allowance(.size)])
        : Wish(content: content, refusal: "the bundle has more than doubled")
    case .withdrawn(let isAllowed):
      guard let old = withdrawnContent(channel) else { return nil }
      return old.isLong && live?.isLong == false ? nil : again(old, live, isAllowed)
    case .promoted:
      guard let other = model.live(channel == .stable ? Self.beta : .stable)?.content else { return nil }
      return other.isLong && live?.isLong == false ? nil : again(other, live, false)
    case .earlier:
      guard
        let old = model.releases[channel]?.dropLast().last(where: {
          $0.content != live && model.withdrawnTwins($0.content).isEmpty
        })?.content
      else { return nil }
      return old.isLong && live?.isLong == false ? nil : again(old, live, false)
    }
  }

  private func withdrawnContent(_ channel: Channel) -> Content? {
    let live = model.live(channel)?.content
    let kept = model.releases[channel]?.last { model.isWithdrawn($0, channel) && $0.content != live }
    // A job may run again for a release that is no longer kept.
    let gone = model.remembered[channel]?.filter { $0.value != live }.max { $0.key < $1.key }
    return kept?.content ?? gone?.value
  }

  /// Files that were published before; sources that go with that are meant to go.
  private func again(_ old: Content, _ live: Content?, _ isAllowed: Bool) -> Wish {
    let gone = (live?.ids ?? []).filter { !old.ids.contains($0) }
    var wish = Wish(content: old, options: gone.map { "--allow-removed \($0)" }, removals: gone)
    if isAllowed { allowWithdrawn(&wish.options, &wish.allowances) }
    wish.isWithdrawnAllowed = isAllowed
    return wish
  }

  private func renamed(_ content: Content, _ live: Content?) -> Wish? {
    guard let second = live?.second else { return nil }
    var content = content
    content.second = nextMarker()
    let (old, new) = (Content.secondID(second), Content.secondID(content.second ?? 0))
    return Wish(
      content: content, options: ["--alias \(old)=\(new)"], aliases: [SourceAlias(old: old, new: new)])
  }

  private func removed(_ content: Content, _ live: Content?, _ isAllowed: Bool) -> Wish? {
    guard let second = live?.second else { return nil }
    var content = content
    content.second = nil
    let id = Content.secondID(second)
    return isAllowed
      ? Wish(content: content, options: ["--allow-removed \(id)"], removals: [id])
      : Wish(content: content, refusal: "a source would be gone")
  }
}
