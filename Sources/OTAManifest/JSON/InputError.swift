/// A refusal of bytes that came from outside: which field, what is wrong with it, and a stable reason.
public struct InputError: Error, Equatable, Sendable {
  /// Why the input was refused. The raw values are stable and name the refused samples under `manifests/`.
  public enum Reason: String, Sendable, CaseIterable {
    case empty
    case tooLarge = "too-large"
    case byteOrderMark = "byte-order-mark"
    case notUTF8 = "not-utf8"
    case html
    case syntax
    case tooDeep = "too-deep"
    case duplicateKey = "duplicate-key"
    case ambiguousKey = "ambiguous-key"
    case missing
    case wrongType = "wrong-type"
    case outOfRange = "out-of-range"
    case malformed
    case forbiddenURL = "forbidden-url"
    case duplicateID = "duplicate-id"
  }

  /// The stable reason.
  public let reason: Reason
  /// The place inside the document, such as `bundle.sha256` or `[3].id`; empty for the document as a whole.
  public let field: String
  /// What is wrong, as the end of a sentence that begins with the field: `is not 64 hexadecimal digits`.
  public let detail: String

  /// Makes a refusal of `field` for `reason`; `detail` reads on from the field's name.
  public init(_ reason: Reason, field: String = "", _ detail: String) {
    self.reason = reason
    self.field = field
    self.detail = detail
  }

  /// One sentence without the file's name: `bundle.sha256 is not 64 hexadecimal digits`.
  public var message: String { field.isEmpty ? detail : "\(field) \(detail)" }
}
