public import OTAManifest

/// A made-up population of devices, and what a publisher does in a week or so.
public struct SimulationPlan: Sendable {
  /// What the publisher does, and when.
  public enum Action: Equatable, Sendable {
    /// Publishes a release; `nil` steps for everybody at once.
    case publish(steps: RolloutSteps?, isBad: Bool)
    case change(Rollout.Change)
    case complete
    /// Publishes the content of the release before, and withdraws what is newer.
    case rollBack
  }

  /// An action at a time.
  public struct Event: Equatable, Sendable {
    /// Seconds after the beginning.
    public let at: Int64
    /// What is done.
    public let action: Action

    /// Describes an event.
    public init(at: Int64, _ action: Action) { (self.at, self.action) = (at, action) }
  }

  /// How many devices there are.
  public var devices = 100_000
  /// How long it goes on, in seconds.
  public var seconds: Int64 = 7 * 86_400
  /// The seed of all chance.
  public var seed: UInt64 = 1
  /// How often devices ask, in seconds, each with its share of the devices.
  public var intervals: [(seconds: Int64, weight: Double)] = [
    (6 * 3600, 0.3), (12 * 3600, 0.3), (24 * 3600, 0.4),
  ]
  /// How many of 10 000 devices are offline for a while, and for how long at most, in seconds.
  public var offline: (parts: Int, seconds: Int64) = (2000, 3 * 86_400)
  /// How many of 10 000 devices have a clock that is wrong, by up to this many seconds either way.
  public var wrongClocks: (parts: Int, seconds: Int64) = (300, 7 * 86_400)
  /// How often devices start the app, in seconds.
  public var launchSeconds: Int64 = 8 * 3600
  /// How many of 10 000 launches of a bad release end in a crash that counts.
  public var crashParts = 3000
  /// How many of 10 000 devices run apps whose embedded copy is newer than the first release.
  public var newerEmbeddedParts = 500
  /// Bytes of a release, of a check, and of a manifest.
  public var traffic: (release: Int64, check: Int64, manifest: Int64) = (600_000, 3000, 2000)
  /// How often the publisher's refresh job signs anew, in seconds: signed dates are what steps are judged by.
  public var refreshSeconds: Int64 = 3600
  /// What the publisher does, in order.
  public var events: [Event] = []

  /// A plan with the usual population and nothing done.
  public init() {}
}

extension SimulationPlan {
  private static let fields = [
    "devices", "hours", "seed", "intervals", "offline", "wrongClocks", "launchHours", "crashRate",
    "newerEmbedded", "releaseBytes", "checkBytes", "refreshHours", "events",
  ]

  /// Reads a plan, a JSON object whose members all have defaults but `events`.
  ///
  /// - Throws: `InputError` that names the field.
  public init(decoding bytes: [UInt8]) throws(InputError) {
    let document = try JSONReader.read(bytes, maxBytes: 1 << 20, maxDepth: 6)
    let object = try JSONObject(document, known: Self.fields)
    for member in object.members where !Self.fields.contains(member.key) {
      throw InputError(
        .malformed, field: member.key, "is not known; known are \(Self.fields.joined(separator: ", "))")
    }
    func number(_ name: String, _ range: ClosedRange<Int64>, _ fallback: Int64) throws(InputError) -> Int64 {
      try object.optional(name) { (name) throws(InputError) in try object.integer(name, in: range) }
        ?? fallback
    }
    devices = Int(try number("devices", 1...10_000_000, Int64(devices)))
    seconds = try number("hours", 1...2000, seconds / 3600) * 3600
    seed = UInt64(try number("seed", 0...JSONObject.maxExactInteger, Int64(seed)))
    launchSeconds = try number("launchHours", 1...720, launchSeconds / 3600) * 3600
    refreshSeconds = try number("refreshHours", 1...720, refreshSeconds / 3600) * 3600
    traffic.release = try number("releaseBytes", 1...1 << 30, traffic.release)
    traffic.check = try number("checkBytes", 1...1 << 20, traffic.check)
    crashParts = try Self.share("crashRate", object)?.parts ?? crashParts
    newerEmbeddedParts = try Self.share("newerEmbedded", object)?.parts ?? newerEmbeddedParts
    offline = try Self.spell("offline", object) ?? offline
    wrongClocks = try Self.spell("wrongClocks", object) ?? wrongClocks
    if object["intervals"] != nil { intervals = try Self.intervals(object) }
    events = try Self.events(object)
  }

  private static func share(_ name: String, _ object: JSONObject) throws(InputError) -> Share? {
    guard object[name] != nil else { return nil }
    guard let share = Share(try object.string(name)) else {
      throw InputError(.malformed, field: object.path(of: name), "is not a share such as 5%")
    }
    return share
  }

  /// A share of devices, and hours.
  private static func spell(
    _ name: String, _ object: JSONObject
  ) throws(InputError) -> (parts: Int, seconds: Int64)? {
    guard object[name] != nil else { return nil }
    let spell = try object.object(name, known: ["share", "hours"])
    guard let share = try share("share", spell) else {
      throw InputError(.missing, field: spell.path(of: "share"), "is missing")
    }
    return (share.parts, try spell.integer("hours", in: 1...2000) * 3600)
  }

  private static func intervals(_ object: JSONObject) throws(InputError) -> [(seconds: Int64, weight: Double)]
  {
    var intervals: [(seconds: Int64, weight: Double)] = []
    for (index, item) in try object.array("intervals").enumerated() {
      let entry = try JSONObject(item, path: "intervals[\(index)]", known: ["hours", "share"])
      guard let share = try share("share", entry) else {
        throw InputError(.missing, field: entry.path(of: "share"), "is missing")
      }
      intervals.append((try entry.integer("hours", in: 1...720) * 3600, Double(share.parts)))
    }
    guard !intervals.isEmpty else { throw InputError(.empty, field: "intervals", "is empty") }
    return intervals
  }

  private static func events(_ object: JSONObject) throws(InputError) -> [Event] {
    var events: [Event] = []
    for (index, item) in try object.array("events").enumerated() {
      let path = "events[\(index)]"
      let entry = try JSONObject(item, path: path, known: ["at", "do", "rollout", "bad", "share"])
      guard let at = RolloutSteps.seconds(try entry.string("at")) else {
        throw InputError(.malformed, field: "\(path).at", "is not a time such as 30m, 6h or 2d")
      }
      events.append(Event(at: at, try action(entry, path)))
    }
    guard zip(events, events.dropFirst()).allSatisfy({ $0.at <= $1.at }) else {
      throw InputError(.malformed, field: "events", "are not in the order of their times")
    }
    return events
  }

  private static func action(_ entry: JSONObject, _ path: String) throws(InputError) -> Action {
    let name = try entry.string("do")
    switch name {
    case "publish":
      var steps: RolloutSteps?
      if entry["rollout"] != nil { steps = try RolloutSteps(try entry.string("rollout")) }
      return .publish(steps: steps, isBad: try entry.optional("bad", entry.bool) ?? false)
    case "advance": return .change(.advance)
    case "halt": return .change(.halt)
    case "withdraw": return .change(.withdraw)
    case "resume": return .change(.resume)
    case "set":
      guard let share = try share("share", entry) else {
        throw InputError(.missing, field: "\(path).share", "is missing")
      }
      return .change(.set(share))
    case "complete": return .complete
    case "rollback": return .rollBack
    default:
      throw InputError(
        .malformed, field: "\(path).do",
        "is \"\(name.printable(maxCharacters: 30))\", not publish, advance, set, halt, resume, withdraw, complete or rollback"
      )
    }
  }
}
