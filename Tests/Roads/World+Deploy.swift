import Foundation
import OTAManifest

@testable import ParserPublisher

extension World {
  // MARK: An upload that was cut short

  /// What is on the host when an upload in the order of the names, which removes nothing, ends too early.
  ///
  /// `nil` when nothing can be promised in between: there was no feed before, or the keys are others.
  func cutShort(_ percent: Int, _ tree: [String: [UInt8]]) -> Hosted? {
    guard let before = hosted, before.isWhole, before.former == nil, let old = before.model.live(),
      before.model.isSigned == model.isSigned, before.model.rootVersion == model.rootVersion,
      before.model.lagging.isEmpty, model.lagging.isEmpty, model.live() != nil
    else { return nil }
    let changed = tree.keys.filter { tree[$0] != before.tree[$0] }.sorted {
      Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8))
    }
    let sent = changed.prefix(changed.count * percent / 100)
    var mixed = before.tree
    for path in sent { mixed[path] = tree[path] }
    log.append("rsync -a feed/ host/   # cut short after \(sent.count) of \(changed.count) files")
    return Hosted(
      tree: mixed, model: model, isWhole: true, former: old, formerlyWithdrawn: before.model.withdrawn)
  }

  // MARK: Time that passes

  /// The signed files of a tree that are out of date by now; none on a feed without signatures.
  func expired(_ tree: [String: [UInt8]]) throws -> [String] {
    guard now > Self.beginning.advanced(bySeconds: 29 * 86_400), let timestamp = signed("timestamp", tree)
    else {
      return []
    }
    let snapshot = signed("\(version(of: "snapshot.json", in: timestamp)).snapshot", tree)
    let targets = snapshot.flatMap { signed("\(version(of: "targets.json", in: $0)).targets", tree) }
    let root = signed("\(model.rootVersion).root", tree)
    let all = [("timestamp", timestamp), ("snapshot", snapshot), ("targets", targets), ("root", root)]
    return all.filter { isOver($0.1) }.map(\.0)
  }

  private func signed(_ name: String, _ tree: [String: [UInt8]]) -> [String: Any]? {
    guard let bytes = tree["metadata/\(name).json"],
      let file = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    else { return nil }
    return file["signed"] as? [String: Any]
  }

  private func version(of name: String, in signed: [String: Any]) -> Int {
    let entry = (signed["meta"] as? [String: Any])?[name] as? [String: Any]
    return entry?["version"] as? Int ?? 0
  }

  private func isOver(_ signed: [String: Any]?) -> Bool {
    guard let expires = (signed?["expires"] as? String).flatMap({ Timestamp($0) }) else { return false }
    return expires <= now
  }

  /// What makes a release or signs anew leaves nothing that is out of date but a root.
  func requireFresh(_ attempt: Attempt, after head: Int64) throws {
    let old = try expired(readTree(feed)).filter { $0 != "root" }
    guard attempt.kind == "refresh" || model.head != head, !old.isEmpty else { return }
    throw Violation("stale", "\(attempt.command) ended well, and \(old) are out of date")
  }

  // MARK: Two publishers

  /// The second publisher begins and ends between what the first one read and what it writes: one of them must lose.
  func race(_ first: Verb, _ second: Verb, _ before: [String: [UInt8]]) async throws {
    guard let attempt = try await attempt(at: first), let other = try await self.attempt(at: second) else {
      return
    }
    let (head, timestamp) = (model.head, before["metadata/timestamp.json"])
    let wasUnfinished = model.isUnfinished
    var between = before
    let host = SharedHost(DirectoryHost(root: feed)) { [self] in
      try await carryOut(other, before)
      between = readTree(feed)
    }
    log.append("\(attempt.command) & # reads the feed, then waits for:")
    var problem: Problem?
    do { try await attempt.run(host) } catch let caught as Problem { problem = caught }
    if let fault = host.fault { throw fault }
    guard host.hasCome, publicFiles(between) != publicFiles(before) else {
      log.removeLast()
      return try await judge(attempt, problem, between)
    }
    if let problem {
      log.append("# the first one is refused: \(problem.code.rawValue) \(problem.message)")
      guard problem.code == .conflict else {
        throw Violation(
          "race \(attempt.kind)",
          "\(attempt.command) loses against \(other.command) with \(problem.code.rawValue)")
      }
      return try requireUnchanged(between, attempt, wasUnfinished)
    }
    guard model.head == head, between["metadata/timestamp.json"] == timestamp,
      case .done(var next) = attempt.expectation
    else {
      throw Violation("both-win \(attempt.kind)", "\(attempt.command) and \(other.command) both end well")
    }
    // The other one made a root, which every release goes with.
    (next.rootKeys, next.releaseKeys, next.rootVersion) =
      (model.rootKeys, model.releaseKeys, model.rootVersion)
    model = next
  }

  private func publicFiles(_ tree: [String: [UInt8]]) -> [String: [UInt8]] {
    tree.filter { !$0.key.hasPrefix(".parser-ota/") }
  }
}
