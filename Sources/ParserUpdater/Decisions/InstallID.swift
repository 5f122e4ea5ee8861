internal import OTACrypto
internal import OTAManifest

/// A name that a device gives itself; it decides the buckets of the device, and is never sent anywhere.
struct InstallID: Hashable, Sendable {
  /// 32 lower-case hexadecimal digits.
  let text: String

  /// A new name, at random.
  static func random() -> InstallID {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  /// A new name from a generator.
  static func random(using generator: inout some RandomNumberGenerator) -> InstallID {
    InstallID(high: generator.next(), low: generator.next())
  }

  private init(high: UInt64, low: UInt64) {
    text = [high, low].map { half in
      let digits = String(half, radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }.joined()
  }

  /// Reads 32 lower-case hexadecimal digits; `nil` for anything else.
  init?(_ text: String) {
    guard text.utf8.count == 32,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    self.text = text
  }

  /// The bucket of the device for a release, from 0 to 9999: the first 8 bytes of SHA-256(id, line feed, number).
  ///
  /// The same for as long as the device keeps its name, and another one for each release.
  /// - Throws: `CryptoError` when digests cannot be computed here.
  func bucket(for version: ReleaseVersion) throws(CryptoError) -> Int {
    let digest = try sha256(Array("\(text)\n\(version)".utf8))
    let value = digest.bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(value.multipliedFullWidth(by: UInt64(Share.whole)).high)
  }
}
