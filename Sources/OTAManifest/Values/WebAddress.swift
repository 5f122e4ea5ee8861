/// An absolute `https` or `http` URL, read strictly: what this type accepts, every URL reader understands alike.
///
/// Refused are user names, back slashes, white space, control characters, fragments, `.` and `..` segments (also
/// percent-encoded), half escapes, hosts that are numbers in disguise, and anything that is not ASCII.
/// Source: RFC 3986, narrowed.
public struct WebAddress: Hashable, Sendable {
  /// `https` or `http`, in lower case.
  public let scheme: String
  /// The host in lower case; an IPv6 address keeps its brackets.
  public let host: String
  /// The port when one is written.
  public let port: Int?
  /// The path, beginning with `/`.
  public let path: String
  /// The query without its `?`, when there is one.
  public let query: String?

  /// Reads an absolute URL of at most `maxBytes` bytes.
  ///
  /// - Throws: `InputError` whose detail reads on from the name of the field or option.
  public init(_ text: String, maxBytes: Int = Limits.standard.maxURLBytes) throws(InputError) {
    try Self.requireCleanCharacters(text, maxBytes: maxBytes)
    guard let colon = text.firstRange(of: "://") else {
      throw InputError(.forbiddenURL, "is not an absolute https URL")
    }
    scheme = text[..<colon.lowerBound].asciiLowercased
    guard scheme == "https" || scheme == "http" else {
      throw InputError(.forbiddenURL, "has the scheme \"\(scheme.printable(maxCharacters: 20))\", not https")
    }
    let rest = text[colon.upperBound...]
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    (host, port) = try Self.authority(rest[..<end])
    let tail = rest[end...]
    guard !tail.utf8.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }) else {
      throw InputError(.forbiddenURL, "has a bracket outside its host")
    }
    let question = tail.firstIndex(of: "?") ?? tail.endIndex
    path = question == tail.startIndex ? "/" : String(tail[..<question])
    query = question == tail.endIndex ? nil : String(tail[tail.index(after: question)...])
    try Self.requirePlainSegments(path)
  }

  private init(_ other: WebAddress, path: String) {
    (scheme, host, port, self.path, query) = (other.scheme, other.host, other.port, path, nil)
  }

  /// The URL as text.
  public var text: String {
    "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")\(path)\(query.map { "?\($0)" } ?? "")"
  }

  /// Whether the host is this machine by its literal name: `localhost`, `127.0.0.0/8` or `[::1]`.
  public var isLoopback: Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// The address of a file below this one, which is taken as a folder.
  public func appending(_ path: RelativePath) -> WebAddress {
    WebAddress(self, path: (self.path.hasSuffix("/") ? self.path : self.path + "/") + path.text)
  }

  /// The same address as a folder: a final `manifest.json` taken off, a final `/` put on.
  public var asFolder: WebAddress {
    var folder = path
    if folder.hasSuffix("/manifest.json") { folder.removeLast("manifest.json".count) }
    return WebAddress(self, path: folder.hasSuffix("/") ? folder : folder + "/")
  }

  private static func requireCleanCharacters(_ text: String, maxBytes: Int) throws(InputError) {
    guard !text.isEmpty else { throw InputError(.forbiddenURL, "is empty") }
    guard text.utf8.count <= maxBytes else {
      throw InputError(.forbiddenURL, "is longer than \(maxBytes) bytes")
    }
    for code in text.utf8 where code <= 0x20 || code >= 0x7F || "\\\"<>^`{|}#".utf8.contains(code) {
      throw InputError(.forbiddenURL, "has a character that a URL may not have")
    }
    for escape in text.split(separator: "%", omittingEmptySubsequences: false).dropFirst() {
      guard escape.utf8.prefix(2).count(where: { hexValue($0) != nil }) == 2 else {
        throw InputError(.forbiddenURL, "has a \"%\" without two hexadecimal digits after it")
      }
    }
  }

  private static func authority(_ text: Substring) throws(InputError) -> (host: String, port: Int?) {
    guard !text.contains("@") else {
      throw InputError(.forbiddenURL, "has a user name or \"@\" before its host")
    }
    var host = text
    var port: Int?
    let hostEnd =
      text.hasPrefix("[") ? text.firstIndex(of: "]").map(text.index(after:)) : text.firstIndex(of: ":")
    if let hostEnd, hostEnd < text.endIndex {
      host = text[..<hostEnd]
      let digits = text[hostEnd...].dropFirst()
      guard text[hostEnd] == ":", digits.utf8.allSatisfy(isDigit), digits.utf8.count <= 5,
        let number = Int(digits), (1...65535).contains(number)
      else { throw InputError(.forbiddenURL, "has a port that is not a number from 1 to 65535") }
      port = number
    }
    guard host.hasPrefix("[") ? isBracketedAddress(host) : isPlainHost(host) else {
      throw InputError(.forbiddenURL, "has no usable host")
    }
    return (host.asciiLowercased, port)
  }

  private static func isBracketedAddress(_ host: Substring) -> Bool {
    host.utf8.count > 2 && host.hasSuffix("]")
      && host.utf8.dropFirst().dropLast().allSatisfy { hexValue($0) != nil || ":.".utf8.contains($0) }
  }

  /// Whether a host is made of plain labels. A last label that begins with a digit makes it an IPv4 address, and then
  /// only the usual form will do: readers disagree on `127.1`, `0x7f.1` and `2130706433`.
  private static func isPlainHost(_ host: Substring) -> Bool {
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    for label in labels {
      guard !label.isEmpty, label.utf8.allSatisfy({ isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "-") })
      else { return false }
    }
    guard let first = labels.last?.utf8.first, isDigit(first) else { return true }
    return labels.count == 4
      && labels.allSatisfy { label in UInt8(label).map { String($0) == label } ?? false }
  }

  private static func requirePlainSegments(_ path: String) throws(InputError) {
    for segment in path.split(separator: "/", omittingEmptySubsequences: false) {
      let plain = segment.asciiLowercased.replacing("%2e", with: ".")
      guard plain != ".", plain != "..", !plain.contains("%2f"), !plain.contains("%5c"),
        !plain.contains("%00")
      else {
        throw InputError(.forbiddenURL, "has a \".\" or \"..\" part or an encoded slash in its path")
      }
    }
  }
}

extension WebAddress: CustomStringConvertible {
  /// The URL as text.
  public var description: String { text }
}
