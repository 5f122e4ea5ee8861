/// The identity of a source in a catalog, compared byte for byte.
///
/// Swift calls the composed and the decomposed spelling of `é` equal; an id does not. Whether two ids are spellings
/// of the same source is another question, which `SourceSpelling` answers.
public struct SourceID: Hashable, Sendable {
  /// The largest number of UTF-8 bytes of an id.
  public static let maxBytes = 256

  private let exact: ExactText

  /// Takes a text of 1 to 256 bytes without control characters and without white space at either end.
  public init?(_ text: String) {
    guard !text.isEmpty, text.utf8.count <= Self.maxBytes, !text.unicodeScalars.contains(where: isControl),
      SourceSpelling.trimmed(text).utf8.count == text.utf8.count
    else { return nil }
    exact = ExactText(text)
  }

  /// The id as it was written.
  public var text: String { exact.text }
}

extension SourceID: CustomStringConvertible {
  /// The id as it was written.
  public var description: String { text }
}

/// Whether a code is one of the C0 or C1 controls, or DEL.
private func isControl(_ scalar: Unicode.Scalar) -> Bool {
  scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
}
