/// What a stored reference means today; the stored text is kept whatever the outcome.
public struct SourceResolution: Sendable {
  /// What a reference stands for.
  ///
  /// Not `Equatable` on purpose: two references that are both unresolved do not stand for the same source.
  public enum Outcome: Sendable {
    /// An entry of the catalog.
    case source(SourceEntry)
    /// Content on the device itself.
    case local
    /// A source that the writer of the reference did not know either.
    case unknown
    /// The reference holds nothing but white space.
    case empty
    /// A source of another client, by its number from 1 to 2^63 - 1.
    case mihon(UInt64)
    /// Nothing that is known; it may resolve again with another catalog.
    case unresolved
  }

  /// The stored text, byte for byte.
  public let reference: String
  /// The title stored beside the reference, or inside its JSON.
  public let lastKnownTitle: String?
  /// What the reference stands for.
  public let outcome: Outcome
  /// The old id of the alias that led to the source; `nil` when none was needed.
  public let viaAlias: SourceID?

  /// The text to write back: the canonical form of what was understood, the stored text of what was not.
  ///
  /// A source is `JS_` and its whole id, also when the id begins with `JS_` itself: `{"name":"JS_JS_ABC"}` for the
  /// id `JS_ABC`. One tag comes off on reading, so that the form always leads back to the same entry.
  public var syncedForm: String {
    switch outcome {
    case .source(let entry): Self.wrapped("JS_" + entry.id.text)
    case .local: Self.wrapped("LOCAL")
    case .unknown: Self.wrapped("UNKNOWN")
    case .mihon(let number): Self.wrapped("MIHON_\(number)")
    case .empty, .unresolved: reference
    }
  }

  /// Whether both references certainly stand for the same source.
  ///
  /// References that were not understood do so only when they are the same bytes; empty and unknown ones never do.
  public func isSameSource(as other: SourceResolution) -> Bool {
    switch (outcome, other.outcome) {
    case (.source(let mine), .source(let theirs)): mine.id == theirs.id
    case (.mihon(let mine), .mihon(let theirs)): mine == theirs
    case (.local, .local): true
    case (.unresolved, .unresolved): reference.hasSameBytes(as: other.reference)
    default: false
    }
  }

  private static func wrapped(_ name: String) -> String {
    let object = JSONValue.object([JSONMember("name", .string(name))])
    return String(decoding: object.encoded(indented: false), as: UTF8.self)
  }
}
