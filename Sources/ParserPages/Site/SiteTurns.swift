public import ParserEngine
internal import OTATransfer

/// Decides when a host may be asked; told of every single request, those that redirects ask for included.
public protocol SiteTurns: Sendable {
  /// Waits for the turn of a request.
  ///
  /// - Parameters:
  ///   - host: the name of the host in lower case, without its port.
  ///   - url: what is going to be asked for.
  /// - Returns: a fault when the host must not be asked; `nil` gives the turn, and `end` takes it back.
  func begin(_ host: String, _ url: String) async -> PageFault?

  /// Ends a turn with what came.
  func end(_ host: String, _ answer: PageAnswer) async
}

/// A request on its way through redirects, each of which is a request of its own.
struct RedirectWalk {
  /// As many as web views follow would be 20; sites that are well need two.
  static let maxRedirects = 10

  /// The request to send now; `nil` when the walk is over.
  private(set) var next: SiteRequest?
  /// What the whole walk came to.
  private(set) var answer: PageAnswer
  private let firstURL: String
  private var redirects = 0
  /// Whether every redirect to another host so far was a permanent one.
  private var isPermanent = true

  init(_ request: SiteRequest) {
    (next, firstURL) = (request, request.url)
    answer = .fault(PageFault(.cancelled, "nothing was asked", url: request.url))
  }

  /// Takes the answer to the request of `next`.
  mutating func take(_ answer: PageAnswer, next: SiteRequest?) {
    self.answer = answer
    guard let next, case .page(let page) = answer else {
      self.next = nil
      return finish()
    }
    let changesHost = SiteAddress.host(of: next.url) != SiteAddress.host(of: page.finalURL)
    if changesHost, ![301, 308].contains(page.status) { isPermanent = false }
    redirects += 1
    guard redirects <= Self.maxRedirects else {
      self.next = nil
      self.answer = .fault(
        PageFault(.tooManyRedirects, "\(firstURL): more than \(Self.maxRedirects) redirects", url: firstURL))
      return
    }
    self.next = next
  }

  private mutating func finish() {
    guard case .page(var page) = answer, redirects > 0, isPermanent else { return }
    page.isMoved = Self.name(of: page.finalURL) != Self.name(of: firstURL)
    answer = .page(page)
  }

  /// The host without `www.`, which is the same site under another spelling.
  private static func name(of url: String) -> String {
    let host = SiteAddress.host(of: url)
    return host.hasPrefix("www.") ? String(host.dropFirst(4)) : host
  }
}
