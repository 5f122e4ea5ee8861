/// The one rule for text files of a release: UTF-8 without a byte-order mark.
public enum TextEncodingCheck {
  /// Refuses a byte-order mark, UTF-16 and UTF-32, and any sequence that is not UTF-8.
  ///
  /// - Throws: `InputError` with the offset of the first bad byte.
  public static func requirePlainUTF8(_ bytes: [UInt8]) throws(InputError) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw InputError(
        .byteOrderMark, "begins with a byte-order mark (BOM at byte 0): save it as UTF-8 without BOM")
    }
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) || bytes.prefix(4).contains(0) {
      throw InputError(.notUTF8, "is UTF-16 or binary, not UTF-8")
    }
    if let offset = firstInvalidOffset(in: bytes) {
      throw InputError(.notUTF8, "is not UTF-8: bad byte at offset \(offset)")
    }
  }

  /// The offset of the first byte that cannot belong to UTF-8; `nil` when all do. Source: RFC 3629, section 4.
  static func firstInvalidOffset(in bytes: [UInt8]) -> Int? {
    var index = 0
    while index < bytes.count {
      let lead = bytes[index]
      if lead < 0x80 {
        index += 1
        continue
      }
      guard let (length, second) = sequence(after: lead), index + length <= bytes.count,
        second.contains(bytes[index + 1]),
        bytes[(index + 2)..<(index + length)].allSatisfy({ (0x80...0xBF).contains($0) })
      else { return index }
      index += length
    }
    return nil
  }

  /// The length that a lead byte announces, and the range that its second byte must lie in.
  private static func sequence(after lead: UInt8) -> (length: Int, second: ClosedRange<UInt8>)? {
    switch lead {
    case 0xC2...0xDF: (2, 0x80...0xBF)
    case 0xE0: (3, 0xA0...0xBF)
    case 0xE1...0xEC, 0xEE...0xEF: (3, 0x80...0xBF)
    case 0xED: (3, 0x80...0x9F)
    case 0xF0: (4, 0x90...0xBF)
    case 0xF1...0xF3: (4, 0x80...0xBF)
    case 0xF4: (4, 0x80...0x8F)
    default: nil
    }
  }
}
