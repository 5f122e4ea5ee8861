/// The head of the final answer, reduced to what an updater may act on.
public struct FetchResponse: Sendable, Equatable {
  /// 200 or another success with a body, 206, or 304 to a request with `ifNoneMatch`.
  public let status: Int
  /// The URL that gave this answer, after redirects.
  public let finalURL: String
  /// The first byte of this body within the resource: 0 unless a 206 starts exactly where the request asked.
  public let resumedFrom: Int
  /// The size of the whole resource in bytes; `nil` if the server did not say.
  public let totalBytes: Int?
  /// `ETag` as sent, quotes included.
  public let entityTag: String?
  /// `Last-Modified` as sent.
  public let lastModified: String?
  /// `Retry-After` as sent: seconds or a date.
  public let retryAfter: String?
  /// `Content-Type` as sent; only good for messages, because hosts get it wrong.
  public let contentType: String?
  /// `Cache-Control` as sent.
  public let cacheControl: String?
  /// A coding that `Content-Encoding` claims although none was asked for; `nil` for none and for `identity`.
  ///
  /// The body is what came over the wire, never decoded. Hosts store wrong labels with intact files, so this explains a
  /// mismatch of length or digest and decides nothing.
  public let claimedCoding: String?

  /// Builds an answer by hand, for fetchers that are not a network.
  public init(
    status: Int, finalURL: String, resumedFrom: Int = 0, totalBytes: Int? = nil, entityTag: String? = nil,
    lastModified: String? = nil, retryAfter: String? = nil, contentType: String? = nil,
    cacheControl: String? = nil, claimedCoding: String? = nil
  ) {
    self.status = status
    self.finalURL = finalURL
    self.resumedFrom = resumedFrom
    self.totalBytes = totalBytes
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.retryAfter = retryAfter
    self.contentType = contentType
    self.cacheControl = cacheControl
    self.claimedCoding = claimedCoding
  }
}
