internal import OTAFeed
internal import OTAManifest
internal import OTAStorage
internal import ParserUpdater

/// What `device init` was told, kept in the store for the other device verbs; the library does not read it.
struct DeviceSettings: Equatable {
  static let fileName = "device.json"
  private static let maxBytes = 64 << 10
  private static let fields = [
    "format", "feed", "mirrors", "trust", "embedded", "channel", "appVersion", "contracts",
    "unconfirmedLaunches",
    "allowHTTPLoopback",
  ]

  /// A URL or an absolute path.
  var feed: String
  /// Copies of the feed, as URLs or absolute paths, in the order in which they are asked.
  var mirrors: [String] = []
  /// An absolute path.
  var embedded: String
  var trust: Trust
  var channel = Channel.stable
  var app = AppCapabilities()
  var unconfirmedLaunches = 2
  var allowsHTTPOnLoopback = false

  /// Reads the settings of a store.
  static func read(store: String) throws(CommandFailure) -> DeviceSettings {
    do {
      let directory = try Directory.open(store)
      let bytes = try directory.read(fileName, maxBytes: maxBytes)
      let object = try JSONObject(JSONReader.read(bytes, maxBytes: maxBytes), known: fields)
      return try DeviceSettings(object, trust: try trust(object, directory))
    } catch let error as StorageError
      where error.kind == .missing && !error.path.hasSuffix(TrustChoice.rootName)
    {
      throw CommandFailure(
        .notAStore, "\(store) is not a store of this tool",
        hint: "run parser-ota device init --store \(store) first")
    } catch let error as StorageError where error.kind == .wrongKind && error.path == store {
      throw CommandFailure(error, of: "--store", hint: "give the folder that device init made")
    } catch let error as StorageError where error.kind == .io {
      throw CommandFailure(Problem(ofInput: error))
    } catch let error as StorageError {
      throw CommandFailure(Problem(error))
    } catch let error as InputError {
      throw CommandFailure(
        .localDisk, code: ProblemCode.storageFailed.rawValue,
        message: "\(store)/\(fileName): \(error.message)",
        kept: "the releases of the store", hint: "run parser-ota device init again with the same options")
    } catch {
      throw CommandFailure(.localDisk, code: "storage-failed", message: "\(store)/\(fileName) cannot be read")
    }
  }

  /// The trust of a store; the root is a file of its own, kept as it came.
  private static func trust(_ object: JSONObject, _ directory: Directory) throws -> Trust {
    switch try object.string("trust") {
    case Trust.checksumsOnly.name: return .checksumsOnly
    case Trust.root([]).name:
      return .root(try directory.read(TrustChoice.rootName, maxBytes: TrustChoice.maxRootBytes))
    default: throw InputError(.malformed, field: "trust", "is not known to this version")
    }
  }

  private init(_ object: JSONObject, trust: Trust) throws(InputError) {
    _ = try object.integer("format", in: 1...1)
    feed = try object.string("feed")
    for item in try object.optional("mirrors", object.array) ?? [] {
      guard case .string(let text) = item else {
        throw InputError(.malformed, field: "mirrors", "are not all texts")
      }
      mirrors.append(text)
    }
    self.trust = trust
    embedded = try object.string("embedded")
    channel = try object.channel("channel")
    app.version = try object.optional("appVersion", object.appVersion)
    for item in try object.array("contracts") {
      app.contracts.insert(try JSONObject.integer(item, path: "contracts"))
    }
    unconfirmedLaunches = Int(try object.integer("unconfirmedLaunches", in: 1...100))
    allowsHTTPOnLoopback = try object.bool("allowHTTPLoopback")
  }

  init(feed: String, trust: Trust, embedded: String) {
    self.feed = feed
    self.trust = trust
    self.embedded = embedded
  }

  /// Writes the settings into a store, which is made when there is none.
  func write(store: String) throws(CommandFailure) {
    do {
      try prepareStore(at: store)
    } catch {
      throw CommandFailure(error)
    }
    do {
      let directory = try Directory.open(store)
      if case .root(let bytes) = trust { try directory.replace(TrustChoice.rootName, with: bytes) }
      try directory.replace(Self.fileName, with: json.encoded(indented: true))
    } catch {
      throw CommandFailure(Problem(error))
    }
  }

  /// The settings as members of an object.
  var members: [JSONMember] {
    var members = [
      JSONMember("format", .integer(1)), JSONMember("feed", .string(feed)),
      JSONMember("mirrors", .array(mirrors.map { .string($0) })), JSONMember("trust", .string(trust.name)),
      JSONMember("embedded", .string(embedded)),
      JSONMember("channel", .string(channel.name)),
    ]
    if let version = app.version { members.append(JSONMember("appVersion", .string(version.text))) }
    members.append(JSONMember("contracts", .array(app.contracts.sorted().map { .integer($0) })))
    members.append(JSONMember("unconfirmedLaunches", .integer(Int64(unconfirmedLaunches))))
    members.append(JSONMember("allowHTTPLoopback", .bool(allowsHTTPOnLoopback)))
    return members
  }

  private var json: JSONValue { .object(members) }

  /// The configuration of the library.
  func configuration(store: String) throws(CommandFailure) -> UpdaterConfiguration {
    var configuration = UpdaterConfiguration(
      directory: store, feed: try Self.location(feed, "feed", store), trust: trust,
      embedded: .directory(embedded))
    for mirror in mirrors { configuration.mirrors.append(try Self.location(mirror, "mirrors", store)) }
    configuration.channel = channel
    configuration.app = app
    configuration.unconfirmedLaunchLimit = unconfirmedLaunches
    configuration.allowsPlainHTTPOnLoopback = allowsHTTPOnLoopback
    return configuration
  }

  private static func location(
    _ text: String, _ field: String, _ store: String
  ) throws(CommandFailure) -> FeedLocation {
    do {
      return try FeedLocation(text)
    } catch {
      throw CommandFailure(
        .localDisk, code: ProblemCode.storageFailed.rawValue,
        message: "\(store)/\(fileName): \(field) \(error.message)", hint: "run parser-ota device init again")
    }
  }
}
