public import OTAManifest

/// What a maintainer says is meant: every finding of a check, or those about one source or thing.
public struct Allowance: Hashable, Sendable {
  /// The check.
  public let code: GateCode
  /// A source id, or the subject of a finding; `nil` for all findings of the check.
  public let name: String?

  /// Allows all findings of a check, or those that are about `name`.
  public init(_ code: GateCode, _ name: String? = nil) { (self.code, self.name) = (code, name) }

  /// Reads `CODE` or `CODE:ID`.
  ///
  /// - Throws: `InputError` whose detail reads on from the name of the option.
  public init(text: String) throws(InputError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let code = GateCode(rawValue: parts[0]), code.isAllowable else {
      let codes = GateCode.allCases.filter(\.isAllowable).map(\.rawValue).joined(separator: ", ")
      throw InputError(.malformed, "must begin with the code of a finding: \(codes)")
    }
    let maxBytes = Limits.standard.maxAllowedBytes
    guard parts.count == 1 || !parts[1].isEmpty, text.utf8.count <= maxBytes else {
      throw InputError(
        .malformed, "must be CODE or CODE:ID, such as dangling-call:ABC, of at most \(maxBytes) bytes")
    }
    self.init(code, parts.count == 2 ? parts[1] : nil)
  }

  /// The allowance as it was written.
  public var text: String { code.rawValue + (name.map { ":" + $0 } ?? "") }

  /// Equality on bytes: two spellings that Unicode calls equal are two names.
  public static func == (left: Allowance, right: Allowance) -> Bool { left.text.hasSameBytes(as: right.text) }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(Array(text.utf8)) }
}
