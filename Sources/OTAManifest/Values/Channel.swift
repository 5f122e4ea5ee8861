/// The name of a channel: lower-case letters, digits and hyphens, at most 32, beginning with a letter or digit.
public struct Channel: Hashable, Sendable {
  /// The channel that `manifest.json` at the root of a feed belongs to.
  public static let stable = Channel(checked: "stable")

  /// The name, fit for a folder name and a URL as it stands.
  public let name: String

  private init(checked name: String) { self.name = name }

  /// Takes a well-formed name; `nil` for any other.
  public init?(_ name: some StringProtocol) {
    guard (1...32).contains(name.utf8.count), name.utf8.first != UInt8(ascii: "-"),
      name.utf8.allSatisfy({ isDigit($0) || ($0 >= 0x61 && $0 <= 0x7A) || $0 == UInt8(ascii: "-") })
    else { return nil }
    self.name = String(name)
  }

  /// The path of the channel's newest manifest below the root of a feed.
  public var manifestPath: String {
    self == .stable ? "manifest.json" : "channels/\(name)/manifest.json"
  }
}

extension Channel: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}
