internal import OTAFeed
internal import OTAManifest

/// The parts of `state.json`, read strictly.
extension JSONObject {
  /// The slots of a channel.
  func slots() throws(InputError) -> ChannelSlots {
    var slots = ChannelSlots()
    slots.current = try optional("current", reference)
    slots.previous = try optional("previous", reference)
    slots.staged = try optional("staged", reference)
    slots.pinned = try optional("pinned", reference)
    slots.trial = try optional("trial", trial)
    slots.trialLoad = try optional("trialLoad", trialLoad)
    slots.withdrawn = try optional("withdrawn", versions) ?? []
    slots.takenBack = try optional("takenBack", versions) ?? []
    slots.rollout = try optional("rollout") { (name) throws(InputError) in try Rollout(object(name)) }
    slots.advisories = try optional("advisories") { (name) throws(InputError) in
      try Advisories(object(name))
    }
    slots.embeddedWord = try optional("embeddedOnly", embeddedWord)
    if slots.trial != nil, slots.current == nil {
      throw InputError(.malformed, field: path(of: "trial"), "stands without a current release")
    }
    return slots
  }

  /// The slots of the channels that were followed before, in their order.
  func parked(_ name: String) throws(InputError) -> [ParkedChannel] {
    let channels = try object(name)
    var parked: [ParkedChannel] = []
    for member in channels.members {
      let slots = try channels.object(member.key, known: SlotFields.all).slots()
      parked.append(ParkedChannel(channel: try channels.key(member.key), slots: slots))
    }
    return parked
  }

  /// A member's name as a channel.
  private func key(_ name: String) throws(InputError) -> Channel {
    guard let channel = Channel(name) else {
      throw InputError(.malformed, field: path(of: name), "is not a channel")
    }
    return channel
  }

  func heard(_ name: String) throws(InputError) -> [Channel: ReleaseVersion] {
    let channels = try object(name)
    var heard: [Channel: ReleaseVersion] = [:]
    for member in channels.members { heard[try channels.key(member.key)] = try channels.version(member.key) }
    return heard
  }

  private func embeddedWord(_ name: String) throws(InputError) -> ChannelSlots.EmbeddedWord {
    let object = try object(name)
    return ChannelSlots.EmbeddedWord(
      version: try object.version("version"), apps: try EmbeddedOnly(object.object("apps")))
  }

  func install(_ name: String) throws(InputError) -> InstallID {
    guard let install = InstallID(try string(name)) else {
      throw InputError(.malformed, field: path(of: name), "is not 32 hexadecimal digits")
    }
    return install
  }

  func standIns(_ name: String) throws(InputError) -> [Channel: Channel] {
    let channels = try object(name)
    var standIns: [Channel: Channel] = [:]
    for member in channels.members {
      standIns[try channels.key(member.key)] = try channels.channel(member.key)
    }
    return standIns
  }

  func lineage(_ name: String) throws(InputError) -> Lineage {
    let object = try object(name, known: ["root", "epoch", "feed"])
    if object["feed"] != nil { return .unsigned(address: try object.string("feed")) }
    return .signed(
      TrustEpoch(
        lineage: try object.digest("root"),
        rootVersion: try object.integer("epoch", in: 0...JSONObject.maxExactInteger)))
  }

  private func pair() throws(InputError) -> ContentPair {
    ContentPair(bundle: try digest("bundle"), sources: try digest("sources"))
  }

  private func reference(_ name: String) throws(InputError) -> ReleaseReference {
    let object = try object(name)
    return ReleaseReference(
      version: try object.version("version"), manifest: try object.digest("manifest"),
      pair: try object.pair(),
      contract: try object.optional("contract") { (name) throws(InputError) in try object.integer(name) },
      minimumAppVersion: try object.optional("minimumAppVersion", object.appVersion))
  }

  private func trial(_ name: String) throws(InputError) -> DeviceState.Trial {
    var launches: [LaunchID] = []
    for (index, item) in try array(name).enumerated() {
      guard case .string(let text) = item, let launch = LaunchID(text) else {
        throw InputError(.malformed, field: "\(path(of: name))[\(index)]", "is not the name of a launch")
      }
      launches.append(launch)
    }
    return DeviceState.Trial(launches: launches)
  }

  func pin(_ name: String) throws(InputError) -> DeviceState.Pin {
    if case .string(let text)? = self[name] {
      guard text.hasSameBytes(as: "embedded") else {
        throw InputError(.malformed, field: path(of: name), "is neither \"embedded\" nor a release")
      }
      return .embedded
    }
    return .release(try reference(name))
  }

  func rejections(_ name: String) throws(InputError) -> [DeviceState.Rejection] {
    var rejections: [DeviceState.Rejection] = []
    for (index, item) in try array(name).enumerated() {
      let object = try JSONObject(item, path: "\(path(of: name))[\(index)]")
      rejections.append(
        DeviceState.Rejection(
          pair: try object.pair(), version: try object.version("version"),
          reason: try object.string("reason"), date: try object.timestamp("date"),
          channel: try object.optional("channel", object.channel)))
    }
    return rejections
  }

  func seen(_ name: String) throws(InputError) -> [Channel: DeviceState.SeenRelease] {
    let channels = try object(name)
    var seen: [Channel: DeviceState.SeenRelease] = [:]
    for member in channels.members {
      let channel = try channels.key(member.key)
      let object = try channels.object(member.key)
      seen[channel] = DeviceState.SeenRelease(
        version: try object.version("version"), manifest: try object.digest("manifest"),
        pair: try object.pair())
    }
    return seen
  }

  func recordedProblem(_ name: String) throws(InputError) -> DeviceState.RecordedProblem {
    let object = try object(name)
    return DeviceState.RecordedProblem(
      code: try object.string("code"), message: try object.string("message"),
      date: try object.timestamp("date"))
  }

  private func trialLoad(_ name: String) throws(InputError) -> DeviceState.TrialLoadRecord {
    let object = try object(name)
    let text = try object.string("stage")
    guard let stage = DeviceState.TrialLoadRecord.Stage(rawValue: text) else {
      throw InputError(.malformed, field: object.path(of: "stage"), "is no stage of a trial load")
    }
    return DeviceState.TrialLoadRecord(manifest: try object.digest("manifest"), stage: stage)
  }

  func staleness(_ name: String) throws(InputError) -> DeviceState.Staleness {
    let object = try object(name)
    return DeviceState.Staleness(since: try object.timestamp("since"), reason: try object.string("reason"))
  }

  func historyLoss(_ name: String) throws(InputError) -> DeviceState.HistoryLoss {
    let object = try object(name)
    return DeviceState.HistoryLoss(
      count: try object.integer("count", in: 1...1_000_000), since: try object.timestamp("since"),
      reason: try object.string("reason"))
  }
}
