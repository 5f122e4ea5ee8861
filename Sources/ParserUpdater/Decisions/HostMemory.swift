internal import OTAFeed
internal import OTAManifest

/// What a device remembers of the host of its feed between runs; not of its mirrors, which are asked rarely.
struct HostMemory: Equatable, Sendable {
  /// The feed, as in the settings: another feed has another host.
  let feed: String
  /// The pause that the host asked for.
  var pause: Pause?
  /// What is odd about the host, although updates work.
  var oddity: String?

  /// A time in which the host is not asked.
  struct Pause: Equatable, Sendable {
    let until: Timestamp
    /// What was asked, and the answer.
    let reason: String
  }

  /// The pause, unless it is over; a clock that went back since then does not make it longer than any pause can be.
  func pause(at now: Timestamp) -> Pause? {
    pause.flatMap { pause in
      let latest = now.advanced(bySeconds: RetryAfter.longestSeconds)
      return now < pause.until && pause.until <= latest ? pause : nil
    }
  }
}

extension HostMemory.Pause {
  /// The pause that a failed request asks for; `nil` when it asks for none.
  init?(_ problem: Problem, now: Timestamp) {
    let said = problem.retryAfter.flatMap { RetryAfter.end($0, now: now) }
    switch problem.code {
    case .throttled: until = said ?? now.advanced(bySeconds: RetryAfter.usualSeconds)
    // Without a number, one server behind the name failed and the next may answer.
    case .serverError:
      guard let said else { return nil }
      until = said
    default: return nil
    }
    guard until > now else { return nil }
    reason = problem.message.printable(maxCharacters: 300)
  }

  /// What a run says that does not ask.
  var problem: Problem {
    Problem(
      .throttled, "asked too soon, again at \(until): \(reason)",
      advice: "wait until then, or ask all the same with --force")
  }
}

// MARK: The file form

extension HostMemory {
  var json: JSONValue {
    var members = [JSONMember("feed", .string(feed))]
    if let pause {
      members.append(JSONMember("pausedUntil", .string(pause.until.description)))
      members.append(JSONMember("pauseReason", .string(pause.reason)))
    }
    if let oddity { members.append(JSONMember("oddity", .string(oddity))) }
    return .object(members)
  }
}

extension JSONObject {
  func hostMemory(_ name: String) throws(InputError) -> HostMemory {
    let object = try object(name)
    var memory = HostMemory(feed: try object.string("feed"))
    memory.oddity = try object.optional("oddity", object.string)
    if let until = try object.optional("pausedUntil", object.timestamp) {
      memory.pause = .init(until: until, reason: try object.string("pauseReason"))
    }
    return memory
  }
}
