import OTACrypto
import OTAManifest
import TestSupport
import Testing

/// One computation, checked against the published vectors and against another program.
@Suite("SHA-256")
struct SHA256Tests {
  /// FIPS 180-4 examples and RFC 6234 section 8.5.
  static let vectors: [(text: String, times: Int, digest: String)] = [
    ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
    ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    (
      "0123456701234567012345670123456701234567012345670123456701234567", 10,
      "594847328451bdfa85056225462cc1d867d877fb388df0ce35f25ab5562bfbb5"
    ),
  ]

  @Test("gives the published digests", arguments: vectors)
  func published(text: String, times: Int, digest: String) throws {
    let bytes = [UInt8](text.utf8)
    var stream = try SHA256Stream()
    for _ in 0..<times { try stream.update(bytes) }
    #expect(try stream.finish().hex == digest)
    #expect(try sha256([[UInt8]](repeating: bytes, count: times).flatMap(\.self)).hex == digest)
  }

  @Test(
    "a bundle in pieces of any size has the digest of the whole", arguments: [1, 63, 64, 65, 4096, 65_536])
  func pieces(size: Int) throws {
    let bytes = noise(550_000)
    var stream = try SHA256Stream()
    for start in stride(from: 0, to: bytes.count, by: size) {
      try stream.update(bytes.span.extracting(start..<min(start + size, bytes.count)).bytes)
    }
    try stream.update([])
    let whole = try sha256(bytes)
    #expect(try stream.finish() == whole)
  }

  @Test("one changed bit changes the digest")
  func changedBit() throws {
    var bytes = noise(550_000)
    let before = try sha256(bytes)
    bytes[549_999] ^= 1
    #expect(try sha256(bytes) != before)
  }

  @Test("agrees with sha256sum on random bytes")
  func otherProgram() throws {
    let bytes = noise(550_001)
    let result = try run("/usr/bin/sha256sum", stdin: bytes)
    #expect(result.output == "\(try sha256(bytes).hex)  -\n")
  }

  @Test("a stream that is given up frees what it held")
  func abandoned() throws {
    // Under the leak checker a missing free shows; without it, this shows that giving up is harmless.
    for _ in 0..<1000 {
      var stream = try SHA256Stream()
      try stream.update([1, 2, 3])
    }
  }

  @Test("says what the library said")
  func message() {
    #expect(CryptoError.unavailable("no such digest").message == "cannot compute SHA-256: no such digest")
  }

  private func noise(_ count: Int) -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return (0..<count).map { _ in random.next() }
  }
}
