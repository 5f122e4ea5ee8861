/// A JSON document as it was written: members in order, numbers as their text, strings as exact code units.
public enum JSONValue: Equatable, Sendable {
  case object([JSONMember])
  case array([JSONValue])
  case string(String)
  case number(JSONNumber)
  case bool(Bool)
  case null

  /// A number value for a whole number.
  public static func integer(_ value: Int64) -> JSONValue { .number(JSONNumber(value)) }

  /// The kind of value as a word for messages, with its article: `an object`, `a string`.
  public var kindName: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .bool: "true or false"
    case .null: "null"
    }
  }

  /// Equality on bytes: strings that Unicode calls equivalent but that differ in bytes are different here.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.object(let a), .object(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
    case (.number(let a), .number(let b)): a == b
    case (.bool(let a), .bool(let b)): a == b
    case (.null, .null): true
    default: false
    }
  }
}

/// One `"key": value` of an object.
public struct JSONMember: Equatable, Sendable {
  /// The key after unescaping.
  public let key: String
  /// The value.
  public let value: JSONValue

  /// Makes a member.
  public init(_ key: String, _ value: JSONValue) {
    self.key = key
    self.value = value
  }

  /// Equality on the bytes of the key, and on the value.
  public static func == (left: JSONMember, right: JSONMember) -> Bool {
    left.key.hasSameBytes(as: right.key) && left.value == right.value
  }
}

/// A JSON number, kept as its text so that nothing is ever rounded.
public struct JSONNumber: Equatable, Sendable {
  /// The text as written, for example `38`, `38.0` or `1e400`.
  public let text: String

  /// Takes a text that the reader has checked against the JSON grammar.
  init(checked text: String) { self.text = text }

  /// A whole number.
  public init(_ value: Int64) { text = String(value) }

  /// The value when the text is a plain integer (no fraction, no exponent, no `-0`) that fits in 64 bits.
  public var integer: Int64? {
    guard text != "-0", text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || isDigit($0) }) else { return nil }
    return Int64(text)
  }
}

extension StringProtocol {
  /// Whether both texts have the same UTF-8 bytes; Swift's `==` would also accept canonically equivalent ones.
  public func hasSameBytes(as other: some StringProtocol) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }
}

/// Whether an ASCII code is one of `0` to `9`.
func isDigit(_ code: UInt8) -> Bool { code >= UInt8(ascii: "0") && code <= UInt8(ascii: "9") }
