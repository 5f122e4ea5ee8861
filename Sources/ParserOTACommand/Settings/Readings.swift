internal import OTAFeed
internal import OTAManifest
internal import ParserPublisher
internal import ParserUpdater

/// How the texts of a command line become checked values; each refusal is the rest of a sentence.
enum Readings {
  static func version(_ text: String) throws(Refusal) -> ReleaseVersion {
    guard let version = ReleaseVersion(decimal: text) else {
      throw Refusal("must be a release version: a whole number from 1, digits only")
    }
    return version
  }

  static func channel(_ text: String) throws(Refusal) -> Channel {
    guard let channel = Channel(text) else {
      throw Refusal("must be a channel name: lower-case letters, digits and hyphens, at most 32")
    }
    return channel
  }

  static func appVersion(_ text: String) throws(Refusal) -> AppVersion {
    guard let version = AppVersion(text) else { throw Refusal("must be an app version such as 2.1.0") }
    return version
  }

  static func contract(_ text: String) throws(Refusal) -> Int64 {
    guard let version = ReleaseVersion(decimal: text) else {
      throw Refusal("must be a contract number: a whole number from 1, digits only")
    }
    return version.number
  }

  static func count(_ text: String) throws(Refusal) -> Int {
    guard let version = ReleaseVersion(decimal: text), version.number <= 10_000 else {
      throw Refusal("must be a whole number from 1 to 10000")
    }
    return Int(version.number)
  }

  static func countOrNone(_ text: String) throws(Refusal) -> Int {
    if text == "0" { return 0 }
    guard let version = ReleaseVersion(decimal: text), version.number <= 10_000 else {
      throw Refusal("must be a whole number from 0 to 10000")
    }
    return Int(version.number)
  }

  static func launch(_ text: String) throws(Refusal) -> LaunchID {
    guard let launch = LaunchID(text) else {
      throw Refusal("must be the name of a launch: the 16 digits that device activate printed")
    }
    return launch
  }

  static func digest(_ text: String) throws(Refusal) -> Digest {
    guard let digest = Digest(hex: text) else {
      throw Refusal("must be a SHA-256 digest: 64 hexadecimal digits")
    }
    return digest
  }

  static func alias(_ text: String) throws(Refusal) -> SourceAlias {
    let parts = text.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
      throw Refusal("must be OLD=NEW, two source ids")
    }
    return SourceAlias(old: String(parts[0]), new: String(parts[1]))
  }

  static func address(_ text: String) throws(Refusal) -> WebAddress {
    do {
      return try WebAddress(text).asFolder
    } catch {
      throw Refusal(error.detail)
    }
  }

  static func allowance(_ text: String) throws(Refusal) -> Allowance {
    do {
      return try Allowance(text: text)
    } catch {
      throw Refusal(error.detail)
    }
  }

  static func globalName(_ text: String) throws(Refusal) -> String {
    let isName = text.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || (0x30...0x39).contains(byte)
        || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
    guard isName, let first = text.utf8.first, !(0x30...0x39).contains(first) else {
      throw Refusal("must be the name of a global such as NyoraParsers: letters, digits, _ and $")
    }
    return text
  }

  static func feed(_ text: String) throws(Refusal) -> FeedLocation {
    do {
      return try FeedLocation(text)
    } catch {
      throw Refusal(error.detail)
    }
  }

  static func seconds(_ text: String) throws(Refusal) -> Duration {
    guard let version = ReleaseVersion(decimal: text), version.number <= 600 else {
      throw Refusal("must be a whole number of seconds from 1 to 600")
    }
    return .seconds(version.number)
  }
}
