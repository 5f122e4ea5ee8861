import Foundation
import OTAFeed
import OTAManifest
import OTAStorage
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

@testable import ParserPublisher

/// A feed of either trust, with the same calls for both.
struct EitherFeed: Sendable {
  let folder: String
  let publisher: Publisher
  let signers: [any MetadataSigner]
  let trust: Trust
  private let request: @Sendable (String) throws -> PublishRequest

  static func make(signed: Bool) async throws -> EitherFeed {
    if signed {
      let feed = try await SignedFeed()
      let signers = [try signer(2)]
      return EitherFeed(
        folder: feed.feed, publisher: feed.publisher, signers: signers,
        trust: .root(try feed.read("metadata/1.root.json"))
      ) { try feed.request($0) }
    }
    let feed = try await TestFeed()
    return EitherFeed(folder: feed.feed, publisher: feed.publisher, signers: [], trust: .checksumsOnly) {
      try feed.request($0)
    }
  }

  private init(
    folder: String, publisher: Publisher, signers: [any MetadataSigner], trust: Trust,
    request: @escaping @Sendable (String) throws -> PublishRequest
  ) {
    (self.folder, self.publisher, self.signers, self.trust) = (folder, publisher, signers, trust)
    self.request = request
  }

  @discardableResult
  func publish(_ marker: String, _ change: (inout PublishRequest) throws -> Void = { _ in }) async throws
    -> PublishReport
  {
    var request = try request(marker)
    request.signers = signers
    try change(&request)
    return try await publisher.publish(request)
  }

  @discardableResult
  func rollout(_ action: RolloutRequest.Action) async throws -> RolloutReport {
    var request = RolloutRequest(action)
    (request.signers, request.date) = (signers, TestFeed.date)
    return try await publisher.rollout(request)
  }

  func rollback() async throws {
    var request = RollbackRequest(date: TestFeed.date, signers: signers)
    request.to = nil
    _ = try await publisher.rollback(request)
  }

  /// What a client reads that knows `version`, `bundle` and `sources` of `manifest.json` and nothing else.
  func oldClient() throws -> Int64 {
    try Manifest.decode(readFile(at: "\(folder)/manifest.json", maxBytes: 1 << 16)).version.number
  }

  /// What is wrong with the feed as a stranger sees it; none when all is well.
  func findings() async throws -> [AuditFinding] {
    var root: [UInt8]?
    if case .root(let bytes) = trust { root = bytes }
    return try await Publisher.audit(FeedReader(.directory(folder)), root: root, now: TestFeed.date).findings
      .filter { $0.severity == .error }
  }
}

/// A real store that reads a feed in a folder.
final class FolderDevice {
  let home: TemporaryDirectory
  var configuration: UpdaterConfiguration

  /// - Parameter install: the name of the device, which decides its buckets; `nil` for one by chance.
  init(_ feed: EitherFeed, embedded: String, install: String? = nil) throws {
    home = try TemporaryDirectory()
    configuration = UpdaterConfiguration(
      directory: home.path("store"), feed: .directory(feed.folder), trust: feed.trust,
      embedded: .directory(embedded))
    if let install {
      plant("{\"format\": 2, \"install\": \"\(install)\"}", at: home.path("store/state.json"))
    }
  }

  func updater() -> Updater {
    Updater(configuration, reader: FeedReader(configuration.feed), now: { TestFeed.date })
  }

  /// Takes what there is, launches and confirms; the number of the release.
  @discardableResult
  func run() async throws -> Int64 {
    _ = try await updater().update()
    return launch()
  }

  func launch() -> Int64 {
    let updater = updater()
    let release = updater.activate()
    updater.confirm(release)
    return release.version?.number ?? 0
  }
}

/// The worked tables of the article, row by row.
@Suite("Rollouts: the worked tables")
struct RolloutTableTests {
  /// A row: what the publisher does, and what runs afterwards.
  struct Row: Sendable, CustomTestStringConvertible {
    let action: String
    let expected: [Int64]
    var testDescription: String { action }
  }

  private static let article =
    BuiltProducts.packageRoot() + "/Sources/ParserUpdater/ParserUpdater.docc/Rollouts.md"

  static let rows: [Row] = {
    do {
      let text = try String(contentsOfFile: article, encoding: .utf8)
      let table = text.components(separatedBy: "| old client | has 38").dropFirst().first ?? ""
      return table.split(separator: "\n").drop { !$0.hasPrefix("| ---") }.dropFirst()
        .prefix { $0.hasPrefix("|") }.map { line in
          let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
          return Row(action: cells[0], expected: cells.dropFirst().compactMap { Int64($0) })
        }
    } catch {
      return []
    }
  }()

  /// The first has a bucket below 1000 for release 38, the other one has not.
  private static let (inside, outside) = (
    "00000000000000000000000000000008", "00000000000000000000000000000000"
  )

  @Test("each row, in both kinds of trust", arguments: rows, [false, true])
  func row(row: Row, signed: Bool) async throws {
    let feed = try await EitherFeed.make(signed: signed)
    // On a feed without signatures the first rollout says once that there are any: 37 is 36 once more.
    try await feed.publish("36") { $0.version = version(36) }
    let home = try TemporaryDirectory()
    _ = try await feed.publisher.embed(nil, channel: .stable, into: home.path("app"))
    if signed { try await feed.publish("37") }
    let early = try FolderDevice(feed, embedded: home.path("app"), install: Self.inside)
    let late = try FolderDevice(feed, embedded: home.path("app"), install: Self.inside)
    let other = try FolderDevice(feed, embedded: home.path("app"), install: Self.outside)
    try await feed.publish("38") { $0.rollout = try RolloutSteps("10%") }
    #expect(try feed.oldClient() == 37)
    #expect(try await early.run() == 38)
    #expect(try await other.run() == 37)
    try await act(row.action, feed)
    #expect(try await feed.findings() == [])
    let runs = [try feed.oldClient(), try await early.run(), try await late.run(), try await other.run()]
    #expect(runs == row.expected)
  }

  @Test("the table is there")
  func table() { #expect(Self.rows.count == 14 && Self.rows.allSatisfy { $0.expected.count == 4 }) }

  private func act(_ action: String, _ feed: EitherFeed) async throws {
    let none = try #require(Share("0%"))
    switch action {
    case "nothing": break
    case "set 0%": try await feed.rollout(.change(.set(none)))
    case "set 100%": try await feed.rollout(.change(.set(.all)))
    case "complete": try await feed.rollout(.complete)
    case "halt": try await feed.rollout(.change(.halt))
    case "halt, resume":
      try await feed.rollout(.change(.halt))
      try await feed.rollout(.change(.resume))
    case "withdraw": try await feed.rollout(.change(.withdraw))
    case "roll back": try await feed.rollback()
    case "withdraw, publish":
      try await feed.rollout(.change(.withdraw))
      try await feed.publish("39")
    case "publish": try await feed.publish("39")
    case "publish to 0%": try await feed.publish("39") { $0.rollout = RolloutSteps(none) }
    case "publish to 0%, critical":
      try await feed.publish("39") { ($0.rollout, $0.isCritical) = (RolloutSteps(none), true) }
    case "withdraw, publish to 0%":
      try await feed.rollout(.change(.withdraw))
      try await feed.publish("39") { $0.rollout = RolloutSteps(none) }
    case "promote from beta":
      let beta = try #require(Channel("beta"))
      try await feed.publish("39") { $0.channel = beta }
      var request = requestWithoutEngine(bundlePath: "", sourcesPath: "")
      (request.signers, request.date) = (feed.signers, TestFeed.date)
      let report = try await feed.publisher.promote(PromoteRequest(from: beta, to: .stable), request)
      #expect(report.manifest.content == version(39))
      #expect(!report.writtenFiles.contains { $0.hasSuffix(".js") }, "nothing but manifests")
    default: Issue.record("the test does not know how to \(action)")
    }
  }
}
