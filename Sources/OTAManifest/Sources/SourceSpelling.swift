/// The one normaliser of source names: which spellings stand for the same source, on both sides of a comparison.
///
/// A name has up to three *forms*. Two names are spellings of one source when one of their forms is the same;
/// forms are compared by their keys: case, width and Unicode's other compatible spellings do not count (`NameFolding`).
///
/// | name | forms |
/// | --- | --- |
/// | `ABC` | `ABC` |
/// | `JS_ABC` | `JS_ABC`, `ABC` |
/// | `parser:ABC`, `script:ABC` | the whole, `ABC` |
/// | `parser:JS_ABC` | the whole, `JS_ABC`, `ABC` |
/// | `JS_JS_ABC` | the whole, `JS_ABC`: one tag comes off, never two |
/// | `script:parser:ABC` | the whole, `parser:ABC`: one scheme comes off, never two |
/// | `JS_parser:ABC` | the whole, `parser:ABC`: the scheme comes first, so it is not taken off after the tag |
/// | `xparser:ABC`, `parser:`, `JS_` | the whole: schemes and tags stand at the start, before something |
enum SourceSpelling {
  private static let schemes = ["parser:", "script:"]
  private static let tag = "JS_"
  private static let foldedTag = "js_"

  /// The text without ASCII white space, U+00A0, U+FEFF and U+200B at either end.
  static func trimmed(_ text: String) -> String {
    if let first = text.utf8.first, let last = text.utf8.last, isPlain(first), isPlain(last) { return text }
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !isBlank($0) }),
      let last = scalars.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(scalars[first...last])
  }

  /// The forms of a trimmed name as they are written, the whole name first.
  static func forms(of name: String) -> [String] { forms(of: name, tag: tag) }

  /// The keys of the forms of a trimmed name, the whole name first.
  static func foldedForms(of name: String) -> [String] {
    forms(of: NameFolding.key(of: name), tag: foldedTag)
  }

  /// The form that `content:` and `data:` references use: the key of the name, with `_` written as `-`.
  static func slug(of name: String) -> String {
    let underscore = UInt8(ascii: "_")
    let hyphen = UInt8(ascii: "-")
    return String(
      decoding: NameFolding.key(of: name).utf8.map { $0 == underscore ? hyphen : $0 }, as: UTF8.self)
  }

  /// The rest of `name` after `prefix`, matched byte for byte; `nil` when it begins otherwise or nothing is left.
  static func rest(of name: String, after prefix: String) -> String? {
    guard name.utf8.count > prefix.utf8.count, name.utf8.starts(with: prefix.utf8) else { return nil }
    return String(Substring(name.utf8.dropFirst(prefix.utf8.count)))
  }

  private static func forms(of name: String, tag: String) -> [String] {
    var forms = [name]
    var bare = name
    for scheme in schemes {
      guard let rest = rest(of: name, after: scheme) else { continue }
      bare = rest
      forms.append(rest)
    }
    if let rest = rest(of: bare, after: tag) { forms.append(rest) }
    return forms
  }

  /// Whether a byte is printable ASCII, which no trimmed character begins or ends with.
  private static func isPlain(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x80 }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20, 0x09...0x0D, 0xA0, 0xFEFF, 0x200B: true
    default: false
    }
  }
}
