/// The text with every byte that is not a letter, a digit or one of `-._~` as `%XX`, so that it is one part of a path.
package func percentEncoded(_ text: String) -> String {
  percentEncoded(text, keeping: { _ in false })
}

/// The text with every byte as `%XX` that RFC 3986 does not leave unreserved and that `isKept` does not name.
package func percentEncoded(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
  let digits = Array("0123456789ABCDEF".utf8)
  var encoded: [UInt8] = []
  for code in text.utf8 {
    if isUnreserved(code) || isKept(code) {
      encoded.append(code)
    } else {
      encoded += [UInt8(ascii: "%"), digits[Int(code >> 4)], digits[Int(code & 15)]]
    }
  }
  return String(decoding: encoded, as: UTF8.self)
}

/// Whether RFC 3986 lets a byte stand for itself everywhere.
private func isUnreserved(_ code: UInt8) -> Bool {
  switch code {
  case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
    UInt8(ascii: "~"):
    true
  default: false
  }
}

extension StringProtocol {
  /// The text with each `%XX` as its byte; `nil` when a `%` has no two digits after it, or when the bytes are no UTF-8.
  package var percentDecoded: String? {
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, digits.first != UInt8(ascii: "+"),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension String {
  /// The text as one word of a POSIX shell: as it is when nothing in it has a meaning there, else in single quotes.
  package var shellWord: String {
    let isPlain = utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "-_./:=@,+%".utf8.contains(byte)
    }
    if isPlain && !isEmpty { return self }
    return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
