public import ParserEngine
public import ParserPages

/// Keeps a survey polite: one request at a time to a host, a pause after each, and no more once a host said stop.
public actor HostTurns: SiteTurns {
  /// How polite a survey is.
  public struct Manners: Sendable {
    /// The pause after each answer of a host.
    public var pause: Duration = .seconds(1)
    /// The most requests of the whole survey.
    public var maxRequests = 20_000
    /// The most requests for one source; against parsers that turn pages without end.
    public var maxRequestsForSource = 60

    /// The defaults.
    public init() {}
  }

  private struct Host {
    var isBusy = false
    var freeAt = ContinuousClock.now
    var waiting: [CheckedContinuation<Void, Never>] = []
    var timeouts = 0
    /// Why it is not asked again.
    var stop: PageFault?
  }

  private let manners: Manners
  private var hosts: [String: Host] = [:]
  /// The requests so far.
  public private(set) var requests = 0

  /// Begins with no request made.
  public init(_ manners: Manners = Manners()) { self.manners = manners }

  /// Whether no further request is allowed.
  public var isSpent: Bool { requests >= manners.maxRequests }

  /// Waits for the turn of the host; a fault when it said stop, or when the survey has asked enough.
  public func begin(_ host: String, _ url: String) async -> PageFault? {
    while hosts[host, default: Host()].isBusy {
      await withCheckedContinuation { hosts[host]?.waiting.append($0) }
    }
    if let refusal = refusal(host, url) {
      passOn(host)
      return refusal
    }
    hosts[host, default: Host()].isBusy = true
    requests += 1
    let freeAt = hosts[host]?.freeAt ?? .now
    // A cancelled wait ends at once, and so does the request after it.
    try? await Task.sleep(until: freeAt, clock: .continuous)
    return nil
  }

  /// Ends the turn, and remembers an answer after which the host is not asked again.
  public func end(_ host: String, _ answer: PageAnswer) {
    hosts[host]?.isBusy = false
    hosts[host]?.freeAt = .now + manners.pause
    note(host, answer)
    passOn(host)
  }

  private func refusal(_ host: String, _ url: String) -> PageFault? {
    if let stop = hosts[host]?.stop {
      return PageFault(
        code: stop.code, message: "\(stop.message); not asked again", url: url, status: stop.status)
    }
    guard isSpent else { return nil }
    return PageFault(
      .overBudget, "the survey has made its \(manners.maxRequests) requests", url: url)
  }

  private func passOn(_ host: String) {
    guard var state = hosts[host], !state.waiting.isEmpty else { return }
    let next = state.waiting.removeFirst()
    hosts[host] = state
    next.resume()
  }

  private func note(_ host: String, _ answer: PageAnswer) {
    switch answer {
    case .page(let page) where page.status == 429:
      hosts[host]?.stop = PageFault(
        .httpStatus, "the site asks for fewer requests (HTTP 429)", url: page.finalURL, status: 429)
    case .page: hosts[host]?.timeouts = 0
    case .fault(let fault):
      switch PageFaultCode(rawValue: fault.code) {
      case .challenge, .unknownHost, .tls, .unreachable: hosts[host]?.stop = fault
      case .timedOut:
        hosts[host]?.timeouts += 1
        if hosts[host]?.timeouts == 2 { hosts[host]?.stop = fault }
      default: break
      }
    }
  }
}

/// Has pages for one source, and no more than a survey asks for.
struct CountedPages: PageProvider {
  private let pages: any PageProvider
  private let limit: Int
  private let count = RequestCount()

  init(_ pages: any PageProvider, limit: Int) { (self.pages, self.limit) = (pages, limit) }

  func answer(_ request: PageRequest) async -> PageAnswer {
    guard await count.next() <= limit else {
      return .fault(
        PageFault(
          .refusedRequest, "the parser asks for more than \(limit) pages to show one work", url: request.url))
    }
    return await pages.answer(request)
  }

  private actor RequestCount {
    private var count = 0

    func next() -> Int {
      count += 1
      return count
    }
  }
}
