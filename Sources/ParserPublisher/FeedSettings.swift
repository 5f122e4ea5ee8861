internal import OTAFeed
public import OTAManifest

/// What a feed remembers about itself, in `.parser-ota/feed.json` below its folder.
public struct FeedSettings: Equatable, Sendable {
  /// How many releases of each channel a feed may be told to keep.
  public static let keptReleasesRange = 1...10_000

  /// The public address of the feed's folder; manifests then carry absolute URLs, which old clients need.
  public var baseURL: WebAddress?
  /// How many releases of each channel stay on the feed, the newest ones.
  public var keptReleases = 20
  /// What makes the manifests of this feed believable.
  public var trust: FeedTrust
  /// The oldest engines of apps that must run a bundle; none when nobody said.
  public var engines: [OldEngine] = []
  /// Releases that ship inside apps, newest last: patches are made from them, and they stay on the feed.
  var embedded: [ReleaseVersion] = []
  /// How many of them are remembered.
  static let maxEmbedded = 8
  /// Where the files of an adopted release still stand for old clients; `nil` when there are none.
  var oldNames: OldNames?

  /// Describes a feed.
  public init(baseURL: WebAddress? = nil, keptReleases: Int = 20, trust: FeedTrust = .checksumsOnly) {
    self.baseURL = baseURL
    self.keptReleases = keptReleases
    self.trust = trust
  }
}

extension FeedSettings {
  private static let format: Int64 = 1
  private static let fields = [
    "format", "trust", "keptReleases", "baseURL", "expiryDays", "oldNames", "engines", "embedded",
  ]

  /// Reads the settings file strictly.
  init(decoding bytes: [UInt8]) throws(Problem) {
    if let stray = StrayContent(bytes) {
      throw Problem(
        .feedIncomplete, "\(FeedLayout.settings) \(stray.message)", advice: StrangeContent.stray(stray).advice
      )
    }
    do {
      let limits = Limits.standard
      let document = try JSONReader.read(bytes, maxBytes: limits.maxStateBytes, maxDepth: limits.maxDepth)
      try self.init(JSONObject(document, known: Self.fields))
    } catch {
      throw Problem(
        .feedIncomplete, "\(FeedLayout.settings): \(error.message)",
        advice: "restore the file, or delete it and run parser-ota init again")
    }
  }

  private init(_ object: JSONObject) throws(InputError) {
    let format = try object.integer("format")
    guard format == Self.format else {
      throw InputError(.outOfRange, field: "format", "is \(format), made by a newer parser-ota than this one")
    }
    let trust = try Self.trust(object)
    let range = Self.keptReleasesRange
    let kept = try object.integer("keptReleases", in: Int64(range.lowerBound)...Int64(range.upperBound))
    let base = try object.optional("baseURL") { (name) throws(InputError) in
      try Self.address(object.string(name), field: name)
    }
    self.init(baseURL: base, keptReleases: Int(kept), trust: trust)
    if let listed = try object.optional("engines", object.string) {
      do {
        engines = try OldEngine.list(listed)
      } catch {
        throw InputError(error.reason, field: "engines", error.detail)
      }
    }
    embedded = try object.optional("embedded", object.versions) ?? []
    oldNames = try object.optional("oldNames") { (name) throws(InputError) in
      try OldNames(object.object(name, known: OldNames.fields))
    }
  }

  private static func trust(_ object: JSONObject) throws(InputError) -> FeedTrust {
    switch try object.string("trust") {
    case "checksums-only": return .checksumsOnly
    case "root": return .signed(try ExpiryPolicy(object.object("expiryDays")))
    default:
      throw InputError(
        .malformed, field: "trust", "is not a kind of trust that this version of parser-ota knows")
    }
  }

  private static func address(_ text: String, field: String) throws(InputError) -> WebAddress {
    do {
      return try WebAddress(text)
    } catch {
      throw InputError(error.reason, field: field, error.detail)
    }
  }

  /// The settings file: the same bytes for the same settings.
  func encoded() -> [UInt8] {
    var members = [
      JSONMember("format", .integer(Self.format)), JSONMember("trust", .string(trust.name)),
      JSONMember("keptReleases", .integer(Int64(keptReleases))),
    ]
    if case .signed(let expiry) = trust { members.append(JSONMember("expiryDays", expiry.value)) }
    if let baseURL { members.append(JSONMember("baseURL", .string(baseURL.text))) }
    if !engines.isEmpty { members.append(JSONMember("engines", .string(OldEngine.text(engines)))) }
    if !embedded.isEmpty {
      members.append(JSONMember("embedded", .array(embedded.map { .integer($0.number) })))
    }
    if let oldNames { members.append(JSONMember("oldNames", oldNames.value)) }
    return JSONValue.object(members).encoded(indented: true)
  }

  /// The settings as they count for a release with this number: a killed publisher may have removed what is promised no more.
  func counting(for head: ReleaseVersion?) -> FeedSettings {
    guard let head, oldNames?.isOver(at: head) == true else { return self }
    var settings = self
    settings.oldNames = nil
    return settings
  }

  /// How manifests name a file that only newer clients ask for.
  static func relativeLocation(of path: String) throws(Problem) -> ArtifactLocation {
    do {
      return .relative(try RelativePath(path))
    } catch {
      throw Problem(.forbiddenURL, "the path \(path) \(error.message)")
    }
  }

  /// How manifests name a file of this feed.
  func location(of path: String) throws(Problem) -> ArtifactLocation {
    do {
      let relative = try RelativePath(path)
      return baseURL.map { .absolute($0.asFolder.appending(relative)) } ?? .relative(relative)
    } catch {
      throw Problem(.forbiddenURL, "the path \(path) \(error.message)")
    }
  }
}
