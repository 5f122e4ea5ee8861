/// A source id that changed its name: references to `old` mean `new`.
public struct SourceAlias: Hashable, Sendable {
  /// The id that older releases used.
  public let old: String
  /// The id that stands for it now.
  public let new: String

  /// Makes an alias.
  public init(old: String, new: String) {
    self.old = old
    self.new = new
  }
}
