/// Refuses Ed25519 public keys for which a signature of anybody verifies, or that stand for no key.
///
/// The library loads all of them. With a small-order key, the signature "R = identity, S = 0" verifies any message.
enum Ed25519Weakness {
  /// Little-endian y coordinates of the points whose order divides 8 (RFC 8032 section 5.1); the sign bit is left out.
  private static let smallOrder: [[UInt8]] = [
    [UInt8](repeating: 0, count: 32),
    [1] + [UInt8](repeating: 0, count: 31),
    [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
    [
      0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0, 0xD5,
      0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
    ],
    [
      0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F, 0x2A,
      0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
    ],
  ]

  static func check(_ key: [UInt8]) throws(CryptoError) {
    guard let first = key.first, let last = key.last else { throw .malformedKey("it is empty") }
    guard !key.allSatisfy({ $0 == first }) else {
      throw .weakKey("it is a placeholder, the same byte 32 times")
    }
    let coordinate = key.dropLast() + [last & 0x7F]
    guard !smallOrder.contains(where: { $0.elementsEqual(coordinate) }) else {
      throw .weakKey("it has small order, so anyone can sign with it")
    }
    // 2^255 - 19 and more: a second spelling of a small number.
    let isFull = coordinate[1..<31].allSatisfy { $0 == 0xFF } && last & 0x7F == 0x7F
    guard !(isFull && first >= 0xED) else { throw .weakKey("its encoding is not canonical") }
  }
}
