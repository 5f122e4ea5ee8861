/// One token of JavaScript, as much of it as telling code from text needs.
struct ScriptToken: Equatable {
  enum Kind: Equatable {
    case identifier, number, string, regex, comment
    /// A part of a template literal between its quotes and substitutions, with what encloses it.
    case template
    /// One of the operators that consist of several characters and are told apart here.
    case arrow, optionalChain, equality, logical, increment
    /// Any other single character.
    case punctuator(UInt8)
  }

  let kind: Kind
  /// The bytes of the token.
  let range: Range<Int>

  func isPunctuator(_ character: Unicode.Scalar) -> Bool { kind == .punctuator(UInt8(ascii: character)) }
}
