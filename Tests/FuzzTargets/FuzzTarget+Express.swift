import OTAArchive
import OTACrypto
import OTAFeed
import OTAManifest
import TestSupport

extension FuzzTarget {
  /// Express files: what is taken has plain names, each once, and is written and taken as the same parts.
  ///
  /// An input is read as it is, and as a tar that is packed first.
  static let express = FuzzTarget(
    name: "express",
    seeds: {
      let parts: [String: [UInt8]] = [
        FeedLayout.timestamp: Array("{}".utf8), "metadata/2.root.json": Array("{\"a\":1}".utf8),
        "files/releases/3/\(String(repeating: "a", count: 64)).parsers.bundle.js.1a2b3c4d.zst": [1, 2, 3],
      ]
      let packed = ExpressFile(parts: parts).encoded() ?? []
      let tar = try PlainTar.encoded(parts.map { .init(name: $0.key, bytes: $0.value) })
      return [packed, tar, Array(tar.prefix(700)), [0x28, 0xB5, 0x2F, 0xFD, 0x60, 0, 0, 1, 0, 0]]
    },
    check: { bytes throws(BrokenRule) in
      try checkExpress(bytes)
      if let packed = reading({ try Zstd.pack(bytes).bytes }) { try checkExpress(packed) }
    })

  private static func checkExpress(_ bytes: [UInt8]) throws(BrokenRule) {
    guard let express = reading({ try ExpressFile(decoding: bytes) }) else { return }
    for name in express.parts.keys {
      try require(reading { try RelativePath(name) } != nil, "a plain name: \(name)")
    }
    guard let written = express.encoded() else { return }
    let again = try must("an express file that was written is taken") { try ExpressFile(decoding: written) }
    try require(again == express, "it has the same parts")
  }
}
