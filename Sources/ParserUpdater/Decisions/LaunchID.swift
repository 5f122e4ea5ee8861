/// The name of one launch: what a confirmation speaks for.
public struct LaunchID: Hashable, Sendable {
  /// 16 lower-case hexadecimal digits.
  public let text: String

  /// Takes the text of a launch that was printed or stored before; `nil` for anything else.
  public init?(_ text: String) {
    guard text.utf8.count == 16,
      text.utf8.allSatisfy({ ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x66) })
    else { return nil }
    self.text = text
  }

  /// A name that no other launch has: 64 random bits.
  static func random() -> LaunchID {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return LaunchID(padded: String(repeating: "0", count: 16 - digits.utf8.count) + digits)
  }

  /// The 64 bits that the text stands for.
  var number: UInt64 { text.utf8.reduce(0) { $0 << 4 | UInt64($1 < 0x40 ? $1 - 0x30 : $1 - 0x57) } }

  private init(padded text: String) { self.text = text }
}

extension LaunchID: CustomStringConvertible {
  /// The 16 digits.
  public var description: String { text }
}
