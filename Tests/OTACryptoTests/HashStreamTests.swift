import OTACrypto
import TestSupport
import Testing

/// Digests by the name of their algorithm.
@Suite("Digests by name")
struct HashStreamTests {
  /// FIPS 180-4 examples for "abc".
  @Test(
    "gives the published digests",
    arguments: [
      (HashAlgorithm.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        .sha512,
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
      ),
    ])
  func published(algorithm: HashAlgorithm, digest: String) throws {
    var stream = try HashStream(algorithm)
    for byte in "abc".utf8 { try stream.update([byte]) }
    #expect(try stream.finish() == bytes(fromHex: digest))
  }
}
