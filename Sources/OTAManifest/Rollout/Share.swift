/// A part of all devices, exact to a hundredth of a percent.
public struct Share: Hashable, Comparable, Sendable {
  /// How many of 10 000 devices, from 0 to 10 000.
  public let parts: Int

  /// All devices.
  public static let all = Share(checked: whole)
  /// No device.
  public static let none = Share(checked: 0)
  /// The parts of all devices.
  public static let whole = 10_000

  private init(checked parts: Int) { self.parts = parts }

  /// Takes a number of parts from 0 to 10 000; `nil` for any other.
  public init?(parts: Int64) {
    guard (0...Int64(Self.whole)).contains(parts) else { return nil }
    self.parts = Int(parts)
  }

  /// Reads `25%`, `0.5%` or `25`, with at most two decimals; `nil` for anything else.
  public init?(_ text: some StringProtocol) {
    let digits = text.hasSuffix("%") ? text.dropLast() : text[...]
    let pieces = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(pieces.count),
      pieces.allSatisfy({ (1...3).contains($0.utf8.count) && $0.utf8.allSatisfy(isDigit) }),
      let percent = Int64(pieces[0])
    else { return nil }
    var hundredths: Int64 = 0
    if pieces.count == 2 {
      guard pieces[1].utf8.count <= 2, let decimals = Int64(pieces[1]) else { return nil }
      hundredths = pieces[1].utf8.count == 1 ? decimals * 10 : decimals
    }
    self.init(parts: percent * 100 + hundredths)
  }

  /// Whether a device with this bucket, from 0 to 9999, is inside.
  public func contains(bucket: Int) -> Bool { bucket < parts }

  /// Order by size.
  public static func < (left: Share, right: Share) -> Bool { left.parts < right.parts }
}

extension Share: CustomStringConvertible {
  /// The share as people write it, such as `10%` or `0.25%`.
  public var description: String {
    let (percent, rest) = (parts / 100, parts % 100)
    if rest == 0 { return "\(percent)%" }
    if rest % 10 == 0 { return "\(percent).\(rest / 10)%" }
    return "\(percent).\(rest < 10 ? "0" : "")\(rest)%"
  }
}
