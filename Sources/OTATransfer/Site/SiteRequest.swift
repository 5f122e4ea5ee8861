/// A request to a web site.
public struct SiteRequest: Sendable, Equatable {
  /// The methods that parsers use.
  public enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
  }

  /// A header field of the request.
  public struct Field: Sendable, Equatable {
    /// The name, in any case.
    public let name: String
    /// The value.
    public let value: String

    /// Makes a field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The most bytes of all fields together that are sent.
  public static let maxFieldBytes = 32 << 10
  /// The largest body that is sent.
  public static let maxBodyBytes = 4 << 20

  /// The method; a redirect may turn a `POST` into a `GET`.
  public var method: Method
  /// An absolute `https:` or `http:` URL in ASCII.
  public var url: String
  /// Fields that the transfer itself does not decide; those that it does are left out, as web views do.
  public var fields: [Field]
  /// The body of a `POST`.
  public var body: [UInt8]

  /// Describes a request.
  public init(method: Method = .get, url: String, fields: [Field] = [], body: [UInt8] = []) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
  }
}
