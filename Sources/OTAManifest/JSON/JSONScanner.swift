/// Reads the tokens of JSON from UTF-8 bytes that were checked beforehand.
struct JSONScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The byte under the cursor; `nil` at the end.
  var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The line and column of the cursor, from 1, columns in bytes.
  var place: String {
    let before = bytes.prefix(position)
    let line = 1 + before.count { $0 == UInt8(ascii: "\n") }
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return "line \(line), column \(position - start + 1)"
  }

  mutating func advance() { position = min(position + 1, bytes.count) }

  mutating func skipSpace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  /// Steps over the ASCII character `expected` when it comes next.
  mutating func take(_ expected: Unicode.Scalar) -> Bool {
    guard let byte = current, byte == UInt8(ascii: expected) else { return false }
    position += 1
    return true
  }

  /// Steps over `literal` when it comes next.
  mutating func takeWord(_ literal: String) -> Bool {
    guard bytes[position...].starts(with: literal.utf8) else { return false }
    position += literal.utf8.count
    return true
  }

  /// Reads a number by the grammar of RFC 8259 and keeps its text.
  mutating func number() throws(InputError) -> JSONNumber {
    let start = position
    _ = take("-")
    let leadingZero = current == UInt8(ascii: "0")
    guard skipDigits() > 0 else {
      throw InputError(.syntax, "is not a JSON value")
    }
    if leadingZero, isDigit(bytes[position - 1]),
      position - start > (bytes[start] == UInt8(ascii: "-") ? 2 : 1)
    {
      throw InputError(.syntax, "is a number with a leading zero")
    }
    if take("."), skipDigits() == 0 {
      throw InputError(.syntax, "is a number without digits after the point")
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      advance()
      if !take("+") { _ = take("-") }
      guard skipDigits() > 0 else { throw InputError(.syntax, "is a number without digits in its exponent") }
    }
    return JSONNumber(checked: String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while let byte = current, isDigit(byte) { position += 1 }
    return position - start
  }

  /// Reads a quoted string; the cursor stands on its opening quote.
  mutating func string() throws(InputError) -> String {
    advance()
    var text: [UInt8] = []
    while true {
      let run = plainRun()
      switch current {
      case UInt8(ascii: "\""):
        advance()
        return String(decoding: text.isEmpty ? run : (text + run)[...], as: UTF8.self)
      case UInt8(ascii: "\\"):
        advance()
        text += run
        try appendEscape(to: &text)
      case nil: throw InputError(.syntax, "is a string without a closing quote")
      default: throw InputError(.syntax, "has a raw control character inside a string")
      }
    }
  }

  /// Steps over the bytes of a string that stand for themselves.
  private mutating func plainRun() -> ArraySlice<UInt8> {
    let start = position
    while let byte = current, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
      position += 1
    }
    return bytes[start..<position]
  }

  private mutating func appendEscape(to text: inout [UInt8]) throws(InputError) {
    let escape = current
    advance()
    switch escape {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(escape ?? 0)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: try escapedScalar())
    default:
      throw InputError(.syntax, "has an unknown escape inside a string")
    }
  }

  /// Reads the digits after `\u`, and a second escape when the first is the high half of a pair.
  private mutating func escapedScalar() throws(InputError) -> [UInt8] {
    let first = try hexUnit()
    guard UTF16.isLeadSurrogate(first) || UTF16.isTrailSurrogate(first) else {
      return utf8(of: UInt32(first))
    }
    guard UTF16.isLeadSurrogate(first), takeWord("\\u") else {
      throw InputError(.syntax, "has half of a surrogate pair inside a string")
    }
    let second = try hexUnit()
    guard UTF16.isTrailSurrogate(second) else {
      throw InputError(.syntax, "has half of a surrogate pair inside a string")
    }
    return utf8(of: 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
  }

  private mutating func hexUnit() throws(InputError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = hexValue(byte) else {
        throw InputError(.syntax, "has a \\u escape without four hexadecimal digits")
      }
      unit = unit << 4 | UInt16(digit)
      advance()
    }
    return unit
  }

  private func utf8(of code: UInt32) -> [UInt8] {
    // Surrogates were excluded by the caller, so every code here is a scalar.
    guard let scalar = Unicode.Scalar(code) else { return [] }
    return Array(String(Character(scalar)).utf8)
  }
}
