/// A URL that may be fetched: of a feed, https or plain http to this machine where that is allowed; of a site, either.
///
/// Host and port are read here by ourselves, strictly, so that no difference between two parsers can open a door.
struct FetchURL: Equatable, Sendable {
  enum Refusal: Error, Equatable {
    case malformed(String)
    case credentials
    case scheme(String)
    case plainHTTP
    case downgrade
    case loopback

    var detail: String {
      switch self {
      case .malformed(let what): "the URL is malformed: \(what)"
      case .credentials: "the URL has a user name or password; remove it"
      case .scheme(let name): "the scheme \"\(name)\" is not allowed; use https"
      case .plainHTTP: "plain http is not allowed; use https"
      case .downgrade: "a redirect from https to http is not followed"
      case .loopback: "an address of this machine is not a site"
      }
    }
  }

  private static let maxBytes = 8192

  let text: String
  let isPlainHTTP: Bool
  /// The host is this machine by its literal name or address.
  let isLoopback: Bool
  /// The host in lower case, with the brackets of an IPv6 address.
  let host: String
  /// Scheme, host and port: what cookies and passwords of one site must not leave.
  let origin: String

  /// Checks the first URL of a transfer from a feed.
  init(_ text: String, allowsPlainHTTPOnLoopback: Bool) throws(Refusal) {
    try self.init(reading: text)
    if isPlainHTTP, !allowsPlainHTTPOnLoopback || !isLoopback { throw .plainHTTP }
  }

  /// Checks a URL of a site that a parser reads, the target of a redirect included.
  init(site text: String, allowsLoopback: Bool) throws(Refusal) {
    try self.init(reading: text)
    if isLoopback, !allowsLoopback { throw .loopback }
  }

  private init(reading text: String) throws(Refusal) {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.maxBytes else { throw .malformed("longer than \(Self.maxBytes) bytes") }
    guard bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else {
      throw .malformed("it has a space, a control character, a backslash or a letter outside ASCII")
    }
    let mark = Array("://".utf8)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed("it has no scheme") }
    let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
    guard scheme == "https" || scheme == "http" else { throw .scheme(String(scheme.prefix(20))) }
    guard bytes[colon...].starts(with: mark) else { throw .malformed("two slashes are missing") }
    let ends = Array("/?#".utf8)
    let authority = bytes[(colon + mark.count)...].prefix { !ends.contains($0) }
    guard !authority.contains(UInt8(ascii: "@")) else { throw .credentials }
    let (host, port) = try Self.hostAndPort(authority)
    isPlainHTTP = scheme == "http"
    isLoopback = Self.isLoopback(host)
    self.host = host
    origin = "\(scheme)://\(host):\(port ?? (isPlainHTTP ? 80 : 443))"
    self.text = text
  }

  /// Checks the target of a redirect from this URL, which must be absolute.
  func redirect(to text: String, allowsPlainHTTPOnLoopback: Bool) throws(Refusal) -> FetchURL {
    let target = try FetchURL(text, allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback)
    guard isPlainHTTP || !target.isPlainHTTP else { throw .downgrade }
    return target
  }

  /// The host in lower case, with its brackets, and the port if there is one.
  private static func hostAndPort(
    _ authority: ArraySlice<UInt8>
  ) throws(Refusal) -> (host: String, port: Int?) {
    let port: ArraySlice<UInt8>
    let host: ArraySlice<UInt8>
    if authority.first == UInt8(ascii: "[") {
      guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else {
        throw .malformed("a bracket is missing")
      }
      host = authority[...end]
      port = authority[(end + 1)...]
      guard host.dropFirst().dropLast().allSatisfy(isAddressByte) else { throw .malformed("the host") }
    } else {
      host = authority.prefix { $0 != UInt8(ascii: ":") }
      port = authority[host.endIndex...]
      guard !host.isEmpty, host.allSatisfy(isHostByte) else { throw .malformed("the host") }
    }
    let name = String(decoding: host, as: UTF8.self).lowercased()
    if port.isEmpty { return (name, nil) }
    guard let number = portNumber(port) else { throw .malformed("the port") }
    return (name, number)
  }

  private static func portNumber(_ text: ArraySlice<UInt8>) -> Int? {
    guard text.first == UInt8(ascii: ":"), (2...6).contains(text.count),
      text.dropFirst().allSatisfy(isDigit), let port = Int(String(decoding: text.dropFirst(), as: UTF8.self))
    else { return nil }
    return (1...65535).contains(port) ? port : nil
  }

  private static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { part in
        part.utf8.allSatisfy(isDigit) && (part == "0" || !part.hasPrefix("0"))
          && Int(part).map { $0 <= 255 } ?? false
      }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isAddressByte(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }
}
