package import OTACrypto
internal import OTAFeed
public import OTAManifest
internal import OTAStorage
internal import Synchronization

/// Serves the folder of a feed on this machine with faults, so that an app proves its own recovery.
///
/// Each connection has a thread. Everything can be changed while it runs, from the program or over a URL. The server
/// ends with `stop()`, or when it is released.
public final class FaultServer: Sendable {
  /// What came, and what it met.
  public struct Record: Equatable, Sendable {
    /// The method.
    public let method: String
    /// The path without its first slash.
    public let path: String
    /// The first byte that was asked for; `nil` for the whole file.
    public let firstByte: Int?
    /// The fault that it met; `nil` for a good answer.
    public let fault: FaultRule?
    /// The status of the answer; 0 for none.
    public let status: Int
    /// Which connection it came over, from 1.
    public let connection: Int
    /// Milliseconds since the server started.
    public let milliseconds: Int
  }

  private struct Books {
    var plan = FaultPlan(FaultScript())
    var remembered: [String: [UInt8]] = [:]
    var records: [Record] = []
    var stopRequested = false
  }

  /// How many requests are remembered; the oldest go first.
  static let maxRecords = 10_000

  /// The port that it listens on.
  public let port: Int
  private let files: FeedFiles
  private let forger: TimestampForger
  private let books = Mutex(Books())
  private let listener: Listener
  private let start = SystemClock.monotonicNanoseconds()

  /// Starts to serve a folder.
  ///
  /// - Parameters:
  ///   - feed: the folder of the feed; read anew for each request, so a publish shows at once.
  ///   - port: 0 for one that the system chooses.
  ///   - isV6: listens on `::1` instead of `127.0.0.1`.
  ///   - older: a copy of an earlier state of the feed for `replay`; `nil` for the state at the start.
  /// - Throws: `input-missing` when the folder is no feed, `storage-failed` when the port cannot be had.
  public convenience init(feed: String, port: Int = 0, isV6: Bool = false, older: String? = nil)
    throws(Problem)
  {
    try self.init(feed: feed, port: port, isV6: isV6, older: older, keys: [])
  }

  /// Starts to serve a folder with keys for metadata that has run out.
  package init(
    feed: String, port: Int, isV6: Bool, older: String?, keys: [PrivateKey]
  ) throws(Problem) {
    files = FeedFiles(root: feed)
    guard files.file(Channel.stable.manifestPath) != nil || files.isSigned else {
      throw Problem(
        .notAFeed, "\(feed) is not a feed: it has no manifest.json",
        advice: "give the folder that init and publish made")
    }
    do {
      forger = try TimestampForger(keys: keys)
    } catch {
      throw Problem(.cryptoUnavailable, "no key can be made on this machine: \(error.message)")
    }
    listener = try Listener(port: port, isV6: isV6)
    self.port = listener.port
    remember(older.map(FeedFiles.init(root:)) ?? files)
    listener.start { [weak self] request, connection in
      self?.answer(request, connection) ?? FaultAnswer(steps: [])
    }
  }

  deinit { listener.wake() }

  /// The address of the feed, such as `http://127.0.0.1:41234/`.
  public var url: String { "http://\(listener.host):\(port)/" }

  /// The address through which another program sets faults.
  public var controlURL: String { url + FaultControl.path }

  /// Ends every connection and waits for the threads; once is enough.
  public func stop() { listener.stop() }

  /// Whether a request to the control address asked the server to end.
  public var isStopRequested: Bool { books.withLock { $0.stopRequested } }

  // MARK: Faults

  /// Replaces the faults; no rules for a good host.
  ///
  /// - Throws: `input-refused` for a fault that this feed cannot have.
  public func set(_ rules: [FaultRule]) throws(Problem) { try set(FaultScript(rules)) }

  /// Replaces the faults by a script, from its first step on.
  ///
  /// - Throws: `input-refused` for a fault that this feed cannot have.
  public func set(_ script: FaultScript) throws(Problem) {
    for rule in script.steps.joined() { try requirePossible(rule.fault) }
    books.withLock { $0.plan = FaultPlan(script) }
  }

  /// The rules that hold now, and the number of the step that they are, from 0.
  public var current: (rules: [FaultRule], step: Int) { books.withLock { ($0.plan.rules, $0.plan.step) } }

  /// Ends the step of a script that holds.
  public func next() { books.withLock { $0.plan.next() } }

  /// Remembers the state of the feed, for `replay`.
  public func remember() { remember(files) }

  /// What came so far, oldest first; at most 10 000 requests.
  public var records: [Record] { books.withLock { $0.records } }

  /// Forgets what came.
  public func forgetRecords() { books.withLock { $0.records = [] } }

  func requestStop() { books.withLock { $0.stopRequested = true } }

  private func remember(_ files: FeedFiles) {
    var state: [String: [UInt8]] = [:]
    for path in files.pointers { state[path] = files.file(path) }
    books.withLock { $0.remembered = state }
  }

  private func requirePossible(_ fault: Fault) throws(Problem) {
    if fault.needsSignatures, !files.isSigned {
      throw Problem(
        .inputRefused, "the fault \(fault.rawValue) needs a signed feed, and this one has no signatures",
        advice: "make the feed with parser-ota init --root-key and --release-key")
    }
    if fault == .expired, forger.keys.isEmpty {
      throw Problem(
        .inputRefused, "the fault expired needs the key that signs the timestamp",
        advice: "give --release-key FILE, of a feed that is made for tests")
    }
  }

  // MARK: Answers

  private func answer(_ request: FaultRequest, _ connection: Int) -> FaultAnswer {
    if let answer = FaultControl(server: self).answer(request) { return answer }
    if request.path == FaultyHost.loginPath, current.rules.contains(where: { $0.fault == .portal }) {
      return FaultyHost.loginPage
    }
    let file = files.file(request.path)
    let (rule, remembered) = books.withLock { books in
      let rule = books.plan.rule(for: request.path, isThere: file != nil) { concerns($0, request.path) }
      // A fault in one file would not show where a device gets the same content from another one.
      let hides = !books.plan.rules.isEmpty
      return (rule ?? (hides && request.path == FeedFiles.express ? .hiding : nil), books.remembered)
    }
    let answer = answer(request, file, rule, remembered)
    note(request, rule == .hiding ? nil : rule, answer.status, connection)
    return answer
  }

  private func answer(
    _ request: FaultRequest, _ file: [UInt8]?, _ rule: FaultRule?, _ remembered: [String: [UInt8]]
  ) -> FaultAnswer {
    let content = rule.map { changed(file, $0.fault, request.path, remembered) } ?? file
    let tag = "\"\(content.map(Self.tag) ?? "")\""
    guard let rule else { return GoodHost.answer(request, content, entityTag: tag) }
    if rule.fault.needsFile, content == nil { return GoodHost.answer(request, nil, entityTag: tag) }
    return FaultyHost(
      rule: rule, request: request, file: content ?? [], entityTag: tag, port: port,
      now: Timestamp(secondsSinceEpoch: SystemClock.wallSeconds())
    ).answer
  }

  /// Whether a fault in the content of the feed shows in this file; every other one shows in each.
  private func concerns(_ fault: Fault, _ path: String) -> Bool {
    switch fault {
    case .splitPair: path.hasSuffix(".sources.json")
    case .mixed:
      files.isSigned
        ? files.before(path) != nil : [".parsers.bundle.js", ".sources.json"].contains(where: path.hasSuffix)
    case .replay: files.pointers.contains(path)
    case .expired, .wrongKey: path == FeedLayout.timestamp
    default: true
    }
  }

  private func changed(
    _ file: [UInt8]?, _ fault: Fault, _ path: String, _ remembered: [String: [UInt8]]
  ) -> [UInt8]? {
    guard let file else { return nil }
    do {
      switch fault {
      case .damaged: return FeedFiles.damaged(file)
      case .splitPair: return files.sibling(of: path)
      case .mixed: return files.isSigned ? files.before(path) : files.sibling(of: path)
      case .replay: return remembered[path]
      case .expired:
        return try forger.expired(file, at: Timestamp(secondsSinceEpoch: SystemClock.wallSeconds() - 3600))
      case .wrongKey: return try forger.forged(file)
      default: return file
      }
    } catch {
      // A timestamp that cannot be read is wrong enough as it is.
      return file
    }
  }

  private static func tag(_ bytes: [UInt8]) -> String {
    do { return try String(sha256(bytes).hex.prefix(16)) } catch {
      // Without SHA-256 the length tells states apart well enough for a test.
      return "\(bytes.count)"
    }
  }

  private func note(_ request: FaultRequest, _ rule: FaultRule?, _ status: Int, _ connection: Int) {
    let now = Int((SystemClock.monotonicNanoseconds() - start) / 1_000_000)
    let record = Record(
      method: request.method, path: request.path, firstByte: request.rangeStart, fault: rule, status: status,
      connection: connection, milliseconds: now)
    books.withLock { books in
      books.records.append(record)
      if books.records.count > Self.maxRecords { books.records.removeFirst() }
    }
  }
}

extension FaultRule {
  /// Answers 404 for a file that would hide a fault.
  fileprivate static let hiding = FaultRule(.missing, value: 0)
}
