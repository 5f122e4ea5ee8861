import OTAManifest
import Testing

@Suite("Release versions are whole numbers, read strictly")
struct ReleaseVersionTests {
  @Test("Numbers from 1 to 2^53 - 1 are versions", arguments: [1, 2, 38, 9_007_199_254_740_991])
  func numbers(number: Int64) throws {
    let version = try #require(ReleaseVersion(number))
    #expect(version.number == number && version.description == String(number))
    #expect(ReleaseVersion(decimal: String(number)) == version)
  }

  @Test("Other numbers are not", arguments: [0, -1, 9_007_199_254_740_992, .max, .min])
  func otherNumbers(number: Int64) {
    #expect(ReleaseVersion(number) == nil)
  }

  @Test(
    "B71: a text that is not plain digits is no version, and never 0",
    arguments: [
      "", "abc", " 41\n", "41\n", " 41", "+41", "-41", "041", "0", "00", "４１", "٤١", "4 1", "41.0", "4e1",
      "0x29",
      "1_000", "9007199254740992", "99999999999999999999", "41\0",
    ])
  func decimalTexts(text: String) {
    #expect(ReleaseVersion(decimal: text) == nil)
  }

  @Test("The largest version has no next one")
  func next() {
    #expect(ReleaseVersion.first.next?.number == 2)
    #expect(ReleaseVersion.maximum.next == nil)
    #expect(ReleaseVersion.first < ReleaseVersion.maximum)
  }

  @Test(
    "B97: tags have one number each",
    arguments: [
      ("v2.6", 2_006_000), ("v2.10", 2_010_000), ("v2.1.6", 2_001_006), ("v10.0", 10_000_000),
      ("2.1.6", 2_001_006),
      ("v3", 3_000_000), ("v0.0.1", 1), ("v999999999.999.999", 999_999_999_999_999),
    ])
  func tags(tag: String, number: Int64) {
    #expect(ReleaseVersion(tag: tag)?.number == number)
  }

  @Test("B97: later tags have larger numbers, whatever their number of digits")
  func tagOrder() throws {
    let tags = [
      "v0.9.9", "v2.1.6", "v2.1.10", "v2.6", "v2.6.1", "v2.10", "v2.10.999", "v2.11", "v10.0", "v10.0.1",
    ]
    let versions = try tags.map { try #require(ReleaseVersion(tag: $0), "\($0)") }
    #expect(versions == versions.sorted())
    #expect(Set(versions).count == tags.count)
  }

  @Test(
    "B97: a tag that two readers could number differently has no number",
    arguments: [
      "", "v", "vv1", "V2.6", "v2.", "v.6", "v2..6", "v2.6.1.0", "v2.1000", "v2.6-beta", "v-2.6", "v+2.6",
      "release-2.6",
      "v0", "v0.0.0", "v1000000000.0", "v２.6", " v2.6", "v2.6\n",
    ])
  func badTags(tag: String) {
    #expect(ReleaseVersion(tag: tag) == nil)
  }
}
