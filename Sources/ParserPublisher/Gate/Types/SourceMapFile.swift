internal import OTAManifest
internal import OTAStorage

/// The source map that stands beside a bundle and that its last comment names.
enum SourceMapFile {
  private static let maxBytes = 64 << 20

  /// The text of the map; `nil` when there is none, when it is inline, or when it cannot be read: it only helps people.
  static func beside(_ bundlePath: String, _ bundle: [UInt8]) -> [UInt8]? {
    let tail = String(decoding: bundle.suffix(400), as: UTF8.self)
    guard let comment = tail.split(separator: "\n").last(where: { $0.contains("sourceMappingURL=") }),
      let name = comment.split(separator: "=", maxSplits: 1).last.map(String.init)?.trimmedASCII,
      isPlainName(name), let slash = bundlePath.lastIndex(of: "/")
    else { return nil }
    let path = String(bundlePath[...slash]) + name
    // Nothing but places in messages depends on it, so a map that cannot be read is none.
    return try? readFile(at: path, maxBytes: maxBytes)
  }

  private static func isPlainName(_ name: String) -> Bool {
    name.hasSuffix(".map") && name != ".map"
      && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }
  }
}

extension String {
  /// The text without blanks at its ends.
  fileprivate var trimmedASCII: String {
    let bytes = utf8.drop { $0 <= 0x20 }
    return String(decoding: bytes.reversed().drop { $0 <= 0x20 }.reversed(), as: UTF8.self)
  }
}
