/// One request as the loopback server read it.
public struct HTTPRequest: Sendable, Equatable {
  /// The method as sent, normally upper case.
  public let method: String
  /// The request target as sent, with the query; normally begins with a slash.
  public let target: String
  /// Field values by lower-case field name; the last one wins when a field came twice.
  public let headers: [String: String]
  /// The body by Content-Length; empty without one.
  public let body: [UInt8]
  /// Numbers the accepted connections from 1, so that equal numbers prove reuse.
  public let connection: Int

  /// Makes a request by hand, for tests of answering closures.
  public init(
    method: String, target: String, headers: [String: String] = [:], body: [UInt8] = [], connection: Int = 1
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    self.connection = connection
  }

  /// The target without the query.
  public var path: String {
    target.split(separator: "?", omittingEmptySubsequences: false).first.map(String.init) ?? ""
  }

  /// The first byte asked for by `Range: bytes=N-`; `nil` without such a field.
  public var rangeStart: Int? {
    guard let range = headers["range"], range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
    return Int(range.dropFirst("bytes=".count).dropLast())
  }
}
