public import OTAManifest
internal import OTAProcess

/// One running engine with one page: scripts are evaluated in it, and parsers are called.
///
/// Every call ends within its limit, with a value or an `EngineError`; after an error that killed the engine every
/// further call throws that error. The engine goes when the session is closed or let go.
public actor EngineSession {
  private typealias Outcome = Result<JSONValue, EngineError>

  /// Something that was asked of the engine and is not answered yet.
  private struct Pending {
    let what: String
    let limit: Duration
    var deadline: ContinuousClock.Instant
    /// Whether the page is to be asked for its pulse before time counts as over.
    let mayOutlive: Bool
    let resume: CheckedContinuation<Outcome, Never>?
  }

  private static let memoryPause: Duration = .milliseconds(25)
  private static let maxComplaintBytes = 2048
  private static let startKey = "start"
  private static let pulseKey = "pulse"

  private let group: ProgramGroup
  private let limits: EngineLimits
  private let pages: any PageProvider
  private var secrets = PageSecrets()
  /// What the engine did not take yet; its front moves without the rest being copied.
  private var outbox: ArraySlice<UInt8> = []
  private var frames = FrameBuffer()
  private var complaint: [UInt8] = []
  private var pending: [String: Pending] = [:]
  private var requests: [String: Task<Void, Never>] = [:]
  private var logs: [LogLine] = []
  private var messageCount = 0
  private var logCount = 0
  private var lastID = 0
  private var nextMemoryCheck = ContinuousClock.now
  private var end: EngineError?
  /// The most memory that the engine was seen with, in bytes.
  public private(set) var peakMemoryBytes = 0
  /// The process group of the engine.
  package nonisolated let groupID: Int32
  /// How the engine's processes are kept in; `nil` before it is ready.
  public private(set) var confinement: EngineConfinement?

  init(
    command: [String], environment: [String: String], limits: EngineLimits, pages: any PageProvider
  ) throws(CommandFault) {
    let group = try ProgramGroup(command, environment: environment)
    self.group = group
    groupID = group.id
    self.limits = limits
    self.pages = pages
  }

  // MARK: What can be asked

  /// Parses a script without running anything of it.
  public func checkSyntax(of script: EngineScript) async throws(EngineError) {
    try await run(.check, script)
  }

  /// Runs a script at the top level of the page, as apps run a bundle.
  public func evaluate(_ script: EngineScript) async throws(EngineError) {
    try await run(.evaluate, script)
  }

  /// Calls a parser as apps do, and returns what it returned.
  public func call(_ call: ParserCall) async throws(EngineError) -> JSONValue {
    guard call.globalName.isJavaScriptName else {
      throw .call(CallFault(name: "ReferenceError", message: "\(call.globalName) is no name of a global"))
    }
    return try await ask("\(call.method.rawValue) of \(call.source)", within: limits.callTime) { token in
      let arguments = Base64Text.encode(call.arguments.encoded(indented: false))
      return secrets.script("call", token, call.source, call.method.rawValue, arguments, call.globalName)
    }
  }

  /// Gives the page probes, which a bundle can neither find nor change: functions that are put into `probes`.
  ///
  /// The script runs beside the page of the bundle, with a language of its own, and has `probes` and `page`. What these
  /// offer, and what a probe must not do, is told in the article of this module.
  public func install(_ script: EngineScript) async throws(EngineError) {
    try await run(.evaluate, EngineScript(name: script.name, text: secrets.script("install", script.text)))
  }

  /// Calls a probe that was installed, and returns what it returned or what its promise became.
  public func ask(
    _ probe: String, _ arguments: JSONValue, within limit: Duration? = nil
  ) async throws(EngineError) -> JSONValue {
    try await ask("the probe \(probe)", within: limit ?? limits.callTime) { token in
      secrets.script("ask", token, probe, Base64Text.encode(arguments.encoded(indented: false)))
    }
  }

  /// Replaces the page by a new one in the same processes, which takes tens of milliseconds instead of a start.
  ///
  /// Nothing is loaded in it, and counts of messages and lines begin again. Meant for the same bundle once more: bundles
  /// that do not trust each other get sessions of their own.
  public func renew() async throws(EngineError) {
    for task in requests.values { task.cancel() }
    (requests, messageCount, logCount, secrets) = ([:], 0, 0, PageSecrets())
    let payload = secrets.scripts.payload
    _ = try await wait(Self.startKey, "a new page", limits.startTime, mayOutlive: false) {
      EngineFrame(.open, payload)
    }
  }

  /// The lines that were logged since the last call.
  public func takeLogs() -> [LogLine] {
    defer { logs = [] }
    return logs
  }

  /// Ends the engine; when this returns, none of its processes is alive.
  public func close() { finish(.closed) }

  // MARK: Asking

  /// Opens the page and waits until it is there.
  func start() async throws(EngineError) {
    Task { [weak self] in
      while await self?.turn() == true {
        // A cancelled pump could not end the others' waiting, so nothing cancels this task.
        try? await Pause.wait(milliseconds: 1)
      }
    }
    _ = try await wait(Self.startKey, "the start", limits.startTime, mayOutlive: false) {
      EngineFrame(.open, secrets.scripts.payload)
    }
  }

  private func run(_ kind: EngineFrame.Kind, _ script: EngineScript) async throws(EngineError) {
    let id = nextID("s")
    _ = try await wait(id, script.name, limits.loadTime, mayOutlive: false) {
      Self.frame(kind, id: id, script)
    }
  }

  private func ask(
    _ what: String, within limit: Duration, _ text: (String) -> String
  ) async throws(EngineError) -> JSONValue {
    let token = PageSecrets.random()
    return try await wait(token, what, limit, mayOutlive: true) {
      Self.frame(.evaluate, id: "-", EngineScript(name: "engine", text: text(token)))
    }
  }

  private func wait(
    _ key: String, _ what: String, _ limit: Duration, mayOutlive: Bool, _ frame: () -> EngineFrame
  ) async throws(EngineError) -> JSONValue {
    if let end { throw end }
    outbox += frame().encoded
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        pending[key] = Pending(
          what: what, limit: limit, deadline: .now + limit, mayOutlive: mayOutlive, resume: continuation)
      }
    } onCancel: {
      Task { await self.finish(.cancelled) }
    }
    return try outcome.get()
  }

  private func nextID(_ prefix: String) -> String {
    lastID += 1
    return "\(prefix)\(lastID)"
  }

  private static func frame(_ kind: EngineFrame.Kind, id: String, _ script: EngineScript) -> EngineFrame {
    EngineFrame(kind, "\(id)\n\(script.name)\n\(script.text)")
  }

  // MARK: One turn

  /// Moves bytes, handles what came, and looks at the clock and the memory; `false` when the session is over.
  private func turn() -> Bool {
    guard end == nil else { return false }
    flush()
    let received = group.receive()
    frames.append(received)
    handleFrames()
    complaint += group.receiveComplaint().prefix(Self.maxComplaintBytes - complaint.count)
    if end == nil, received.isEmpty, let status = group.endStatus() { finish(lastWords(status)) }
    if end == nil { checkMemory() }
    if end == nil { checkClock() }
    return end == nil
  }

  private func flush() {
    while !outbox.isEmpty {
      // An engine that reads no more has ended or is about to, which its status tells.
      guard let count = group.send(outbox), count > 0 else { return }
      outbox = outbox.dropFirst(count)
    }
  }

  private func handleFrames() {
    do {
      while end == nil, let frame = try frames.next() { handle(frame) }
    } catch {
      finish(.malformed("bytes that are no frame"))
    }
  }

  private func lastWords(_ status: Int32) -> EngineError {
    let words = String(decoding: complaint, as: UTF8.self).split(separator: "\n").last.map(String.init)
    let text = words.map { $0.printable(maxCharacters: 300) } ?? "it ended with status \(status)"
    return pending[Self.startKey] == nil ? .engineGone(text) : .notStarted(text)
  }

  private func checkMemory() {
    guard ContinuousClock.now >= nextMemoryCheck else { return }
    nextMemoryCheck = .now + Self.memoryPause
    let bytes = group.memoryBytes()
    peakMemoryBytes = max(peakMemoryBytes, bytes)
    if bytes > limits.maxMemoryBytes { finish(.outOfMemory(bytes: bytes, limit: limits.maxMemoryBytes)) }
  }

  private func checkClock() {
    let now = ContinuousClock.now
    let late = pending.filter { $0.value.deadline <= now }
    if let pulse = late[Self.pulseKey] { return finish(.timedOut(during: pulse.what, after: pulse.limit)) }
    if let stuck = late.values.first(where: { !$0.mayOutlive }) {
      return finish(.timedOut(during: stuck.what, after: stuck.limit))
    }
    guard let call = late.values.first, pending[Self.pulseKey] == nil else { return }
    // The call is late; whether the page is stuck as well, only the page can say.
    pending[Self.pulseKey] = Pending(
      what: call.what, limit: call.limit, deadline: now + limits.pulseTime, mayOutlive: false, resume: nil)
    outbox += Self.frame(.evaluate, id: Self.pulseKey, EngineScript(name: "engine", text: "0")).encoded
  }

  private func pulseCame() {
    let now = ContinuousClock.now
    for (key, call) in pending where call.mayOutlive && call.deadline <= now {
      resume(key, .failure(.callTimedOut(call.limit)))
    }
  }

  // MARK: What came

  private func handle(_ frame: EngineFrame) {
    switch frame.kind {
    case .ready: handleReady(frame.payload)
    case .done: handleDone(frame.payload)
    case .message: handleMessage(frame.payload)
    case .gone: finish(.webProcessGone(frame.text.printable()))
    case .open, .check, .evaluate: finish(.malformed("a frame that only the parent sends"))
    }
  }

  private func handleReady(_ payload: [UInt8]) {
    do throws(InputError) {
      confinement = try EngineConfinement.decode(payload)
      resume(Self.startKey, .success(.null))
    } catch {
      finish(.malformed(error.message))
    }
  }

  private func handleDone(_ payload: [UInt8]) {
    do throws(InputError) {
      let done = try ScriptDone.decode(payload)
      if done.id == Self.pulseKey {
        pending[Self.pulseKey] = nil
        return pulseCame()
      }
      resume(done.id, done.fault.map { .failure(.script($0)) } ?? .success(.null))
    } catch {
      finish(.malformed(error.message))
    }
  }

  private func handleMessage(_ payload: [UInt8]) {
    messageCount += 1
    guard messageCount <= limits.maxMessages else {
      return finish(.flooded("more than \(limits.maxMessages) messages"))
    }
    guard payload.count <= limits.maxMessageBytes else {
      return finish(.flooded("a message of \(payload.count) bytes, more than \(limits.maxMessageBytes)"))
    }
    // What the page before this one said on its way out concerns nobody any more.
    guard pending[Self.startKey] == nil else { return }
    do throws(InputError) {
      switch try PageMessage.decode(payload, maxBytes: limits.maxMessageBytes) {
      case .request(let id, let request): answer(id, request)
      case .log(let line): keep(line)
      case .result(let token, let json): resume(token, value(of: json))
      case .failure(let token, let fault): resume(token, .failure(.call(fault)))
      }
    } catch {
      finish(.malformed("a message that is none of the bridge's: \(error.message)"))
    }
  }

  private func keep(_ line: LogLine) {
    logCount += 1
    guard logCount <= limits.maxLogLines else {
      return finish(.flooded("more than \(limits.maxLogLines) lines in the log"))
    }
    logs.append(line)
  }

  private func value(of json: String) -> Outcome {
    do throws(InputError) {
      return .success(
        try JSONReader.read(Array(json.utf8), maxBytes: limits.maxMessageBytes, maxDepth: 128))
    } catch {
      return .failure(.call(CallFault(name: "ResultError", message: "the result \(error.message)")))
    }
  }

  // MARK: Pages

  private func answer(_ id: String, _ request: PageRequest) {
    guard requests[id] == nil else { return finish(.malformed("a request with the number of another one")) }
    let pages = pages
    requests[id] = Task { [weak self] in
      let answer = await pages.answer(request)
      await self?.deliver(answer, to: id)
    }
  }

  private func deliver(_ answer: PageAnswer, to id: String) {
    requests[id] = nil
    guard end == nil else { return }
    let script = secrets.script("answerPage", id, answer.head, Base64Text.encode(answer.body))
    outbox += Self.frame(.evaluate, id: "-", EngineScript(name: "engine", text: script)).encoded
  }

  // MARK: Ends

  private func resume(_ key: String, _ outcome: Outcome) {
    // An answer that nobody waits for any more came after its time.
    pending.removeValue(forKey: key)?.resume?.resume(returning: outcome)
  }

  private func finish(_ error: EngineError) {
    guard end == nil else { return }
    end = error
    group.kill()
    for task in requests.values { task.cancel() }
    requests = [:]
    for key in Array(pending.keys) { resume(key, .failure(error)) }
  }
}

extension PageAnswer {
  /// What goes with the body, as JSON.
  fileprivate var head: String {
    var members: [JSONMember] = []
    switch self {
    case .page(let page):
      members = [
        JSONMember("status", .integer(Int64(page.status))), JSONMember("finalURL", .string(page.finalURL)),
      ]
      if let charset = page.charset { members.append(JSONMember("charset", .string(charset))) }
    case .fault(let fault):
      var parts = [
        JSONMember("code", .string(fault.code)), JSONMember("message", .string(fault.message)),
        JSONMember("url", .string(fault.url)),
      ]
      if let status = fault.status { parts.append(JSONMember("status", .integer(Int64(status)))) }
      members = [JSONMember("fault", .object(parts))]
    }
    return String(decoding: JSONValue.object(members).encoded(indented: false), as: UTF8.self)
  }

  fileprivate var body: [UInt8] {
    switch self {
    case .page(let page): page.body
    case .fault: []
    }
  }
}

extension String {
  /// Whether the text can stand as the name of a global in a script.
  fileprivate var isJavaScriptName: Bool {
    guard let first = utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
      return false
    }
    return utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"):
        true
      default: false
      }
    }
  }
}
