import Foundation
import OTACrypto
import OTAFeed
import OTAManifest
import OTATransfer
import ParserUpdater
import TestSupport

@testable import ParserPublisher

/// Everybody who reads one feed: an old client, devices of ours, python-tuf, and `verify` on its address.
final class Readers {
  /// What is on the host at the moment.
  struct Situation {
    let model: Model
    let tree: [String: [UInt8]]
    /// Whether all files of the live release are there.
    let isWhole: Bool
    let now: Timestamp
    let firstRoot: [UInt8]?
    let mustBeAbsolute: Bool

    /// Another release that may be seen, since the upload was cut short.
    var former: Model.Release?
    /// What that one withdraws; `nil` when there is none.
    var formerlyWithdrawn: [Channel: Set<Int64>]?
    /// Whether something that is signed is out of date.
    var isExpired = false

    var live: Model.Release? { model.live() }

    /// The releases that may be seen as the newest one: one, or two after a kill or a short upload.
    func visible(_ channel: Channel = .stable) -> [Model.Release] {
      let lagging = model.lagging[channel].flatMap { model.release($0, channel) }
      return [model.live(channel), lagging, channel == .stable ? former : nil].compactMap(\.self)
    }
  }

  private let place: Place
  private let url: String
  private let client: String
  private let folder: String
  private let keptPlain: RoadDevice
  private let keptPlainBeta: RoadDevice
  private var keptSigned: RoadDevice?
  private var keptSignedBeta: RoadDevice?
  private var visits = 0
  private var lastTree: [String: [UInt8]] = [:]

  init(_ place: Place, url: String, client: String, folder: String) {
    self.place = place
    self.url = url
    self.client = client
    self.folder = folder
    keptPlain = RoadDevice("kept unsigned device", place, url, "\(folder)/plain", .checksumsOnly)
    keptPlainBeta = RoadDevice(
      "kept unsigned device on beta", place, url, "\(folder)/plain-beta", .checksumsOnly, World.beta)
  }

  func forget() {
    // Only memory is saved by it.
    _ = try? place.readers.ask(["reader": "forget", "client": client])
  }

  /// Where a file of a manifest lies below the feed.
  func path(_ name: String, in manifest: [UInt8]) -> String? {
    guard let object = try? JSONSerialization.jsonObject(with: Data(manifest)) as? [String: Any],
      let part = object[name] as? [String: Any], let text = part["url"] as? String
    else { return nil }
    return text.hasPrefix(url) ? String(text.dropFirst(url.count)) : text
  }

  /// The path of a file of the live stable release.
  func livePath(in tree: [String: [UInt8]], bundle: Bool) -> String? {
    guard let manifest = tree[Channel.stable.manifestPath],
      let path = path(bundle ? "bundle" : "sources", in: manifest), tree[path] != nil
    else { return nil }
    return path
  }

  /// Has everybody look, and compares what they see with the model.
  func read(_ situation: Situation) async throws {
    visits += 1
    let isNews = situation.tree != lastTree
    lastTree = situation.tree
    if situation.live != nil, situation.model.lagging[.stable] != 0 {
      try readAsOldClient(situation)
      try await keptPlain.visit(situation)
      if isNews, visits % 2 == 0 {
        try await fresh("plain", .checksumsOnly).visit(situation)
      }
    }
    if hasBeta(situation), situation.model.lagging[World.beta] != 0 {
      try await keptPlainBeta.visit(situation)
    }
    if situation.model.isSigned { try await readSigned(situation, isNews) }
    // A killed publisher, or one whose upload was cut short, is at work for all that anybody outside can tell.
    if isNews, situation.live != nil, !situation.model.isUnfinished, situation.former == nil {
      try await verify(situation)
    }
  }

  /// Whether beta is there as a whole: the names of its pointers come before those of the files.
  private func hasBeta(_ situation: Situation) -> Bool {
    situation.model.live(World.beta) != nil && situation.former == nil
  }

  private func readSigned(_ situation: Situation, _ isNews: Bool) async throws {
    guard let root = newestRoot(situation) else {
      throw Violation("roots", "no root can be found on the host")
    }
    if keptSigned == nil {
      keptSigned = RoadDevice("kept signed device", place, url, "\(folder)/signed", .root(root))
      keptSignedBeta = RoadDevice(
        "kept signed device on beta", place, url, "\(folder)/signed-beta", .root(root), World.beta)
      _ = try? situation.firstRoot.map { try save($0) }
    }
    if situation.live != nil {
      try await keptSigned?.visit(situation)
      if isNews { try await fresh("signed", .root(situation.firstRoot ?? root)).visit(situation) }
    }
    if hasBeta(situation) { try await keptSignedBeta?.visit(situation) }
    guard place.readers.hasTUF else { return }
    try readAsTUF("kept", "\(folder)/tuf-kept", situation)
    if isNews { try readAsTUF("fresh", "\(folder)/tuf-\(visits)", situation) }
  }

  private func fresh(_ kind: String, _ trust: Trust) -> RoadDevice {
    RoadDevice("fresh \(kind) device", place, url, "\(folder)/fresh-\(kind)-\(visits)", trust)
  }

  private func newestRoot(_ situation: Situation) -> [UInt8]? {
    situation.tree["metadata/\(situation.model.rootVersion).root.json"]
  }

  private var rootFile: String { "\(folder)/first-root.json" }

  private func save(_ root: [UInt8]) throws { try Data(root).write(to: URL(fileURLWithPath: rootFile)) }

  // MARK: The old client

  private func readAsOldClient(_ situation: Situation) throws {
    let answer = try place.readers.ask([
      "reader": "old", "client": client, "url": url, "absolute": situation.mustBeAbsolute,
    ])
    if let error = answer.error {
      guard !situation.isWhole, !error.contains("went back") else {
        throw Violation("old-client", "an old client: \(error)")
      }
      return
    }
    try compare(answer.version, answer.bundle, answer.sources, situation, "an old client")
    if let adopted = situation.model.adopted, situation.model.head - adopted <= PromisedNames.releases {
      let late = try place.readers.ask(["reader": "old", "client": client, "addresses": true])
      if let error = late.error {
        throw Violation("old-addresses", "an old client with the addresses of release \(adopted): \(error)")
      }
    }
  }

  private func compare(
    _ version: Int64?, _ bundle: String?, _ sources: String?, _ situation: Situation, _ who: String
  ) throws {
    guard let version, let seen = situation.visible().first(where: { $0.version == version }) else {
      throw Violation(
        "other-release", "\(who) sees release \(version ?? 0), not \(situation.visible().map(\.version))")
    }
    guard bundle == (try sha256(seen.content.bundleBytes).hex),
      sources == (try sha256(seen.content.catalogBytes).hex)
    else { throw Violation("other-content", "\(who) sees other files than those of release \(version)") }
  }

  // MARK: python-tuf

  private func readAsTUF(_ who: String, _ folder: String, _ situation: Situation) throws {
    let pointers = [Channel.stable, World.beta].filter { situation.model.live($0) != nil }.map(\.manifestPath)
    let needsAll =
      who == "fresh" && situation.isWhole && !situation.model.hasLost && situation.former == nil
    let answer = try place.readers.ask([
      "reader": "tuf", "url": url, "folder": folder, "root": rootFile, "names": needsAll ? [] : pointers,
      "now": situation.now.secondsSinceEpoch,
    ])
    if situation.isExpired { return try requireExpiry(answer.error, "\(who) python-tuf") }
    if let error = answer.error { throw Violation("python-tuf", "\(who) python-tuf: \(error)") }
    guard situation.live != nil else { return }
    guard let target = answer.targets?[Channel.stable.manifestPath] ?? nil else {
      throw Violation("python-tuf", "\(who) python-tuf finds no manifest.json among the signed files")
    }
    try compare(target.version, target.bundle, target.sources, situation, "\(who) python-tuf")
  }

  private func requireExpiry(_ error: String?, _ who: String) throws {
    guard error?.contains("ExpiredMetadata") == true else {
      throw Violation("expiry", "\(who) takes what is out of date: \(error ?? "no error")")
    }
  }

  // MARK: verify

  private func verify(_ situation: Situation) async throws {
    let reader = FeedReader(
      .web(try WebAddress(url)), fetcher: place.fetcher, allowsPlainHTTPOnLoopback: true)
    let report: AuditReport
    do {
      report = try await Publisher.audit(reader, root: situation.firstRoot, now: situation.now)
    } catch {
      throw Violation("verify-url", "verify --feed \(url): \(error.code.rawValue) \(error.message)")
    }
    if situation.model.hasLost || situation.isExpired { return }
    guard report.isSound == situation.isWhole else {
      throw Violation(
        "verify-url",
        situation.isWhole
          ? "verify --feed \(url): \(World.errors(report))"
          : "verify --feed \(url) calls a feed whole whose newest release has no \("bundle or catalog")")
    }
  }
}
