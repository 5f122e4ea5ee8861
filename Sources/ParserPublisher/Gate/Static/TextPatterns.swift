/// Finds keys, tokens and local paths in text.
enum TextPatterns {
  struct Match: Equatable {
    let kind: LeftoverKind
    let range: Range<Int>
  }

  /// A fixed beginning, and what must follow it.
  private struct Pattern: Sendable {
    let kind: LeftoverKind
    let prefix: [UInt8]
    let follows: @Sendable (UInt8) -> Bool
    let minCount: Int

    init(
      _ kind: LeftoverKind, _ prefix: String, _ follows: @escaping @Sendable (UInt8) -> Bool, _ minCount: Int
    ) {
      (self.kind, self.prefix, self.follows, self.minCount) = (kind, Array(prefix.utf8), follows, minCount)
    }
  }

  /// The patterns by the byte that they begin with.
  private static let table: [[Pattern]] = {
    var table = Array(repeating: [Pattern](), count: 256)
    for pattern in patterns { table[Int(pattern.prefix[0])].append(pattern) }
    return table
  }()

  private static var patterns: [Pattern] {
    let tokens = ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "npm_"].map {
      Pattern(.token, $0, isWordByte, 36)
    }
    let dashed: [Pattern] = [
      Pattern(.token, "github_pat_", isWordByte, 22), Pattern(.token, "glpat-", isTokenByte, 20),
      Pattern(.token, "xoxb-", isTokenByte, 10), Pattern(.token, "xoxp-", isTokenByte, 10),
      Pattern(.token, "xoxa-", isTokenByte, 10), Pattern(.token, "xoxr-", isTokenByte, 10),
      Pattern(.token, "xoxs-", isTokenByte, 10), Pattern(.token, "sk_live_", isWordByte, 20),
      Pattern(.token, "rk_live_", isWordByte, 20), Pattern(.token, "AKIA", isUpperOrDigit, 16),
      Pattern(.token, "ASIA", isUpperOrDigit, 16),
    ]
    return tokens + dashed + [
      Pattern(.publicKey, "AIza", isTokenByte, 35), Pattern(.publicKey, "eyJ", isJWTByte, 60),
      Pattern(.localPath, "file:///", isPathByte, 1), Pattern(.localPath, "/home/", isPathByte, 3),
      Pattern(.localPath, "/Users/", isPathByte, 3), Pattern(.localPath, ":\\Users\\", isPathByte, 1),
      Pattern(.localPath, ":\\\\Users\\\\", isPathByte, 1),
      Pattern(.privateKey, "-----BEGIN ", isPEMByte, 11),
    ]
  }

  /// The matches in a part of a text, in its order.
  static func matches(in bytes: [UInt8], _ range: Range<Int>) -> [Match] {
    let table = table
    var matches: [Match] = []
    var offset = range.lowerBound
    while offset < range.upperBound {
      let patterns = table[Int(bytes[offset])]
      if !patterns.isEmpty, let match = match(patterns, in: bytes[offset..<range.upperBound], bytes) {
        matches.append(match)
        offset = match.range.upperBound
      } else {
        offset += 1
      }
    }
    return matches
  }

  private static func match(_ patterns: [Pattern], in text: ArraySlice<UInt8>, _ bytes: [UInt8]) -> Match? {
    for pattern in patterns where text.starts(with: pattern.prefix) {
      let rest = text.dropFirst(pattern.prefix.count).prefix(while: pattern.follows)
      guard rest.count >= pattern.minCount else { continue }
      let range = text.startIndex..<rest.endIndex
      if isMeant(pattern.kind, range, bytes) { return Match(kind: pattern.kind, range: range) }
    }
    return nil
  }

  /// What a beginning and a length alone cannot decide.
  private static func isMeant(_ kind: LeftoverKind, _ range: Range<Int>, _ bytes: [UInt8]) -> Bool {
    let before = range.lowerBound > 0 ? bytes[range.lowerBound - 1] : 0
    let text = bytes[range]
    switch kind {
    case .token: return !isWordByte(before)
    case .publicKey:
      // A signed token has three parts, and its second one begins like the first.
      return !isWordByte(before) && (text.first != UInt8(ascii: "e") || contains(text, ".eyJ"))
    case .privateKey: return contains(text, "PRIVATE KEY-----")
    case .localPath where text.first == UInt8(ascii: "/"):
      // The path of a site may begin with /home/ too; a file of a build has an extension, and begins its word.
      return !isPathByte(before) && looksLikeSource(text)
    default: return true
    }
  }

  /// Names after which a long value is a key, without what separates their words.
  private static let secretNames = [
    "apikey", "secret", "token", "password", "passwd", "accesskey", "privatekey", "secretkey",
  ]
  private static let minKeyLength = 20

  /// Whether a string with its quotes, given to something of this name, is likelier a key than a text.
  static func isKey(_ value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>) -> Bool {
    let value = value.dropFirst().dropLast()
    guard value.count >= minKeyLength, value.allSatisfy(isKeyByte),
      value.contains(where: { (0x30...0x39).contains($0) }), value.contains(where: { $0 >= 0x41 })
    else { return false }
    let folded = name.filter { isUpperOrDigit($0) || (0x61...0x7A).contains($0) }.map { $0 | 0x20 }
    return secretNames.contains { folded.suffix($0.utf8.count).elementsEqual($0.utf8) }
  }

  @Sendable private static func isKeyByte(_ byte: UInt8) -> Bool {
    isTokenByte(byte) || [UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "=")].contains(byte)
  }

  private static let extensions = [
    ".js", ".mjs", ".cjs", ".ts", ".jsx", ".tsx", ".json", ".map", ".py", ".kt", ".html",
  ]

  private static func looksLikeSource(_ text: ArraySlice<UInt8>) -> Bool {
    contains(text, "/node_modules/") || contains(text, "/src/")
      || extensions.contains { text.suffix($0.utf8.count).elementsEqual($0.utf8) }
  }

  private static func contains(_ text: ArraySlice<UInt8>, _ part: String) -> Bool {
    let part = Array(part.utf8)
    return text.indices.contains { text[$0...].starts(with: part) }
  }

  @Sendable private static func isWordByte(_ byte: UInt8) -> Bool {
    isUpperOrDigit(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
  }
  @Sendable private static func isUpperOrDigit(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
  }
  @Sendable private static func isTokenByte(_ byte: UInt8) -> Bool {
    isWordByte(byte) || byte == UInt8(ascii: "-")
  }
  @Sendable private static func isJWTByte(_ byte: UInt8) -> Bool {
    isTokenByte(byte) || byte == UInt8(ascii: ".")
  }
  @Sendable private static func isPEMByte(_ byte: UInt8) -> Bool {
    isUpperOrDigit(byte) || byte == 0x20 || byte == UInt8(ascii: "-")
  }
  @Sendable private static func isPathByte(_ byte: UInt8) -> Bool {
    isTokenByte(byte) || [".", "/", "\\", "~", "@", "+", ":"].contains(Unicode.Scalar(byte))
  }
}
