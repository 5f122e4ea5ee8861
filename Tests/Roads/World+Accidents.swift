import Foundation
import Glibc
import OTAFeed
import OTAManifest
import TestSupport

@testable import ParserPublisher

extension World {
  // MARK: Killed

  /// Kills a verb in the middle. What it left must be the old state or the new one, and the same command must finish it.
  func kill(
    _ attempt: Attempt, afterWrites: Int, again: Bool, _ before: [String: [UInt8]]
  ) async throws {
    let host = StoppingHost(DirectoryHost(root: feed), afterWrites: afterWrites)
    log.append("\(attempt.command)   # killed after \(afterWrites) writes")
    let wasUnfinished = model.isUnfinished
    var problem: Problem?
    do { try await attempt.run(host) } catch let caught as Problem { problem = caught }
    guard host.isStopped else {
      log.removeLast()
      return try await judge(attempt, problem, before)
    }
    // Whoever refuses writes nothing.
    if case .refused(let reason) = attempt.expectation { throw Self.accepted(attempt, reason) }
    let after = readTree(feed)
    let isNew = try note(attempt, before, after)
    try await settleLoss()
    try await readFolder()
    guard again else { return }
    try await runAgain(attempt, isLive: isNew, wasUnfinished)
    try await settleLoss()
  }

  /// The verb had ended before it could be killed.
  func judge(_ attempt: Attempt, _ problem: Problem?, _ before: [String: [UInt8]]) async throws {
    let known = attempt
    let ended = Attempt(kind: known.kind, command: known.command, expectation: known.expectation) { _ in
      if let problem { throw problem }
    }
    try await carryOut(ended, before)
  }

  /// Finds out whether a killed verb is live; readers may see either state, and old clients the one before.
  private func note(
    _ attempt: Attempt, _ before: [String: [UInt8]], _ after: [String: [UInt8]]
  ) throws -> Bool {
    guard case .done(let next) = attempt.expectation else {
      guard case .either(let next) = attempt.expectation else { return false }
      return adopt(next, before, after)
    }
    return adopt(next, before, after)
  }

  private func adopt(_ next: Model, _ before: [String: [UInt8]], _ after: [String: [UInt8]]) -> Bool {
    if next.rootVersion != model.rootVersion {
      guard after["metadata/\(next.rootVersion).root.json"] != nil else {
        model.isUnfinished = true
        return false
      }
      model = next
      model.isUnfinished = true
      return true
    }
    let channel: Channel = next.releases[.stable] == model.releases[.stable] ? Self.beta : .stable
    let isPointed = before[channel.manifestPath] != after[channel.manifestPath]
    let isCommitted =
      model.isSigned
      ? before["metadata/timestamp.json"] != after["metadata/timestamp.json"] : isPointed
    guard isCommitted, next.head != model.head else {
      model.isUnfinished = true
      return false
    }
    let old = model.live(channel)?.version ?? 0
    let older = model.lagging
    model = next
    model.lagging = older
    if !isPointed { model.lagging[channel] = older[channel] ?? old }
    model.isUnfinished = true
    return true
  }

  /// The same command again finishes the job; what was live already may also be called a step too far.
  private func runAgain(_ attempt: Attempt, isLive: Bool, _ wasUnfinished: Bool) async throws {
    log.append(attempt.command)
    do {
      try await attempt.run(nil)
      switch attempt.expectation {
      case .done(let next), .either(let next):
        if !isLive { model = next }
        // A ceremony leaves alone what another killed command left.
        if ["key", "refresh"].contains(attempt.kind) {
          model.isUnfinished = wasUnfinished
        } else {
          model.settle()
        }
      case .refused(let reason):
        throw Self.accepted(attempt, reason)
      }
    } catch let problem as Problem {
      log.append("# refused: \(problem.code.rawValue) \(problem.message)")
      guard case .done = attempt.expectation, !(isLive && attempt.kind == "rollback") else { return }
      throw Violation(
        "must-finish \(attempt.kind)",
        "\(attempt.command) does not finish: \(problem.code.rawValue) \(problem.message)")
    }
  }

  // MARK: Lost

  /// Takes a file away that an older release needs and no newer one.
  func loseKept(_ file: LostFile, _ places: Int) throws {
    let older = (model.releases[.stable] ?? []).dropLast().suffix(places + 1)
    guard let release = older.first else { return }
    let tree = readTree(feed)
    let folder = "files/releases/\(release.version)/"
    guard
      let manifest = tree.keys.first(where: { $0.hasPrefix(folder) && $0.hasSuffix(".manifest.json") }),
      let path = file == .manifest ? manifest : artifactPath(file, tree[manifest] ?? []),
      tree[path] != nil, !isNeededByLive(path, tree)
    else { return }
    log.append("rm feed/\(path)")
    unlink("\(feed)/\(path)")
    rmdir("\(feed)/\(folder)")
    defer { model.lose(file, of: release.version) }
    for release in model.releases[.stable] ?? [] where isNeeded(path, by: release.version, tree) {
      lost.insert(release.version)
    }
  }

  private func isNeeded(_ path: String, by version: Int64, _ tree: [String: [UInt8]]) -> Bool {
    let folder = "files/releases/\(version)/"
    guard let manifest = tree.first(where: { $0.key.hasPrefix(folder) && $0.key.hasSuffix(".manifest.json") })
    else { return false }
    return manifest.key == path || artifactPath(.bundle, manifest.value) == path
      || artifactPath(.catalog, manifest.value) == path
  }

  private func isNeededByLive(_ path: String, _ tree: [String: [UInt8]]) -> Bool {
    [Channel.stable, Self.beta].contains { channel in
      guard let live = tree[channel.manifestPath] else { return false }
      return artifactPath(.bundle, live) == path || artifactPath(.catalog, live) == path
    }
  }

  private func artifactPath(_ file: LostFile, _ manifest: [UInt8]) -> String? {
    readers.path(file == .catalog ? "sources" : "bundle", in: manifest)
  }

  // MARK: Through git

  /// Commits the folder and goes on from a clone, as a pipeline does; with other line ends nothing may break in silence.
  func checkout(lineEnds: Bool) async throws {
    guard model.exists else { return }
    let other = nextFolder()
    log.append(
      "git -C feed commit -qam feed && git clone -q\(lineEnds ? " -c core.autocrlf=true" : "") feed other; cd other"
    )
    try git("-C", feed, "init", "-q")
    try git("-C", feed, "add", "-A", "-f")
    try git(
      "-C", feed, "-c", "user.name=a", "-c", "user.email=a@b.invalid", "commit", "-q", "--allow-empty", "-m",
      "feed")
    if lineEnds { try await checkoutWithLineEnds() }
    try git("clone", "-q", feed, other)
    feed = other
  }

  private func git(_ arguments: String...) throws {
    let result = try run(
      "/usr/bin/git", ["-c", "core.fsync=none", "-c", "gc.auto=0"] + arguments,
      environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"])
    guard result.status == .exited(0) else { throw SystemFailure("git \(arguments): \(result.errors)") }
  }

  /// A clone whose text files got other line ends is whole all the same, or is refused as damaged here, not by a network.
  private func checkoutWithLineEnds() async throws {
    let other = nextFolder()
    try git("clone", "-q", "-c", "core.autocrlf=true", feed, other)
    guard model.live() != nil, !model.hasLost, !model.isUnfinished else { return }
    do {
      let report = try await Publisher.audit(FeedReader(.directory(other)), root: firstRoot, now: now)
      if report.isSound { return }
    } catch {
      try Self.requireLocal(error, "verify --feed other")
    }
    do {
      let marker = nextMarker()
      let content = Content(bundle: marker, catalog: marker, second: model.live()?.content.second)
      var request = PublishRequest(
        bundlePath: try write("other.js", content.bundleBytes),
        sourcesPath: try write("other.json", content.catalogBytes))
      request.gate.allowances = [Allowance(.noEngine)]
      request.signers = model.isSigned ? try signers(model.releaseKeys) : []
      _ = try await publisher(in: other).publish(request)
    } catch let problem as Problem {
      return try Self.requireLocal(problem, "publish --feed other")
    }
    let report = try await Publisher.audit(FeedReader(.directory(other)), root: firstRoot, now: now)
    guard report.isSound else {
      throw Violation("line-ends", "publish over a checkout with CRLF ends well: \(Self.errors(report))")
    }
  }

  private static func requireLocal(_ problem: Problem, _ command: String) throws {
    guard problem.code.responsibility != .tryLater else {
      throw Violation(
        "line-ends", "\(command) after a checkout with CRLF: \(problem.code.rawValue) \(problem.message)")
    }
  }
}
