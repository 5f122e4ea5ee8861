import Foundation
import OTACrypto
import TestSupport

/// A private key whose secret is looked for wherever it must not be.
struct Secret {
  let pair: KeyPair
  private let needles: [[UInt8]]

  init(_ path: String) throws {
    pair = try KeyPair(path)
    let base64 = try pair.pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
    // PKCS#8 (RFC 8410): the seed is the last 32 bytes.
    let der = Data(base64Encoded: base64) ?? Data()
    seed = Array(der.suffix(32))
    var needles: [[UInt8]] = []
    for start in 0...24 {
      let window = Array(seed[start..<start + 8])
      let hex = window.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      needles += [window, Array(hex.utf8), Array(hex.uppercased().utf8)]
    }
    // Eight bytes are at least ten whole digits of Base64, in the alignment of the seed itself and of its PEM text.
    for text in [Data(seed).base64EncodedString(), String(base64.suffix(44))] {
      let digits = Array(text.utf8.prefix { $0 != UInt8(ascii: "=") })
      for start in 0...(digits.count - 10) { needles.append(Array(digits[start..<start + 10])) }
    }
    self.needles = needles
  }

  /// The 32 bytes of the key.
  let seed: [UInt8]
  var seedHex: String { seed.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
  var seedBase64: String { Data(seed).base64EncodedString() }

  /// Whether any 8 bytes of the seed stand in these bytes, raw, hexadecimal or Base64.
  func isIn(_ bytes: [UInt8]) -> Bool {
    let data = Data(bytes)
    return needles.contains { data.range(of: Data($0)) != nil }
  }

  /// The files below a folder that hold some of the seed.
  func files(below folder: String) throws -> [String] {
    let paths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return try paths.filter { path in
      var isFolder: ObjCBool = false
      let whole = "\(folder)/\(path)"
      guard FileManager.default.fileExists(atPath: whole, isDirectory: &isFolder), !isFolder.boolValue else {
        return false
      }
      return isIn(try Array(Data(contentsOf: URL(fileURLWithPath: whole))))
    }
  }
}
