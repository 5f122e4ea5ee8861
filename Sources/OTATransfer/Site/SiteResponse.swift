/// The last answer of a site, redirects behind it.
public struct SiteResponse: Sendable, Equatable {
  /// The status.
  public let status: Int
  /// The URL that gave this answer.
  public let finalURL: String
  /// The URLs that led elsewhere, in order; empty without a redirect.
  public let redirects: [String]
  /// The fields that the fetcher was told to keep, by their names in lower case, and `content-type`.
  public let fields: [String: String]
  /// The whole body, decoded from its content coding.
  public let body: [UInt8]
  /// What the connection was like; `nil` where there was none.
  public var connection: ConnectionFacts?
  /// The request that a redirect asks for, where redirects are not followed; `nil` for every other answer.
  public var next: SiteRequest?

  /// Builds an answer by hand, for fetchers that are not a network.
  public init(
    status: Int, finalURL: String, redirects: [String] = [], fields: [String: String] = [:],
    body: [UInt8] = []
  ) {
    self.status = status
    self.finalURL = finalURL
    self.redirects = redirects
    self.fields = fields
    self.body = body
  }
}
