import TestSupport
import Testing

@Suite("The shared fixtures are what they claim to be")
struct FixturesTests {
  @Test("a bundle has the size that was asked for, and other bytes for another marker")
  func bundle() {
    let first = Fixtures.bundle(marker: "first")
    let other = Fixtures.bundle(marker: "other")
    #expect(first.count == 550_000 && other.count == 550_000)
    #expect(first != other)
    #expect(first == Fixtures.bundle(marker: "first"))
    #expect(String(decoding: first, as: UTF8.self).contains("var NyoraParsers = {"))
    #expect(Fixtures.bundle(marker: "m", bytes: 2001).count == 2001)
  }

  @Test("a file that is not there is an error, not an empty file")
  func missing() {
    #expect(throws: (any Error).self) { try Fixtures.bytes("no-such-file.json") }
  }
}
