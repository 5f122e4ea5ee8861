/// The identity of a source in a catalog, compared byte for byte.
///
/// Swift calls the composed and the decomposed spelling of `é` equal; an id does not. Whether two ids are spellings
/// of the same source is another question, which `SourceSpelling` answers. People must see what they compare, so codes that
/// show nothing, or change the direction of the text, are refused.
public struct SourceID: Hashable, Sendable {
  /// The largest number of UTF-8 bytes of an id.
  public static let maxBytes = 256

  private let exact: ExactText

  /// Takes a text of 1 to 256 bytes without controls and invisible codes, and without white space at either end.
  public init?(_ text: String) {
    guard !text.isEmpty, text.utf8.count <= Self.maxBytes, text.unicodeScalars.allSatisfy(\.isVisible),
      SourceSpelling.trimmed(text).utf8.count == text.utf8.count
    else { return nil }
    exact = ExactText(text)
  }

  /// Why a text cannot be an id, as the end of a sentence that begins with its field; `nil` when it can.
  static func refusal(of text: String) -> String? {
    guard SourceID(text) == nil else { return nil }
    if text.isEmpty { return "is empty" }
    let shown = "is \"\(text.escaped())\""
    if let hidden = text.unicodeScalars.first(where: { !$0.isVisible }) {
      let code = String(hidden.value, radix: 16, uppercase: true)
      let padding = String(repeating: "0", count: max(0, 4 - code.utf8.count))
      return "\(shown): an id must not contain the invisible character U+\(padding)\(code)"
    }
    if text.utf8.count > maxBytes { return "\(shown): an id has at most \(maxBytes) bytes" }
    return "\(shown): an id must not begin or end with white space"
  }

  /// The id as it was written.
  public var text: String { exact.text }
}

extension SourceID: CustomStringConvertible {
  /// The id as it was written.
  public var description: String { text }
}

extension StringProtocol {
  /// The text with every code that shows nothing as an escape such as `\u{202E}`, for messages about such codes.
  public func escaped(maxCharacters: Int = 80) -> String {
    var shown = ""
    for (index, scalar) in unicodeScalars.enumerated() {
      guard index < maxCharacters else { return shown + "…" }
      if scalar.isVisible {
        shown.unicodeScalars.append(scalar)
      } else {
        shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
    }
    return shown
  }
}

extension Unicode.Scalar {
  /// Whether people see the code where it stands: no control, no format or bidirectional code, nothing ignorable.
  fileprivate var isVisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: false
    default: !properties.isDefaultIgnorableCodePoint && !properties.isNoncharacterCodePoint
    }
  }
}
