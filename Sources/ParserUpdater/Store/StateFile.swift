internal import OTAManifest

/// The file form of a device's state: `state.json`, read as strictly as anything from outside.
enum StateFile {
  /// The format that this client writes and reads.
  static let format: Int64 = 1
  /// The name of the file in the store.
  static let name = "state.json"

  private static let fields = [
    "format", "current", "trial", "previous", "staged", "pin", "rejected", "withdrawn", "seen", "lastProblem",
    "stale", "trialLoad", "historyLoss",
  ]

  /// Reads a state; every field but `format` may be missing.
  static func decode(_ bytes: [UInt8]) throws(InputError) -> DeviceState {
    let limits = Limits.standard
    let document = try JSONReader.read(bytes, maxBytes: limits.maxStateBytes, maxDepth: limits.maxDepth)
    let object = try JSONObject(document, known: fields)
    _ = try object.integer("format", in: format...format)
    var state = DeviceState()
    state.current = try object.optional("current", object.reference)
    state.previous = try object.optional("previous", object.reference)
    state.staged = try object.optional("staged", object.reference)
    state.trial = try object.optional("trial", object.trial)
    state.pin = try object.optional("pin", object.pin)
    state.rejected = try object.optional("rejected", object.rejections) ?? []
    state.withdrawn = try object.optional("withdrawn", object.versions) ?? []
    state.seen = try object.optional("seen", object.seen) ?? [:]
    state.lastProblem = try object.optional("lastProblem", object.recordedProblem)
    state.stale = try object.optional("stale", object.staleness)
    state.historyLoss = try object.optional("historyLoss", object.historyLoss)
    state.trialLoad = try object.optional("trialLoad", object.trialLoad)
    if state.trial != nil, state.current == nil {
      throw InputError(.malformed, field: "trial", "stands without a current release")
    }
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
    add("current", state.current?.json)
    add("trial", state.trial.map { .array($0.launches.map { .string($0.text) }) })
    add("previous", state.previous?.json)
    add("staged", state.staged?.json)
    add("trialLoad", state.trialLoad.map(\.json))
    add("pin", state.pin.map(\.json))
    add("rejected", state.rejected.isEmpty ? nil : .array(state.rejected.map(\.json)))
    add("withdrawn", state.withdrawn.isEmpty ? nil : .array(state.withdrawn.map { .integer($0.number) }))
    let seen = state.seen.sorted { $0.key.name < $1.key.name }.map { JSONMember($0.key.name, $0.value.json) }
    add("seen", seen.isEmpty ? nil : .object(seen))
    add("lastProblem", state.lastProblem?.json)
    add("stale", state.stale?.json)
    add("historyLoss", state.historyLoss?.json)
    return JSONValue.object(members).encoded(indented: true)
  }
}

extension JSONObject {
  fileprivate func pair() throws(InputError) -> ContentPair {
    ContentPair(bundle: try digest("bundle"), sources: try digest("sources"))
  }

  fileprivate func reference(_ name: String) throws(InputError) -> ReleaseReference {
    let object = try object(name)
    return ReleaseReference(
      version: try object.version("version"), manifest: try object.digest("manifest"),
      pair: try object.pair(),
      contract: try object.optional("contract") { (name) throws(InputError) in try object.integer(name) },
      minimumAppVersion: try object.optional("minimumAppVersion", object.appVersion))
  }

  fileprivate func trial(_ name: String) throws(InputError) -> DeviceState.Trial {
    var launches: [LaunchID] = []
    for (index, item) in try array(name).enumerated() {
      guard case .string(let text) = item, let launch = LaunchID(text) else {
        throw InputError(.malformed, field: "\(path(of: name))[\(index)]", "is not the name of a launch")
      }
      launches.append(launch)
    }
    return DeviceState.Trial(launches: launches)
  }

  fileprivate func pin(_ name: String) throws(InputError) -> DeviceState.Pin {
    if case .string(let text)? = self[name] {
      guard text.hasSameBytes(as: "embedded") else {
        throw InputError(.malformed, field: path(of: name), "is neither \"embedded\" nor a release")
      }
      return .embedded
    }
    return .release(try reference(name))
  }

  fileprivate func rejections(_ name: String) throws(InputError) -> [DeviceState.Rejection] {
    var rejections: [DeviceState.Rejection] = []
    for (index, item) in try array(name).enumerated() {
      let object = try JSONObject(item, path: "\(path(of: name))[\(index)]")
      rejections.append(
        DeviceState.Rejection(
          pair: try object.pair(), version: try object.version("version"),
          reason: try object.string("reason"),
          date: try object.timestamp("date")))
    }
    return rejections
  }

  fileprivate func seen(_ name: String) throws(InputError) -> [Channel: DeviceState.SeenRelease] {
    let channels = try object(name)
    var seen: [Channel: DeviceState.SeenRelease] = [:]
    for member in channels.members {
      guard let channel = Channel(member.key) else {
        throw InputError(.malformed, field: channels.path(of: member.key), "is not a channel")
      }
      let object = try channels.object(member.key)
      seen[channel] = DeviceState.SeenRelease(
        version: try object.version("version"), manifest: try object.digest("manifest"),
        pair: try object.pair())
    }
    return seen
  }

  fileprivate func recordedProblem(_ name: String) throws(InputError) -> DeviceState.RecordedProblem {
    let object = try object(name)
    return DeviceState.RecordedProblem(
      code: try object.string("code"), message: try object.string("message"),
      date: try object.timestamp("date"))
  }

  fileprivate func trialLoad(_ name: String) throws(InputError) -> DeviceState.TrialLoadRecord {
    let object = try object(name)
    let text = try object.string("stage")
    guard let stage = DeviceState.TrialLoadRecord.Stage(rawValue: text) else {
      throw InputError(.malformed, field: object.path(of: "stage"), "is no stage of a trial load")
    }
    return DeviceState.TrialLoadRecord(manifest: try object.digest("manifest"), stage: stage)
  }

  fileprivate func historyLoss(_ name: String) throws(InputError) -> DeviceState.HistoryLoss {
    let object = try object(name)
    return DeviceState.HistoryLoss(
      count: try object.integer("count", in: 1...1_000_000), since: try object.timestamp("since"),
      reason: try object.string("reason"))
  }

  fileprivate func staleness(_ name: String) throws(InputError) -> DeviceState.Staleness {
    let object = try object(name)
    return DeviceState.Staleness(since: try object.timestamp("since"), reason: try object.string("reason"))
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
      ])
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
