import Glibc
import OTACrypto
import OTAFeed
import OTAManifest
import OTATransfer
import TestSupport

@testable import ParserPublisher

/// Something that must not be: what was found, and a short kind by which a shrinker knows it again.
package struct Violation: Error, CustomStringConvertible {
  package let kind: String
  package let text: String
  package var description: String { "\(kind): \(text)" }

  init(_ kind: String, _ text: String) {
    self.kind = kind
    self.text = text
  }
}

/// What all sequences share: a host in memory, the readers in Python, one client of libcurl, and where folders are made.
package struct Place {
  let sites: Sites
  let readers: ReaderProcess
  let fetcher: CurlFetcher
  let folder: String

  package init(sites: Sites, readers: ReaderProcess, folder: String) {
    var policy = TransferPolicy()
    policy.allowsPlainHTTPOnLoopback = true
    self.sites = sites
    self.readers = readers
    self.folder = folder
    fetcher = CurlFetcher(policy: policy)
  }
}

/// One feed with its host, its readers and the model of what must be true of them.
final class World {
  /// What is on the host.
  struct Hosted {
    let tree: [String: [UInt8]]
    let model: Model
    let isWhole: Bool
    /// Another release that readers may still see, since the upload was cut short.
    var former: Model.Release?
    /// What that one withdraws.
    var formerlyWithdrawn: [Channel: Set<Int64>]?
  }

  let place: Place
  let site: String
  let folder: String
  var feed: String
  let url: String
  var model = Model()
  var hosted: Hosted?
  static let beginning = Timestamp(secondsSinceEpoch: 1_780_000_000)
  var now = beginning
  /// The commands so far, as a person would type them.
  var log: [String] = []
  var start = Start(.nothing, signed: false)
  /// The root that the first apps shipped.
  var firstRoot: [UInt8]?
  var draft: PreparedRoot?
  /// Versions of releases that a lost file may have taken from the feed.
  var lost: Set<Int64> = []
  private var marker = 0
  private var lastKey: UInt8 = 2
  private var folders = 0
  let readers: Readers

  init(_ place: Place, site: String) {
    self.place = place
    self.site = site
    url = place.sites.url(site)
    folder = "\(place.folder)/\(site)"
    feed = "\(folder)/feed"
    mkdir(folder, 0o755)
    readers = Readers(place, url: url, client: site, folder: folder)
  }

  func remove() throws {
    place.sites.deploy(nil, to: site)
    readers.forget()
    _ = try run("/bin/rm", ["-rf", "--", folder])
  }

  func nextMarker() -> Int {
    marker += 1
    return marker
  }

  func nextKey() -> UInt8 {
    lastKey += 1
    return lastKey
  }

  /// A path for another copy of the feed.
  func nextFolder() -> String {
    folders += 1
    return "\(folder)/feed-\(folders)"
  }

  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = "\(folder)/\(name)"
    guard let file = fopen(path, "w") else { throw SystemFailure("open \(path)") }
    defer { fclose(file) }
    fwrite(bytes, 1, bytes.count, file)
    return path
  }

  func publisher(_ host: (any FeedHost)? = nil, in folder: String? = nil) -> Publisher {
    let moment = now
    let folder = folder ?? feed
    return Publisher(host: host ?? DirectoryHost(root: folder), place: "feed") { moment }
  }

  func signers(_ numbers: [UInt8]) throws -> [any MetadataSigner] {
    try Set(numbers).sorted().map {
      KeySigner(try PrivateKey(seed: [UInt8](repeating: $0, count: 32)))
    }
  }

  // MARK: Steps

  func play(_ step: Step) async throws {
    now = now.advanced(bySeconds: Int64(step.minutes) * 60)
    if step.minutes >= 60 { log.append("# \(step.minutes) minutes later") }
    let before = readTree(feed)
    try await perform(step.verb, before)
    let after = readTree(feed)
    if after != before || hosted == nil { try await readFolder() }
    try await deploy(step.deploy, after)
  }

  private func perform(_ verb: Verb, _ before: [String: [UInt8]]) async throws {
    switch verb {
    case .start(let start): try await begin(start)
    case .startOverLive: try await beginOverLive()
    case .loseSettings: try await loseSettings()
    case .loseKept(let file, let place): try loseKept(file, place)
    case .checkout(let lineEnds): try await checkout(lineEnds: lineEnds)
    case .killed(let inner, let writes, let again):
      guard let attempt = try await attempt(at: inner) else { return }
      try await kill(attempt, afterWrites: writes, again: again, before)
    case .together(let first, let second):
      try await race(first, second, before)
    default:
      guard let attempt = try await attempt(at: verb) else { return }
      try await carryOut(attempt, before)
    }
  }

  /// Runs a verb to its end, and compares what came of it with what the model says.
  func carryOut(_ attempt: Attempt, _ before: [String: [UInt8]]) async throws {
    log.append(attempt.command)
    let (wasUnfinished, head) = (model.isUnfinished, model.head)
    do {
      try await attempt.run(nil)
    } catch let problem as Problem {
      log.append("# refused: \(problem.code.rawValue) \(problem.message)")
      if case .done = attempt.expectation {
        throw Violation(
          "must-work \(attempt.kind)",
          "\(attempt.command) is refused: \(problem.code.rawValue) \(problem.message)")
      }
      try requireUnchanged(before, attempt, wasUnfinished)
      return
    }
    switch attempt.expectation {
    case .refused(let reason):
      throw Self.accepted(attempt, reason)
    case .done(let after), .either(let after): model = after
    }
    try await settleLoss()
    guard try expired(readTree(feed)).isEmpty else { return try requireFresh(attempt, after: head) }
    if model.hasLost, attempt.kind == "repair" {
      throw Violation("repair", "\(attempt.command) ended well, and the feed is not whole")
    }
  }

  static func accepted(_ attempt: Attempt, _ reason: String) -> Violation {
    let fault = reason.prefix { $0 != ":" }
    return Violation(
      "must-refuse \(attempt.kind)\(fault.count < 4 ? " \(fault)" : "")",
      "\(attempt.command) is accepted, although \(reason)")
  }

  func requireUnchanged(
    _ before: [String: [UInt8]], _ attempt: Attempt, _ wasUnfinished: Bool
  ) throws {
    let after = readTree(feed)
    // What an interrupted verb left may be tidied up by any other one; what readers see stays.
    let changed = Set(before.keys).union(after.keys).filter { path in
      before[path] != after[path] && !path.hasPrefix(".parser-ota/")
        && !(wasUnfinished && before[path] == nil) && !path.contains(".tmp-")
    }
    guard changed.isEmpty else {
      throw Violation(
        "refused-but-changed", "\(attempt.command) was refused and changed \(changed.sorted())")
    }
  }

  /// Puts the folder on the host, and has all readers look at it.
  private func deploy(_ deploy: Deploy, _ tree: [String: [UInt8]]) async throws {
    guard deploy != .nothing, model.exists else { return }
    if case .cutShort(let percent) = deploy, let cut = cutShort(percent, tree) {
      hosted = cut
    } else {
      var tree = tree
      var isWhole = true
      if [.withoutBundle, .withoutCatalog].contains(deploy),
        let live = readers.livePath(in: tree, bundle: deploy == .withoutBundle)
      {
        log.append("rsync -a --delete --exclude \(live) feed/ host/")
        tree[live] = nil
        isWhole = false
      } else {
        log.append("rsync -a --delete feed/ host/")
      }
      hosted = Hosted(tree: tree, model: model, isWhole: isWhole)
    }
    place.sites.deploy(hosted?.tree, to: site)
    try await readHost()
  }

  /// `verify` on the folder: a feed that all verbs left well is whole.
  func readFolder() async throws {
    // A killed first publish has no manifest yet for whoever knows only that.
    guard model.exists, model.live() != nil, model.lagging[.stable] != 0 else { return }
    let report: AuditReport
    do {
      report = try await Publisher.audit(FeedReader(.directory(feed)), root: firstRoot, now: now)
    } catch {
      throw Violation("verify-folder", "verify --feed feed: \(error.code.rawValue) \(error.message)")
    }
    if try model.hasLost || !expired(readTree(feed)).isEmpty { return }
    guard report.isSound else {
      throw Violation("verify-folder", "verify --feed feed: \(Self.errors(report))")
    }
  }

  static func errors(_ report: AuditReport) -> String {
    report.findings.filter { $0.severity == .error }.map { "\($0.code) \($0.place): \($0.message)" }
      .joined(separator: "; ")
  }

  private func readHost() async throws {
    guard let hosted else { return }
    var situation = Readers.Situation(
      model: hosted.model, tree: hosted.tree, isWhole: hosted.isWhole, now: now, firstRoot: firstRoot,
      mustBeAbsolute: start.shape != .relative)
    situation.former = hosted.former
    situation.formerlyWithdrawn = hosted.formerlyWithdrawn
    situation.isExpired = try !expired(hosted.tree).isEmpty
    try await readers.read(situation)
  }

  /// What was lost is mended, or given up and no release any more, once a verb says that it is done and `verify` agrees.
  func settleLoss() async throws {
    guard model.hasLost, model.live() != nil else { return }
    let report = try await Publisher.audit(FeedReader(.directory(feed)), root: firstRoot, now: now)
    guard report.isSound else { return }
    model.hasLost = false
    model.unknown = []
    let kept = Set(try await publisher().releases().map(\.version.number))
    for channel in model.releases.keys {
      model.releases[channel]?.removeAll { lost.contains($0.version) && !kept.contains($0.version) }
    }
    lost = []
  }
}
