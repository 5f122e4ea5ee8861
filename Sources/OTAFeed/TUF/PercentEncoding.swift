/// The text with every byte that is not a letter, a digit or one of `-._~` as `%XX`, so that it is one part of a path.
package func percentEncoded(_ text: String) -> String {
  percentEncoded(text, keeping: { _ in false })
}

/// The text with every byte as `%XX` that RFC 3986 does not leave unreserved and that `isKept` does not name.
func percentEncoded(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
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
