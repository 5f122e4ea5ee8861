/// The number of a release: a whole number from 1 to 2^53 - 1, one sequence for a whole feed.
public struct ReleaseVersion: Hashable, Comparable, Sendable {
  /// The largest version, 2^53 - 1: the largest integer that every JSON reader keeps exactly.
  public static let maximum = ReleaseVersion(checked: JSONObject.maxExactInteger)
  /// The first version of a feed.
  public static let first = ReleaseVersion(checked: 1)

  /// The number.
  public let number: Int64

  private init(checked number: Int64) { self.number = number }

  /// Takes a number from 1 to 2^53 - 1; `nil` for any other.
  public init?(_ number: Int64) {
    guard number >= 1, number <= JSONObject.maxExactInteger else { return nil }
    self.number = number
  }

  /// Reads plain decimal digits: no sign, no white space, no leading zero, ASCII digits only.
  public init?(decimal text: some StringProtocol) {
    guard let first = text.utf8.first, first != UInt8(ascii: "0"), text.utf8.count <= 16,
      text.utf8.allSatisfy(isDigit), let number = Int64(text)
    else { return nil }
    self.init(number)
  }

  /// The number that stands for a tag such as `v2.6`, `v2.10`, `2.1.6` or `v10.0`: major × 1 000 000 + minor × 1 000 + patch.
  ///
  /// The one place where tags become numbers, for the check and for the writer alike, so that later tags always
  /// give larger numbers. Up to three parts; minor and patch at most 999, major at most 999 999 999.
  public init?(tag: some StringProtocol) {
    let digits = tag.utf8.first == UInt8(ascii: "v") ? tag.dropFirst() : tag[...]
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count) else { return nil }
    var number: Int64 = 0
    for index in 0..<3 {
      guard index < parts.count else {
        number *= 1000
        continue
      }
      let text = parts[index]
      guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy(isDigit), let part = Int64(text),
        index == 0 || part <= 999
      else { return nil }
      number = number * 1000 + part
    }
    self.init(number)
  }

  /// The version after this one; `nil` after the largest.
  public var next: ReleaseVersion? { ReleaseVersion(number + 1) }

  /// Order by number.
  public static func < (left: ReleaseVersion, right: ReleaseVersion) -> Bool { left.number < right.number }
}

extension ReleaseVersion: CustomStringConvertible {
  /// The number in decimal.
  public var description: String { String(number) }
}
