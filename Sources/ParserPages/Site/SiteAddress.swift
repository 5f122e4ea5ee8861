/// A URL as parsers write it, turned into one that can be sent.
package enum SiteAddress {
  /// What a URL may not hold as it is, although browsers take it.
  private static let encoded = Array(" \"<>^`{|}".utf8)

  /// The URL without white space at its ends and without its fragment, with everything that is no ASCII escaped.
  ///
  /// Escapes that are there already stay. Whether the URL may be asked for is decided where it is sent.
  package static func sendable(_ text: String) -> String {
    let space = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r")]
    let bytes = Array(text.utf8).drop { space.contains($0) }.prefix { $0 != UInt8(ascii: "#") }
    let end = bytes.lastIndex { !space.contains($0) }.map { $0 + 1 } ?? bytes.startIndex
    var result: [UInt8] = []
    for byte in bytes[..<end] {
      if byte >= 0x7F || encoded.contains(byte) {
        result += Array("%\(hex(byte >> 4))\(hex(byte & 15))".utf8)
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The address of a site's front page, from a domain or from a URL.
  ///
  /// - Parameter domain: a host, or a URL, as catalogs and parsers have them; empty when it is not known.
  package static func root(ofDomain domain: String, orURL url: String) -> String {
    let start = domain.isEmpty ? url : domain.contains("://") ? domain : "https://\(domain)"
    guard let mark = start.firstRange(of: "://") else { return start }
    let authority = start[mark.upperBound...].prefix { !"/?#".contains($0) }
    return "\(start[..<mark.lowerBound])://\(authority)/"
  }

  /// The host of a URL in lower case, without its port; empty for what is no URL.
  package static func host(of url: String) -> String {
    guard let mark = url.firstRange(of: "://") else { return "" }
    let authority = url[mark.upperBound...].prefix { !"/?#".contains($0) }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    if host.hasPrefix("[") { return host.prefix { $0 != "]" }.lowercased() + "]" }
    return host.prefix { $0 != ":" }.lowercased()
  }

  private static func hex(_ value: UInt8) -> String { String(value, radix: 16, uppercase: true) }
}
