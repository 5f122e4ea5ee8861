public import ParserEngine

/// A request that a parser made, and what came of it.
public struct Exchange: Equatable, Sendable {
  /// `GET`, `HEAD` or `POST`.
  public let method: String
  /// The URL as it was sent.
  public let url: String
  /// The body of a `POST`; empty otherwise.
  public let body: [UInt8]
  /// What came. A recording has faults too, when a parser lived with them.
  public let answer: PageAnswer

  /// Describes an exchange.
  public init(method: String, url: String, body: [UInt8] = [], answer: PageAnswer) {
    self.method = method.uppercased()
    self.url = SiteAddress.sendable(url)
    self.body = body
    self.answer = answer
  }

  /// The size of the page; 0 for a fault.
  var answerBytes: Int { if case .page(let page) = answer { page.body.count } else { 0 } }

  var key: RequestKey { RequestKey(method: method, url: url, body: body) }
}
