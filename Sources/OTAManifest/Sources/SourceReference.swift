/// A reference to a source as some client once stored it, in any of the forms that `SourceResolver` knows.
public struct SourceReference: Sendable {
  /// The stored text, white space and JSON wrapping included.
  public let text: String
  /// The title that was stored beside it, to show when the source is gone.
  public let lastKnownTitle: String?

  /// Makes a reference.
  public init(text: String, lastKnownTitle: String? = nil) {
    self.text = text
    self.lastKnownTitle = lastKnownTitle
  }
}
