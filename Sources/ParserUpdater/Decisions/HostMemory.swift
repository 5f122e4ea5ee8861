internal import OTATrust
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
  /// How many times in a row the host gave nothing.
  var failures: Int64 = 0
  /// When the feed wants to be asked again, by its own interval.
  var nextCheck: Timestamp?

  /// A time in which the host is not asked.
  struct Pause: Equatable, Sendable {
    let until: Timestamp
    /// What was asked, and the answer.
    let reason: String
  }

  /// The moment before which the feed does not want to be asked, unless it has come or a clock went back since.
  func dueDate(at now: Timestamp) -> Timestamp? {
    nextCheck.flatMap { due in
      now < due && due <= now.advanced(bySeconds: FeedInterval.range.upperBound) ? due : nil
    }
  }

  /// Remembers that the host gave nothing; from the third time on it is left alone, longer each time.
  ///
  /// - Parameter chance: a number from 0 up to 1, so that devices do not come back together.
  mutating func note(_ problem: Problem, now: Timestamp, chance: Double) {
    guard Self.countsAgainstHost(problem.code) else { return }
    failures = min(failures + 1, 1000)
    if let asked = Pause(problem, now: now) {
      pause = asked
    } else if failures >= Self.patience {
      let grown = Double(Self.firstPause << min(failures - Self.patience, 16))
      let seconds = min(grown, Double(Self.longestPause)) * (0.75 + min(max(chance, 0), 1) / 2)
      pause = Pause(
        until: now.advanced(bySeconds: Int64(seconds)),
        reason: "failed \(failures) times: \(problem.message)".printable(maxCharacters: 300))
    }
  }

  /// Remembers that the host gave a believed answer.
  mutating func noteSuccess() {
    failures = 0
    pause = nil
  }

  /// Failures in a row before the host is left alone without having asked for it.
  static let patience: Int64 = 3
  /// The first pause, in seconds; each further one is twice as long.
  static let firstPause: Int64 = 30
  /// The longest pause, in seconds.
  static let longestPause: Int64 = 3600

  /// Whether a failure reached a host, or may have; a device without network asks nobody.
  private static func countsAgainstHost(_ code: ProblemCode) -> Bool {
    switch code {
    case .throttled, .serverError, .timedOut, .stalled, .truncated, .transferFailed, .unreachable, .refused:
      true
    default: false
    }
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
      advice: "wait until then, or ask all the same with --now")
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
    if failures > 0 { members.append(JSONMember("failures", .integer(failures))) }
    if let nextCheck { members.append(JSONMember("nextCheck", .string(nextCheck.description))) }
    if let oddity { members.append(JSONMember("oddity", .string(oddity))) }
    return .object(members)
  }
}

extension JSONObject {
  func hostMemory(_ name: String) throws(InputError) -> HostMemory {
    let object = try object(name)
    var memory = HostMemory(feed: try object.string("feed"))
    memory.failures =
      try object.optional("failures") { (name) throws(InputError) in
        try object.integer(name, in: 0...1000)
      } ?? 0
    memory.nextCheck = try object.optional("nextCheck", object.timestamp)
    memory.oddity = try object.optional("oddity", object.string)
    if let until = try object.optional("pausedUntil", object.timestamp) {
      memory.pause = .init(until: until, reason: try object.string("pauseReason"))
    }
    return memory
  }
}
