/// A path below the root of a feed: plain ASCII names with `/` between, never up, never absolute.
public struct RelativePath: Hashable, Sendable {
  /// The names in order, each of letters, digits and `. _ ~ -`, none of them `.` or `..`.
  public let components: [String]

  /// The path with `/` between its names.
  public var text: String { components.joined(separator: "/") }

  /// A path that stands for files that are nowhere, for releases that are made up.
  package static let madeUp = RelativePath(checked: ["made-up"])

  private init(checked components: [String]) { self.components = components }

  /// Reads a path of at most `Limits.maxURLBytes` bytes.
  ///
  /// - Throws: `InputError` whose detail reads on from the name of the field.
  public init(_ text: String) throws(InputError) {
    guard !text.isEmpty else { throw InputError(.forbiddenURL, "is empty") }
    guard text.utf8.count <= Limits.standard.maxURLBytes else {
      throw InputError(.forbiddenURL, "is longer than \(Limits.standard.maxURLBytes) bytes")
    }
    let components = text.split(separator: "/", omittingEmptySubsequences: false)
    for component in components {
      guard !component.isEmpty else {
        throw InputError(
          .forbiddenURL, "begins or ends with \"/\" or has an empty part: give https://… or a relative path")
      }
      guard component != ".", component != ".." else {
        throw InputError(.forbiddenURL, "has a \".\" or \"..\" part: a file must lie below the feed")
      }
      guard component.utf8.count <= 255, component.utf8.allSatisfy(Self.isAllowed) else {
        throw InputError(
          .forbiddenURL, "has a character other than ASCII letters, digits, \".\", \"_\", \"~\" and \"-\"")
      }
    }
    self.components = components.map(String.init)
  }

  private static func isAllowed(_ code: UInt8) -> Bool {
    isDigit(code) || isLetter(code) || "._~-".utf8.contains(code)
  }
}

extension RelativePath: CustomStringConvertible {
  /// The path with `/` between its names.
  public var description: String { text }
}
