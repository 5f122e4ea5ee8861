/// A SHA-256 digest: exactly 32 bytes, compared as bytes.
public struct Digest: Hashable, Sendable {
  /// The number of bytes of a SHA-256 digest.
  public static let byteCount = 32

  /// The 32 bytes, most significant first as SHA-256 defines them.
  public let bytes: [UInt8]

  /// A made-up digest that stands for a number, for releases that have no files.
  package init(standingFor number: Int64) {
    bytes = (0..<Self.byteCount).map { index in
      index < 8 ? UInt8(truncatingIfNeeded: number >> (8 * Int64(index))) : 0
    }
  }

  /// Takes 32 bytes; `nil` for any other count.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Reads 64 hexadecimal digits in either case; `nil` for anything else, white space and prefixes included.
  public init?(hex: some StringProtocol) {
    let digits = hex.utf8
    guard digits.count == 2 * Self.byteCount else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.byteCount)
    var high: UInt8?
    for digit in digits {
      guard let value = hexValue(digit) else { return nil }
      if let upper = high {
        bytes.append(upper << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    self.bytes = bytes
  }

  /// The digest as 64 lower-case hexadecimal digits.
  public var hex: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.count)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension Digest: CustomStringConvertible {
  /// The digest in hexadecimal.
  public var description: String { hex }
}

/// The value of a hexadecimal digit in either case; `nil` for any other code.
func hexValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
  default: nil
  }
}
