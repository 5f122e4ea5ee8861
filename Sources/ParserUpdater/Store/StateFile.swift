internal import OTAFeed
internal import OTAManifest

/// The file form of a device's state: `state.json`, read as strictly as anything from outside.
///
/// Format 2 has slots for each channel; those of the channel that is followed stand at the top, as they did in format 1.
enum StateFile {
  /// The format that this client writes.
  static let format: Int64 = 2
  /// The name of the file in the store.
  static let name = "state.json"

  private static let fields =
    SlotFields.all + [
      "format", "channel", "channels", "pin", "rejected", "seen", "heard", "lineage", "overruled",
      "lastProblem", "stale", "historyLoss", "host", "install", "chosenChannel", "standIns",
    ]

  /// Reads a state; every field but `format` may be missing.
  static func decode(_ bytes: [UInt8]) throws(InputError) -> DeviceState {
    let limits = Limits.standard
    let document = try JSONReader.read(bytes, maxBytes: limits.maxStateBytes, maxDepth: limits.maxDepth)
    let object = try JSONObject(document, known: fields)
    let written = try object.integer("format", in: 1...format)
    var state = DeviceState()
    state.slots = try object.slots()
    state.parked = try object.optional("channels", object.parked) ?? []
    state.pin = try object.optional("pin", object.pin)
    state.rejected = try object.optional("rejected", object.rejections) ?? []
    state.seen = try object.optional("seen", object.seen) ?? [:]
    state.heard = try object.optional("heard", object.heard) ?? [:]
    state.lineage = try object.optional("lineage", object.lineage)
    state.overruledDate = try object.optional("overruled", object.timestamp)
    state.lastProblem = try object.optional("lastProblem", object.recordedProblem)
    state.stale = try object.optional("stale", object.staleness)
    state.historyLoss = try object.optional("historyLoss", object.historyLoss)
    state.host = try object.optional("host", object.hostMemory)
    state.channel = try object.optional("channel", object.channel) ?? .stable
    state.install = try object.optional("install", object.install)
    state.chosenChannel = try object.optional("chosenChannel", object.channel)
    state.standIns = try object.optional("standIns", object.standIns) ?? [:]
    if written == 1 { state.channel = state.channelOfSlots }
    return state
  }

  /// Whether bytes are a state and nothing else: other programs have files of this name, too.
  static func isState(_ bytes: [UInt8]) -> Bool {
    do {
      _ = try decode(bytes)
      let limits = Limits.standard
      let document = try JSONReader.read(bytes, maxBytes: limits.maxStateBytes, maxDepth: limits.maxDepth)
      return try JSONObject(document).members.allSatisfy { fields.contains($0.key) }
    } catch {
      // A file of something else, or a damaged one of ours.
      return false
    }
  }

  /// Writes a state; the same bytes for the same value.
  static func encode(_ state: DeviceState) -> [UInt8] {
    var members = [JSONMember("format", .integer(format))]
    func add(_ name: String, _ value: JSONValue?) {
      if let value { members.append(JSONMember(name, value)) }
    }
    add("channel", state.channel == .stable ? nil : .string(state.channel.name))
    members += state.slots.members
    add("pin", state.pin.map(\.json))
    let parked = state.parked.map { JSONMember($0.channel.name, .object($0.slots.members)) }
    add("channels", parked.isEmpty ? nil : .object(parked))
    add("rejected", state.rejected.isEmpty ? nil : .array(state.rejected.map(\.json)))
    let seen = state.seen.sorted { $0.key.name < $1.key.name }.map { JSONMember($0.key.name, $0.value.json) }
    add("seen", seen.isEmpty ? nil : .object(seen))
    let heard = state.heard.sorted { $0.key.name < $1.key.name }.map {
      JSONMember($0.key.name, .integer($0.value.number))
    }
    add("heard", heard.isEmpty ? nil : .object(heard))
    add("lineage", state.lineage?.json)
    add("overruled", state.overruledDate.map { .string($0.description) })
    add("lastProblem", state.lastProblem?.json)
    add("stale", state.stale?.json)
    add("historyLoss", state.historyLoss?.json)
    add("host", state.host?.json)
    add("install", state.install.map { .string($0.text) })
    add("chosenChannel", state.chosenChannel.map { .string($0.name) })
    let standIns = state.standIns.sorted { $0.key.name < $1.key.name }.map {
      JSONMember($0.key.name, .string($0.value.name))
    }
    add("standIns", standIns.isEmpty ? nil : .object(standIns))
    return JSONValue.object(members).encoded(indented: true)
  }
}

/// The members that the slots of a channel are written as.
enum SlotFields {
  static let all = [
    "current", "trial", "previous", "staged", "trialLoad", "pinned", "withdrawn", "takenBack", "rollout",
    "advisories", "embeddedOnly",
  ]
}

extension DeviceState {
  /// The channel that the slots of format 1 belong to, which did not say so: the one that accepted a release in them.
  fileprivate var channelOfSlots: Channel {
    for release in [current, staged, previous].compactMap(\.self) {
      if let match = seen.first(where: { $0.value.manifest == release.manifest }) { return match.key }
    }
    return seen.count == 1 ? seen.keys.first ?? .stable : .stable
  }
}

extension ContentPair {
  var members: [JSONMember] {
    [JSONMember("bundle", .string(bundle.hex)), JSONMember("sources", .string(sources.hex))]
  }
}

extension ReleaseReference {
  fileprivate var json: JSONValue {
    var members = [
      JSONMember("version", .integer(version.number)), JSONMember("manifest", .string(manifest.hex)),
    ]
    members += pair.members
    if let contract { members.append(JSONMember("contract", .integer(contract))) }
    if let minimumAppVersion {
      members.append(JSONMember("minimumAppVersion", .string(minimumAppVersion.text)))
    }
    return .object(members)
  }
}

extension DeviceState.TrialLoadRecord {
  fileprivate var json: JSONValue {
    .object([JSONMember("manifest", .string(manifest.hex)), JSONMember("stage", .string(stage.rawValue))])
  }
}

extension DeviceState.Pin {
  fileprivate var json: JSONValue {
    switch self {
    case .embedded: .string("embedded")
    case .release(let release): release.json
    }
  }
}

extension DeviceState.Rejection {
  fileprivate var json: JSONValue {
    .object(
      pair.members + [
        JSONMember("version", .integer(version.number)), JSONMember("reason", .string(reason)),
        JSONMember("date", .string(date.description)),
      ] + (channel.map { [JSONMember("channel", .string($0.name))] } ?? []))
  }
}

extension DeviceState.SeenRelease {
  fileprivate var json: JSONValue {
    .object(
      [JSONMember("version", .integer(version.number)), JSONMember("manifest", .string(manifest.hex))]
        + pair.members)
  }
}

extension DeviceState.RecordedProblem {
  fileprivate var json: JSONValue {
    .object([
      JSONMember("code", .string(code)), JSONMember("message", .string(message)),
      JSONMember("date", .string(date.description)),
    ])
  }
}

extension DeviceState.HistoryLoss {
  fileprivate var json: JSONValue {
    .object([
      JSONMember("count", .integer(count)), JSONMember("since", .string(since.description)),
      JSONMember("reason", .string(reason)),
    ])
  }
}

extension DeviceState.Staleness {
  fileprivate var json: JSONValue {
    .object([
      JSONMember("since", .string(since.description)), JSONMember("reason", .string(reason)),
    ])
  }
}

extension ChannelSlots {
  fileprivate var members: [JSONMember] {
    var members: [JSONMember] = []
    func add(_ name: String, _ value: JSONValue?) {
      if let value { members.append(JSONMember(name, value)) }
    }
    add("current", current?.json)
    add("trial", trial.map { .array($0.launches.map { .string($0.text) }) })
    add("previous", previous?.json)
    add("staged", staged?.json)
    add("trialLoad", trialLoad.map(\.json))
    add("pinned", pinned?.json)
    add("withdrawn", withdrawn.isEmpty ? nil : .array(withdrawn.map { .integer($0.number) }))
    add("takenBack", takenBack.isEmpty ? nil : .array(takenBack.map { .integer($0.number) }))
    add("rollout", rollout?.json)
    add("advisories", advisories?.json)
    add("embeddedOnly", embeddedWord?.json)
    return members
  }
}

extension ChannelSlots.EmbeddedWord {
  fileprivate var json: JSONValue {
    .object([JSONMember("version", .integer(version.number)), JSONMember("apps", apps.json)])
  }
}

extension Lineage {
  fileprivate var json: JSONValue {
    switch self {
    case .signed(let epoch):
      .object([
        JSONMember("root", .string(epoch.lineage.hex)), JSONMember("epoch", .integer(epoch.rootVersion)),
      ])
    case .unsigned(let address): .object([JSONMember("feed", .string(address))])
    }
  }
}
