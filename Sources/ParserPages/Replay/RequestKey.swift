internal import OTAManifest
internal import ParserEngine

/// What a recorded request is found by: method, URL and body, freed of what may differ between two equal requests.
///
/// Compared are the method in upper case and the URL as it is sent, with scheme and host in lower case, without its
/// default port and without its fragment; an empty path is `/`. Header fields do not count. The order of a query does.
struct RequestKey: Hashable, Sendable {
  let method: String
  let url: String
  let body: [UInt8]

  init(method: String, url: String, body: [UInt8]) {
    self.method = method.uppercased()
    self.url = Self.normal(SiteAddress.sendable(url))
    self.body = body
  }

  init(_ request: PageRequest) {
    self.init(method: request.method, url: request.url, body: request.body ?? [])
  }

  /// The same request without its moments in time: values of 13 digits that begin with 1, as milliseconds since 1970.
  ///
  /// Parsers put such numbers into a query to get past caches. Used only where the exact request was not recorded.
  var timeless: RequestKey {
    RequestKey(
      method: method, url: Self.withoutMoments(url),
      body: Array(Self.withoutMoments(String(decoding: body, as: UTF8.self)).utf8))
  }

  private static func normal(_ url: String) -> String {
    guard let mark = url.firstRange(of: "://") else { return url }
    let scheme = url[..<mark.lowerBound].asciiLowercased
    let rest = url[mark.upperBound...]
    let end = rest.firstIndex { "/?".contains($0) } ?? rest.endIndex
    let authority = withoutDefaultPort(rest[..<end].asciiLowercased, scheme)
    let tail = rest[end...]
    return "\(scheme)://\(authority)\(tail.hasPrefix("/") ? "" : "/")\(tail)"
  }

  /// What is no address, with several ports or a half bracket, stays as it is.
  private static func withoutDefaultPort(_ authority: String, _ scheme: String) -> String {
    guard let port = ["https": ":443", "http": ":80"][scheme], authority.hasSuffix(port) else {
      return authority
    }
    let rest = authority.dropLast(port.count)
    let host = rest.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    return host.contains(":") && !host.hasSuffix("]") ? authority : String(rest)
  }

  private static func withoutMoments(_ text: String) -> String {
    var result: [UInt8] = []
    var digits: [UInt8] = []
    func flush() {
      let isMoment = digits.count == 13 && digits[0] == UInt8(ascii: "1")
      result += isMoment ? [UInt8(ascii: "*")] : digits
      digits = []
    }
    for byte in text.utf8 {
      if (0x30...0x39).contains(byte) {
        digits.append(byte)
      } else {
        flush()
        result.append(byte)
      }
    }
    flush()
    return String(decoding: result, as: UTF8.self)
  }
}
