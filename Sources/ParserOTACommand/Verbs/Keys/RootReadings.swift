internal import OTACrypto
internal import OTAManifest
internal import OTATrust
internal import ParserPublisher

/// How the texts of a command line become changes of a root.
enum RootReadings {
  static let role = OptionSpec.option("role", "ROLE", "the role; release stands for the last three")
    .completing(
      .choice(["release", "root", "targets", "snapshot", "timestamp"])
    ).required()

  static func roles(_ text: String) throws(Refusal) -> [Root.Role] {
    if text == "release" { return .release }
    guard let role = Root.Role(rawValue: text) else {
      throw Refusal("must be one of release, root, targets, snapshot, timestamp")
    }
    return [role]
  }

  static func keyID(_ text: String) throws(Refusal) -> String {
    guard let digest = Digest(hex: text) else {
      throw Refusal("must be a key id: the 64 hexadecimal digits that parser-ota key list shows")
    }
    return digest.hex
  }

  /// `ROLE=N`.
  static func threshold(_ text: String) throws(Refusal) -> RootChange {
    let (roles, value) = try assignment(text, "ROLE=N")
    return .threshold(try Readings.count(value), of: roles)
  }

  /// `ROLE=KEYID`.
  static func removal(_ text: String) throws(Refusal) -> RootChange {
    let (roles, value) = try assignment(text, "ROLE=KEYID")
    return .remove(keyID: try keyID(value), from: roles)
  }

  /// `ROLE=FILE`, the roles and the path.
  static func addition(_ text: String) throws(Refusal) -> (roles: [Root.Role], path: String) {
    try assignment(text, "ROLE=FILE")
  }

  static let newEpoch = OptionSpec.flag(
    "new-epoch",
    "make devices forget the versions and dates they have seen; revoking a release key does that by itself")
  static let discard = OptionSpec.option(
    "discard", "N", "no longer sign release N, such as one that a thief of the key made; needs a new epoch"
  ).repeatable()

  /// The name of a feed.
  static func feedName(_ text: String) throws(Refusal) -> String {
    guard FeedName.isValid(text) else { throw Refusal("must be \(FeedName.rule)") }
    return text
  }

  static func days(_ text: String) throws(Refusal) -> Int {
    let days = try Readings.count(text)
    guard ExpiryPolicy.range.contains(days) else {
      throw Refusal("must be a number of days from 1 to \(ExpiryPolicy.range.upperBound)")
    }
    return days
  }

  private static func assignment(
    _ text: String, _ shape: String
  ) throws(Refusal) -> (roles: [Root.Role], path: String) {
    guard let sign = text.firstIndex(of: "="), text.index(after: sign) < text.endIndex else {
      throw Refusal("must be \(shape), such as release=\(shape.drop { $0 != "=" }.dropFirst())")
    }
    return (try roles(String(text[..<sign])), String(text[text.index(after: sign)...]))
  }
}
