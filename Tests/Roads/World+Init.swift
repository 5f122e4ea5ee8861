import Glibc
import OTACrypto
import OTAFeed
import OTAManifest
import TestSupport

@testable import ParserPublisher

/// The feed from before the tool that a sequence may begin with.
enum OldFeed {
  static let version: Int64 = 28
  static let content = Content(bundle: 1000, catalog: 1000)

  /// Its files as an old publisher makes them.
  static func tree(_ shape: OldShape, url: String) throws -> [String: [UInt8]] {
    let (bundle, catalog) = (content.bundleBytes, content.catalogBytes)
    let folder = shape == .numbered ? "v28/" : ""
    let base = shape == .relative ? "" : url
    func part(_ name: String, _ bytes: [UInt8]) throws -> String {
      #"{ "url": "\#(base)\#(folder)\#(name)", "sha256": "\#(try sha256(bytes).hex)", "bytes": \#(bytes.count) }"#
    }
    let manifest = """
      {
        "version": \(version),
        "bundle": \(try part("parsers.bundle.js", bundle)),
        "sources": \(try part("sources.json", catalog))
      }

      """
    return [
      "manifest.json": Array(manifest.utf8), "\(folder)parsers.bundle.js": bundle,
      "\(folder)sources.json": catalog,
    ]
  }
}

extension World {
  /// The first step: there may be a live feed, and it is taken over or, by mistake, not mentioned.
  func begin(_ start: Start) async throws {
    guard !model.exists else { return }
    self.start = start
    if start.source != .nothing { try await beginOldFeed(start.shape) }
    if start.source == .unmentioned {
      let attempt = initialise(
        "unmentioned", signed: start.isSigned, keep: start.keep, refusal: Self.numbersBelow)
      try await carryOut(attempt, [:])
      _ = try run("/bin/rm", ["-rf", "--", feed])
    }
    let source = start.source == .unmentioned ? .address : start.source
    if source == .folder || source == .inPlace {
      let old = source == .folder ? "\(folder)/old" : feed
      for (path, bytes) in try OldFeed.tree(start.shape, url: url) { try plant(bytes, "\(old)/\(path)") }
    }
    try await carryOut(
      initialise("start", signed: start.isSigned, keep: start.keep, adopting: source), readTree(feed))
    if model.isSigned { firstRoot = fileBytes("\(feed)/metadata/1.root.json") }
  }

  private static let numbersBelow = "D2: the live feed has release 28, and the numbers would begin anew"

  private func beginOldFeed(_ shape: OldShape) async throws {
    let tree = try OldFeed.tree(shape, url: url)
    var old = Model()
    old.head = OldFeed.version
    old.releases[.stable] = [
      Model.Release(version: OldFeed.version, content: OldFeed.content, isRollback: false, date: 0)
    ]
    place.sites.deploy(tree, to: site)
    hosted = Hosted(tree: tree, model: old, isWhole: true)
    try await readers.read(
      Readers.Situation(
        model: old, tree: tree, isWhole: true, now: now, firstRoot: nil, mustBeAbsolute: shape != .relative))
  }

  private func plant(_ bytes: [UInt8], _ path: String) throws {
    var walked = ""
    for part in path.split(separator: "/").dropLast() {
      walked += "/\(part)"
      mkdir(walked, 0o755)
    }
    guard let file = fopen(path, "w") else { throw SystemFailure("open \(path)") }
    defer { fclose(file) }
    fwrite(bytes, 1, bytes.count, file)
  }

  /// `init`, for the first time or again.
  func initialise(
    _ kind: String, signed: Bool, keep: Int? = nil, adopting source: Start.Source? = nil,
    in folder: String? = nil, isSparse: Bool = false, refusal: String? = nil
  ) -> Attempt {
    var after = model
    after.exists = true
    if signed, !model.isSigned {
      (after.isSigned, after.rootVersion) = (true, 1)
      (after.rootKeys, after.releaseKeys) = ([1], [2])
    }
    if let keep { after.keep = keep }
    if let source, source != .nothing {
      after.head = OldFeed.version
      after.adopted = OldFeed.version
      after.releases[.stable] = [
        Model.Release(version: OldFeed.version, content: OldFeed.content, isRollback: false, date: 0)
      ]
    }
    let adopt = source == .address ? url : source == .folder ? "\(self.folder)/old" : nil
    let target = folder ?? feed
    var words = "parser-ota init --feed \(folder == nil ? "feed" : "other")"
    if !isSparse { words += " --base-url \(url)" }
    if let adopt { words += " --adopt \(adopt.hasPrefix("/") ? "old" : adopt)" }
    if let keep { words += " --keep \(keep)" }
    words +=
      signed
      ? " " + Self.options("root", after.rootKeys) + " " + Self.options("release", after.releaseKeys)
      : " --checksums-only"
    let (roots, releases, moment) = (after.rootKeys, after.releaseKeys, now)
    let expected: Model.Expectation = refusal.map { .refused($0) } ?? .done(after)
    return Attempt(kind: "init-\(kind)", command: words, expectation: expected) { [self] _ in
      let trust: InitTrust =
        signed
        ? .signed(rootSigners: try signers(roots), releaseSigners: try signers(releases)) : .checksumsOnly
      let request = InitRequest(
        directory: target, baseURL: isSparse ? nil : try WebAddress(url),
        adopt: try adopt.map { try FeedLocation($0) }, allowsPlainHTTPOnLoopback: true, keptReleases: keep,
        trust: trust, date: moment)
      _ = try await Publisher.initialise(request)
    }
  }

  func sign() -> Attempt? {
    guard model.exists, !model.isSigned else { return nil }
    let attempt = initialise("sign", signed: true)
    var expected = attempt.expectation
    // Who signs what is lost would promise it.
    if model.hasLost, case .done(let after) = expected { expected = .either(after) }
    return Attempt(kind: attempt.kind, command: attempt.command, expectation: expected) {
      [self] host in
      try await attempt.run(host)
      firstRoot = fileBytes("\(feed)/metadata/1.root.json")
    }
  }

  /// The copied pipeline: `init` into a new folder with the address of a feed that is live.
  func beginOverLive() async throws {
    // A live feed without a stable release shows no number at its address.
    guard model.exists, let live = hosted?.model.live() else { return }
    let other = nextFolder()
    let (before, kept) = (readTree(feed), model)
    model = Model()
    defer { model = kept }
    let attempt = initialise(
      "over-live", signed: kept.isSigned, in: other,
      refusal: "D2: the live feed has release \(live.version), and the numbers would begin anew")
    log.append(attempt.command)
    do {
      try await attempt.run(nil)
    } catch is Problem {
      guard readTree(feed) == before else { throw Violation("other-feed-changed", attempt.command) }
      return
    }
    throw Violation(
      "must-refuse init-over-live D2", "\(attempt.command) is accepted over release \(live.version)")
  }

  /// The hidden folder is left out by an upload, and what the hint says is typed.
  func loseSettings() async throws {
    // Who loses what says that a publish was killed, too, is not helped by any of this.
    guard model.exists, !model.isUnfinished else { return }
    log.append("rm -rf feed/.parser-ota")
    _ = try run("/bin/rm", ["-rf", "--", "\(feed)/.parser-ota"])
    let before = readTree(feed)
    // Without a release there is nothing to read an address from, and the person begins as at first.
    let attempt = initialise(
      "settings-lost", signed: model.isSigned, keep: model.keep, isSparse: model.live() != nil)
    log.append(attempt.command)
    do {
      try await attempt.run(nil)
    } catch let problem as Problem {
      log.append("# refused: \(problem.code.rawValue) \(problem.message)")
      let again = initialise("settings-lost", signed: model.isSigned, keep: model.keep)
      try await carryOut(again, before)
    }
  }
}
