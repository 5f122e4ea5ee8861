internal import OTAManifest

/// A shell pattern for the paths of targets: `*` and `?` within one part between slashes, `[abc]`, `[a-z]`, `[!abc]`.
///
/// A pattern with two slashes matches paths with two slashes alone, as glob(7) has it. Case matters.
public struct PathPattern: Sendable {
  /// The pattern as written.
  public let text: String

  /// Takes any text; one without special characters matches itself alone.
  public init(_ text: String) { self.text = text }

  /// Whether a path matches, part by part.
  public func matches(_ path: String) -> Bool {
    let parts = Self.parts(of: text)
    let names = Self.parts(of: path)
    return parts.count == names.count && zip(parts, names).allSatisfy { Self.part($0, matches: $1) }
  }

  private static func parts(of text: String) -> [ArraySlice<Unicode.Scalar>] {
    Array(text.unicodeScalars).split(separator: "/", omittingEmptySubsequences: false)
  }

  /// Goes back to the last star alone, so that no pattern takes more than quadratic time.
  private static func part(
    _ pattern: ArraySlice<Unicode.Scalar>, matches name: ArraySlice<Unicode.Scalar>
  ) -> Bool {
    var (rest, left) = (pattern, name)
    var retry: (pattern: ArraySlice<Unicode.Scalar>, name: ArraySlice<Unicode.Scalar>)?
    while true {
      if rest.first == "*" {
        rest = rest.dropFirst()
        retry = (rest, left)
      } else if let scalar = left.first, let after = step(rest, over: scalar) {
        (rest, left) = (after, left.dropFirst())
      } else if rest.isEmpty && left.isEmpty {
        return true
      } else if let last = retry, !last.name.isEmpty {
        retry = (last.pattern, last.name.dropFirst())
        (rest, left) = (last.pattern, last.name.dropFirst())
      } else {
        return false
      }
    }
  }

  /// The pattern after the one element that matches the scalar; `nil` when it does not.
  private static func step(
    _ pattern: ArraySlice<Unicode.Scalar>, over scalar: Unicode.Scalar
  ) -> ArraySlice<Unicode.Scalar>? {
    guard let first = pattern.first else { return nil }
    if first == "?" { return pattern.dropFirst() }
    if first == "[", let set = ScalarSet(pattern) { return set.contains(scalar) ? set.rest : nil }
    return first == scalar ? pattern.dropFirst() : nil
  }
}

/// A set such as `[a-z]` at the start of a pattern; `nil` when its bracket is never closed, which makes it plain text.
private struct ScalarSet {
  let rest: ArraySlice<Unicode.Scalar>
  private let isNegated: Bool
  private let members: ArraySlice<Unicode.Scalar>

  init?(_ pattern: ArraySlice<Unicode.Scalar>) {
    var body = pattern.dropFirst()
    isNegated = body.first == "!"
    if isNegated { body = body.dropFirst() }
    // A closing bracket that comes first is a member.
    guard let end = body.dropFirst().firstIndex(of: "]") else { return nil }
    members = body[..<end]
    rest = pattern[(end + 1)...]
  }

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    var left = members
    while let low = left.popFirst() {
      var high = low
      if left.first == "-", let end = left.dropFirst().first {
        high = end
        left = left.dropFirst(2)
      }
      if low <= scalar && scalar <= high { return !isNegated }
    }
    return isNegated
  }
}
