internal import OTAManifest

/// What this product adds to signed metadata: the member `x-parser-ota` of what is signed.
///
/// Other clients keep unknown members and ignore them. A feed without the member is unnamed, in its first epoch, and gives
/// no signing date. What is there is read strictly.
struct FeedExtension: Equatable, Sendable {
  /// The name of the member.
  static let member = "x-parser-ota"
  private static let fields = ["feed", "epoch", "signed", "express", "checkInterval"]

  /// The name of the feed that the metadata belongs to; `nil` for an unnamed feed.
  let feedName: String?
  /// The epoch that a root is in, from 1.
  let epoch: Int64
  /// When a timestamp was signed; `nil` when it does not say so.
  let signedAt: Timestamp?
  /// Whether a timestamp says that the feed has an express file, so that devices ask for one.
  let hasExpress: Bool

  /// How many seconds the feed wants between two checks, in a timestamp; `nil` when it does not say.
  let checkInterval: Int64?

  /// Describes an extension to write.
  init(
    feedName: String?, epoch: Int64 = 1, signedAt: Timestamp? = nil, hasExpress: Bool = false,
    checkInterval: Int64? = nil
  ) {
    self.checkInterval = checkInterval
    self.feedName = feedName
    self.epoch = epoch
    self.signedAt = signedAt
    self.hasExpress = hasExpress
  }

  /// Reads the extension of a signed object.
  init(of signed: JSONObject) throws(InputError) {
    guard signed[Self.member] != nil else {
      self.init(feedName: nil)
      return
    }
    let object = try signed.object(Self.member, known: Self.fields)
    self.init(
      feedName: try object.optional("feed") { (name) throws(InputError) in try Self.name(name, object) },
      epoch: try object.optional("epoch") { (name) throws(InputError) in try object.integer(name) } ?? 1,
      signedAt: try object.optional("signed") { (name) throws(InputError) in try Self.moment(name, object) },
      hasExpress: try object.optional("express") { (name) throws(InputError) in try object.bool(name) }
        ?? false,
      checkInterval: try object.optional("checkInterval") { (name) throws(InputError) in
        try object.integer(name, in: FeedInterval.range)
      })
  }

  private static func name(_ member: String, _ object: JSONObject) throws(InputError) -> String {
    let name = try object.string(member)
    guard FeedName.isValid(name) else {
      throw InputError(
        .malformed, field: object.path(of: member),
        "is \"\(name.printable())\": a feed's name has \(FeedName.rule)")
    }
    return name
  }

  private static func moment(_ member: String, _ object: JSONObject) throws(InputError) -> Timestamp {
    let text = try object.string(member)
    guard let moment = Timestamp(text) else {
      throw InputError(
        .malformed, field: object.path(of: member),
        "is \"\(text.printable())\", not a moment like 2030-01-01T00:00:00Z")
    }
    return moment
  }

  /// The member as it is written; nothing where all of it is the default.
  var members: [JSONMember] {
    var content: [JSONMember] = []
    if let feedName { content.append(JSONMember("feed", .string(feedName))) }
    if epoch != 1 { content.append(JSONMember("epoch", .integer(epoch))) }
    if let signedAt { content.append(JSONMember("signed", .string("\(signedAt)"))) }
    if let checkInterval { content.append(JSONMember("checkInterval", .integer(checkInterval))) }
    if hasExpress { content.append(JSONMember("express", .bool(true))) }
    return content.isEmpty ? [] : [JSONMember(Self.member, .object(content))]
  }
}

/// The time that a feed may ask for between two checks of one device.
public enum FeedInterval {
  /// In seconds: from a minute to a week.
  public static let range: ClosedRange<Int64> = 60...604_800
}

/// The names that tell two feeds apart that are signed with the same keys.
public enum FeedName {
  /// What a name consists of, as the end of a sentence.
  public static let rule = "1 to 64 letters, digits, dots, hyphens or underscores"

  /// Whether a text can be the name of a feed.
  public static func isValid(_ text: some StringProtocol) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { code in
        switch code {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}

extension Root {
  /// Refuses a root that takes back what the one before says of the feed: its name, or its epoch.
  func requireSameFeed(as older: Root) throws(TrustError) {
    if let name = older.feedName, feedName?.hasSameBytes(as: name) != true {
      throw TrustError(otherFeed: feedName, role: "root", wanted: name)
    }
    guard epoch >= older.epoch else {
      throw TrustError(.rollback, role: "root", "goes back from epoch \(older.epoch) to \(epoch)")
    }
  }

  /// Whether devices forget what older keys made them see: this root is in a later epoch, or revokes a key of targets.
  public func startsEpoch(after older: Root) -> Bool {
    epoch > older.epoch || revokes(keysOf: .targets, in: older)
  }
}

extension MetadataHeader {
  /// Refuses metadata of another feed than the one that the root names.
  package func requireFeed(of root: Root, role: String) throws(TrustError) {
    guard let wanted = root.feedName, feedName?.hasSameBytes(as: wanted) != true else { return }
    throw TrustError(otherFeed: feedName, role: role, wanted: wanted)
  }
}

extension TrustError {
  /// Metadata that is signed by the right keys, but for another feed.
  init(otherFeed found: String?, role: String, wanted: String) {
    let feed = found.map { "the feed \"\($0)\"" } ?? "a feed without a name"
    self.init(.otherFeed, role: role, "belongs to \(feed), not to \"\(wanted)\"")
  }
}
