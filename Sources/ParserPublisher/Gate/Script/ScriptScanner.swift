/// Splits JavaScript into tokens, so that text in strings, comments and patterns is never taken for code.
///
/// It never fails: what is no JavaScript gives some tokens, and the engine says what is wrong with it. Whether a slash
/// divides or begins a pattern is decided by the token before it, and a pattern never goes beyond its line.
struct ScriptScanner {
  let bytes: [UInt8]
  private var position = 0
  private var previous: ScriptToken?
  /// For each open parenthesis, whether it belongs to `if`, `while`, `for` or `with`.
  private var parentheses: [Bool] = []
  private var closedControl = false
  /// The open braces inside each open substitution of a template literal.
  private var substitutions: [Int] = []

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The text of a token.
  func text(_ token: ScriptToken) -> String { String(decoding: bytes[token.range], as: UTF8.self) }

  /// Whether a token is the identifier or keyword `word`.
  func isWord(_ token: ScriptToken?, _ word: String) -> Bool {
    guard let token, token.kind == .identifier, token.range.count == word.utf8.count else { return false }
    return bytes[token.range].elementsEqual(word.utf8)
  }

  /// The next token; `nil` at the end.
  mutating func next() -> ScriptToken? {
    skipBlanks()
    guard position < bytes.count else { return nil }
    let token = scan()
    position = token.range.upperBound
    if token.kind != .comment { note(token) }
    return token
  }

  private mutating func skipBlanks() {
    while position < bytes.count, bytes[position] <= 0x20 { position += 1 }
  }

  private func byte(_ offset: Int) -> UInt8 {
    position + offset < bytes.count ? bytes[position + offset] : 0
  }

  private mutating func scan() -> ScriptToken {
    let first = bytes[position]
    switch first {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return token(.string, to: endOfString(first))
    case UInt8(ascii: "`"): return template(from: position + 1)
    case UInt8(ascii: "}") where substitutions.last == 0:
      substitutions.removeLast()
      return template(from: position + 1)
    case UInt8(ascii: "/"): return slash()
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return token(.number, to: endOfNumber())
    case _ where Self.isIdentifierByte(first): return token(.identifier, to: endOfIdentifier())
    default: return punctuator(first)
    }
  }

  private func token(_ kind: ScriptToken.Kind, to end: Int) -> ScriptToken {
    ScriptToken(kind: kind, range: position..<end)
  }

  /// Keeps what later slashes and braces depend on.
  private mutating func note(_ token: ScriptToken) {
    switch token.kind {
    case .punctuator(UInt8(ascii: "(")):
      parentheses.append(["if", "while", "for", "with"].contains { isWord(previous, $0) })
    case .punctuator(UInt8(ascii: ")")): closedControl = parentheses.popLast() ?? false
    case .punctuator(UInt8(ascii: "{")):
      if let open = substitutions.last { substitutions[substitutions.count - 1] = open + 1 }
    case .punctuator(UInt8(ascii: "}")):
      if let open = substitutions.last { substitutions[substitutions.count - 1] = open - 1 }
    default: break
    }
    previous = token
  }

  // MARK: Strings and templates

  private func endOfString(_ quote: UInt8) -> Int {
    var end = position + 1
    while end < bytes.count, bytes[end] != quote, bytes[end] != 0x0A {
      end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(end + 1, bytes.count)
  }

  private mutating func template(from start: Int) -> ScriptToken {
    var end = start
    while end < bytes.count, bytes[end] != UInt8(ascii: "`") {
      if bytes[end] == UInt8(ascii: "$"), end + 1 < bytes.count, bytes[end + 1] == UInt8(ascii: "{") {
        substitutions.append(0)
        return token(.template, to: end + 2)
      }
      end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    return token(.template, to: min(end + 1, bytes.count))
  }

  // MARK: Slashes

  private mutating func slash() -> ScriptToken {
    if byte(1) == UInt8(ascii: "/") {
      return token(.comment, to: bytes[position...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count)
    }
    if byte(1) == UInt8(ascii: "*") { return token(.comment, to: endOfBlockComment()) }
    if mayBeginPattern, let end = endOfPattern() { return token(.regex, to: end) }
    return punctuator(UInt8(ascii: "/"))
  }

  private func endOfBlockComment() -> Int {
    var end = position + 2
    while end + 1 < bytes.count, bytes[end] != UInt8(ascii: "*") || bytes[end + 1] != UInt8(ascii: "/") {
      end += 1
    }
    return min(end + 2, bytes.count)
  }

  /// Words after which an expression begins.
  private static let expressionWords = [
    "return", "typeof", "case", "in", "of", "instanceof", "new", "delete", "void", "throw", "else", "do",
    "yield", "await",
  ]

  /// Whether an expression, and not an operator, can stand here.
  private var mayBeginPattern: Bool {
    guard let previous else { return true }
    switch previous.kind {
    case .identifier: return Self.expressionWords.contains { isWord(previous, $0) }
    case .number, .string, .regex, .increment: return false
    case .template: return bytes[previous.range.upperBound - 1] == UInt8(ascii: "{")
    case .punctuator(UInt8(ascii: ")")): return closedControl
    case .punctuator(UInt8(ascii: "]")): return false
    case .arrow, .optionalChain, .equality, .logical, .punctuator, .comment: return true
    }
  }

  /// The end of a pattern with its flags; `nil` when the line ends before the pattern does.
  private func endOfPattern() -> Int? {
    var end = position + 1
    var isInClass = false
    while end < bytes.count, bytes[end] != 0x0A {
      switch bytes[end] {
      case UInt8(ascii: "\\"): end += 1
      case UInt8(ascii: "["): isInClass = true
      case UInt8(ascii: "]"): isInClass = false
      case UInt8(ascii: "/") where !isInClass:
        end += 1
        while end < bytes.count, Self.isIdentifierByte(bytes[end]) { end += 1 }
        return end
      default: break
      }
      end += 1
    }
    return nil
  }

  // MARK: Words and operators

  private func endOfNumber() -> Int {
    var end = position
    while end < bytes.count, Self.isIdentifierByte(bytes[end]) || bytes[end] == UInt8(ascii: ".") { end += 1 }
    return end
  }

  private func endOfIdentifier() -> Int {
    var end = position
    while end < bytes.count, Self.isIdentifierByte(bytes[end]) { end += 1 }
    return end
  }

  /// Whether a byte can be part of a name; every one of a character outside of ASCII counts.
  static func isIdentifierByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  private func punctuator(_ first: UInt8) -> ScriptToken {
    let second = byte(1)
    switch (first, second) {
    case (UInt8(ascii: "="), UInt8(ascii: ">")): return token(.arrow, to: position + 2)
    case (UInt8(ascii: "="), UInt8(ascii: "=")), (UInt8(ascii: "!"), UInt8(ascii: "=")):
      return token(.equality, to: position + (byte(2) == UInt8(ascii: "=") ? 3 : 2))
    case (UInt8(ascii: "&"), UInt8(ascii: "&")), (UInt8(ascii: "|"), UInt8(ascii: "|")),
      (UInt8(ascii: "?"), UInt8(ascii: "?")):
      return token(.logical, to: position + 2)
    case (UInt8(ascii: "+"), UInt8(ascii: "+")), (UInt8(ascii: "-"), UInt8(ascii: "-")):
      return token(.increment, to: position + 2)
    case (UInt8(ascii: "?"), UInt8(ascii: "."))
    where !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte(2)):
      return token(.optionalChain, to: position + 2)
    default: return token(.punctuator(first), to: position + 1)
    }
  }
}
