/// A version of the app that embeds the client, such as `2.1.0`: one to four numbers, compared part by part.
public struct AppVersion: Hashable, Comparable, Sendable {
  /// The four parts, absent ones as 0, so that `2.1` equals `2.1.0`.
  private let parts: [UInt32]
  /// The text as it was given.
  public let text: String

  /// Reads one to four decimal numbers with dots between; `nil` for anything else, suffixes included.
  public init?(_ text: some StringProtocol) {
    let pieces = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...4).contains(pieces.count) else { return nil }
    var parts: [UInt32] = []
    for piece in pieces {
      guard (1...9).contains(piece.utf8.count), piece.utf8.allSatisfy(isDigit), let part = UInt32(piece)
      else {
        return nil
      }
      parts.append(part)
    }
    self.parts = parts + Array(repeating: 0, count: 4 - parts.count)
    self.text = String(text)
  }

  /// Equality of the numbers; the spelling does not count.
  public static func == (left: AppVersion, right: AppVersion) -> Bool { left.parts == right.parts }

  /// Hashes the numbers.
  public func hash(into hasher: inout Hasher) { hasher.combine(parts) }

  /// Order by the first part that differs.
  public static func < (left: AppVersion, right: AppVersion) -> Bool {
    left.parts.lexicographicallyPrecedes(right.parts)
  }
}

extension AppVersion: CustomStringConvertible {
  /// The text as it was given.
  public var description: String { text }
}
