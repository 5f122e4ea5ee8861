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

  /// `OLD=NEW`, or a JSON object of such pairs for ids with a `=`, as a manifest has it under `aliases`.
  static func aliases(_ text: String) throws(Refusal) -> [SourceAlias] {
    if let pairs = aliasObject(text) { return pairs }
    let parts = text.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
      throw Refusal(
        parts.count > 2
          ? "has more than one =, write it as JSON: '{\"OLD\":\"NEW\"}'" : "must be OLD=NEW, two source ids")
    }
    return [SourceAlias(old: String(parts[0]), new: String(parts[1]))]
  }

  /// The pairs of a JSON object of texts; `nil` for any other text.
  static func aliasObject(_ text: String) -> [SourceAlias]? {
    guard text.utf8.first == UInt8(ascii: "{") else { return nil }
    do {
      guard case .object(let members) = try JSONReader.read(Array(text.utf8), maxBytes: 1 << 20) else {
        return nil
      }
      var pairs: [SourceAlias] = []
      for member in members {
        guard case .string(let new) = member.value, !member.key.isEmpty, !new.isEmpty else { return nil }
        pairs.append(SourceAlias(old: member.key, new: new))
      }
      return pairs.isEmpty ? nil : pairs
    } catch {
      // Then it is an id that begins with a brace.
      return nil
    }
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

  static func engines(_ text: String) throws(Refusal) -> [OldEngine] {
    do {
      return try OldEngine.list(text)
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

  /// A number with `s`, `m`, `h` or `d`, in seconds; `0` alone is none.
  static func interval(_ text: String) throws(Refusal) -> Int64 {
    if text == "0" { return 0 }
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }),
      let number = ReleaseVersion(decimal: String(text.dropLast()))?.number, number <= 604_800,
      (60...604_800).contains(number * unit)
    else {
      throw Refusal("must be a time from 60s to 7d such as 30m, 6h or 1d, or 0")
    }
    return number * unit
  }

  /// A pause in seconds, with at most three digits behind the point: `0`, `1.5`, `0.05`.
  static func pause(_ text: String) throws(Refusal) -> Duration {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let isNumber = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    guard (1...2).contains(parts.count), isNumber, let whole = Int64(parts[0]), whole <= 600 else {
      throw Refusal("must be a number of seconds from 0 to 600, such as 1.5")
    }
    guard parts.count == 2 else { return .seconds(whole) }
    guard parts[1].utf8.count <= 3, let digits = Int64(parts[1]) else {
      throw Refusal("has more than three digits behind the point")
    }
    let milliseconds = [0, 100, 10, 1][parts[1].utf8.count] * digits
    return .milliseconds(whole * 1000 + milliseconds)
  }

  static func budget(_ text: String) throws(Refusal) -> Int {
    guard let version = ReleaseVersion(decimal: text), version.number <= 1_000_000 else {
      throw Refusal("must be a whole number from 1 to 1000000")
    }
    return Int(version.number)
  }

  static func seconds(_ text: String) throws(Refusal) -> Duration {
    guard let version = ReleaseVersion(decimal: text), version.number <= 600 else {
      throw Refusal("must be a whole number of seconds from 1 to 600")
    }
    return .seconds(version.number)
  }
}
