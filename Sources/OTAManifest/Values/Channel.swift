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

  /// The path of the document on a rollout that goes on in the channel.
  public var rolloutPath: String { self == .stable ? "rollout.json" : "channels/\(name)/rollout.json" }

  /// The path of the channel's advisories.
  public var advisoriesPath: String {
    self == .stable ? "advisories.json" : "channels/\(name)/advisories.json"
  }

  /// What stands between the name of a channel and the contract of a line of it.
  private static let lineMark = "-line-"

  /// The line of this channel for apps that implement a contract; `nil` when its name would be too long.
  public func line(_ contract: Int64) -> Channel? {
    isLine ? nil : Channel("\(name)\(Self.lineMark)\(contract)")
  }

  /// The channel that this one is a line of, and the contract; `nil` for a channel of its own.
  public var lineOf: (channel: Channel, contract: Int64)? {
    guard let mark = name.ranges(of: Self.lineMark).last, let channel = Channel(name[..<mark.lowerBound]),
      let contract = ReleaseVersion(decimal: name[mark.upperBound...])?.number
    else { return nil }
    return (channel, contract)
  }

  /// Whether it is a line of another channel.
  public var isLine: Bool { lineOf != nil }
}

extension Channel: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}
