import OTAManifest
import Testing

@Suite("App versions are compared number by number")
struct AppVersionTests {
  @Test("Parts are numbers, absent ones are 0")
  func order() throws {
    let texts = ["0", "1.9", "1.10", "1.10.0.1", "2", "2.0.1", "2.1.0", "10", "999999999.0.0.1"]
    let versions = try texts.map { try #require(AppVersion($0), "\($0)") }
    #expect(versions == versions.sorted())
    #expect(Set(versions).count == texts.count)
  }

  @Test("The spelling is kept and does not count")
  func spelling() throws {
    let short = try #require(AppVersion("2.1"))
    let long = try #require(AppVersion("2.01.0.0"))
    #expect(short == long && !(short < long) && !(long < short) && Set([short, long]).count == 1)
    #expect(short.text == "2.1" && long.description == "2.01.0.0")
  }

  @Test(
    "Anything else is no app version",
    arguments: [
      "", ".", "2.", ".1", "2..1", "1.2.3.4.5", "2.1-beta", "v2.1", " 2.1", "2.1\n", "+2", "-2", "２.1", "2,1",
      "1234567890", "2.x", "2.1\0",
    ])
  func others(text: String) {
    #expect(AppVersion(text) == nil)
  }
}

@Suite("Channel names are fit for folders and URLs")
struct ChannelTests {
  @Test(
    "Lower-case names have a place on the feed", arguments: ["beta", "a", "0", "beta-2", "2-b-", "stable2"])
  func names(name: String) throws {
    let channel = try #require(Channel(name))
    #expect(channel.name == name && channel.description == name)
    #expect(channel.manifestPath == "channels/\(name)/manifest.json")
    #expect((try? RelativePath(channel.manifestPath)) != nil)
  }

  @Test("The stable channel is the manifest that old clients read")
  func stable() {
    #expect(Channel("stable") == .stable && Channel.stable.manifestPath == "manifest.json")
    #expect(Channel(String(repeating: "c", count: 32)) != nil)
  }

  @Test(
    "B67: names that could lead elsewhere are none",
    arguments: [
      "", "-beta", "Beta", "be ta", "beta\n", "../x", ".", "..", "a/b", "a\\b", "a.b", "a_b", "ä", "ｂ",
      "beta\0", "%2e",
      "ccccccccccccccccccccccccccccccccc",
    ])
  func others(name: String) {
    #expect(Channel(name) == nil)
  }
}

@Suite("Digests are 32 bytes, however they are spelt")
struct DigestTests {
  private static let lower = "9f3c1a7e5b2d4068a1c9e7f35d8b2046c7e1a9f35b0d2846e8a0c2f4617b5d93"

  @Test("B34: upper and mixed case are the same digest")
  func letterCase() throws {
    let digest = try #require(Digest(hex: Self.lower))
    #expect(Digest(hex: Self.lower.uppercased()) == digest)
    #expect(Digest(hex: Self.lower.prefix(31).uppercased() + Self.lower.dropFirst(31)) == digest)
    #expect(digest.hex == Self.lower && digest.description == Self.lower)
    #expect(Digest(bytes: digest.bytes) == digest && digest.bytes.prefix(3) == [0x9F, 0x3C, 0x1A])
  }

  @Test("B34: other spellings are none")
  func others() {
    let (start, end) = (Self.lower.dropFirst(2), Self.lower.dropLast(2))
    let texts = [
      "", "\(end)5", "\(Self.lower)0", " \(Self.lower)", "\(Self.lower) ", "\(Self.lower)\n", " \(end) ",
      "sha256:\(Self.lower)", "0x\(start)", "0g\(start)", "\(end)5\0", "\(end.dropLast())１",
      "nzwafltLQGihyefzXYsgRsfhqfNbDShG6KDC9GF7XZM=",
    ]
    for text in texts { #expect(Digest(hex: text) == nil, "\(text)") }
    for count in [0, 31, 33, 64] { #expect(Digest(bytes: [UInt8](repeating: 0, count: count)) == nil) }
  }

  @Test("Every byte survives writing and reading")
  func everyByte() throws {
    for start in stride(from: 0, to: 256, by: 32) {
      let digest = try #require(Digest(bytes: (start..<start + 32).map { UInt8($0) }))
      #expect(Digest(hex: digest.hex) == digest)
    }
  }
}
