/// All tokens of a text but its comments, with the bracket that belongs to each bracket.
struct ScriptTokens {
  let bytes: [UInt8]
  let tokens: [ScriptToken]
  /// The index of the other bracket of a pair; -1 for all other tokens, and for brackets without their other half.
  let partners: [Int]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var scanner = ScriptScanner(bytes)
    var tokens: [ScriptToken] = []
    while let token = scanner.next() {
      if token.kind != .comment { tokens.append(token) }
    }
    self.tokens = tokens
    partners = Self.pair(tokens, bytes)
  }

  var indices: Range<Int> { tokens.indices }

  /// The token at an index; `nil` before the first and after the last.
  subscript(_ index: Int) -> ScriptToken? { tokens.indices.contains(index) ? tokens[index] : nil }

  func text(_ index: Int) -> String { String(decoding: bytes[tokens[index].range], as: UTF8.self) }

  func isWord(_ index: Int, _ word: String) -> Bool {
    guard let token = self[index], token.kind == .identifier, token.range.count == word.utf8.count else {
      return false
    }
    return bytes[token.range].elementsEqual(word.utf8)
  }

  func isWord(_ index: Int, in words: [String]) -> Bool { words.contains { isWord(index, $0) } }

  func isIdentifier(_ index: Int) -> Bool { self[index]?.kind == .identifier }

  func isPunctuator(_ index: Int, _ character: Unicode.Scalar) -> Bool {
    self[index]?.isPunctuator(character) ?? false
  }

  /// Whether a member's name follows.
  func isDot(_ index: Int) -> Bool {
    guard let token = self[index] else { return false }
    return token.isPunctuator(".") || token.kind == .optionalChain
  }

  /// Whether a token is the last before a value is given: `=`, and `=` after an operator, as in `??=` and `+=`.
  func isAssignment(_ index: Int) -> Bool {
    guard let token = self[index] else { return false }
    if token.isPunctuator("=") { return true }
    guard let next = self[index + 1], next.isPunctuator("="), next.range.lowerBound == token.range.upperBound
    else { return false }
    if token.kind == .logical { return true }
    return ["+", "-", "*", "/", "%", "&", "|", "^"].contains { token.isPunctuator($0) }
  }

  /// What stands between the quotes of a string; `nil` for all other tokens, and for strings with escapes.
  func content(ofString index: Int) -> String? {
    guard let token = self[index], token.kind == .string || token.kind == .template, token.range.count >= 2
    else { return nil }
    let inner = bytes[token.range].dropFirst().dropLast()
    let isWhole = token.kind == .string || bytes[token.range].last == UInt8(ascii: "`")
    guard isWhole, bytes[token.range.lowerBound] != UInt8(ascii: "}"), !inner.contains(UInt8(ascii: "\\"))
    else { return nil }
    return String(decoding: inner, as: UTF8.self)
  }

  // MARK: Brackets

  private static func pair(_ tokens: [ScriptToken], _ bytes: [UInt8]) -> [Int] {
    var partners = [Int](repeating: -1, count: tokens.count)
    var open: [(index: Int, sign: UInt8)] = []
    func close(_ index: Int, _ sign: UInt8) {
      guard let last = open.last, last.sign == sign else { return }
      open.removeLast()
      (partners[index], partners[last.index]) = (last.index, index)
    }
    for (index, token) in tokens.enumerated() {
      switch token.kind {
      case .punctuator(UInt8(ascii: "(")): open.append((index, UInt8(ascii: ")")))
      case .punctuator(UInt8(ascii: "[")): open.append((index, UInt8(ascii: "]")))
      case .punctuator(UInt8(ascii: "{")): open.append((index, UInt8(ascii: "}")))
      case .punctuator(let sign)
      where [UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}")].contains(sign):
        close(index, sign)
      case .template:
        if bytes[token.range.lowerBound] == UInt8(ascii: "}") { close(index, UInt8(ascii: "`")) }
        if bytes[token.range.upperBound - 1] == UInt8(ascii: "{") { open.append((index, UInt8(ascii: "`"))) }
      default: break
      }
    }
    return partners
  }
}
