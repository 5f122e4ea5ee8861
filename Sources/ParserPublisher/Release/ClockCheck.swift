internal import OTAFeed
internal import OTAManifest
internal import OTATrust

/// Compares the clock with everything else that knows the time, before a release is dated or signed.
///
/// A wrong date outlives its release: devices that took it wait for that moment, and metadata of the past is expired.
struct ClockCheck {
  /// A moment that has been, and how it is known.
  struct Witness: Equatable {
    let moment: Timestamp
    /// The subject of a sentence: "release 37 was released".
    let event: String
  }

  /// What the manifest records, and `--allow-clock` allows.
  static let allowance = ProblemCode.clockImplausible.rawValue
  /// No copy of these sources is older.
  static let floor = Timestamp(secondsSinceEpoch: 1_767_225_600)
  /// How far two honest clocks may differ.
  static let toleranceSeconds: Int64 = 300
  /// How far a host may differ: its own clock may be a poor one.
  static let hostToleranceSeconds: Int64 = 86_400

  let now: Timestamp
  /// A date that was given in place of the clock.
  var date: Timestamp?
  var witnesses: [Witness] = []
  /// The time of the feed's own host, and its name.
  var host: (name: String, time: Timestamp)?

  /// Why the clock cannot be right however often it is allowed.
  var impossible: Problem? {
    guard now < Self.floor else { return nil }
    return Problem(
      .clockImplausible, "the clock of this machine says \(now), which is before this tool was made",
      advice: "set the clock, then run the same command again")
  }

  /// Why the clock, or the date in its place, is probably wrong; `nil` when nothing speaks against it.
  var doubt: Problem? { behind ?? unlikeHost ?? givenAhead }

  private var behind: Problem? {
    let newest = witnesses.max { $0.moment < $1.moment }
    guard let newest, now < newest.moment.advanced(bySeconds: -Self.toleranceSeconds) else { return nil }
    return Self.problem(
      "the clock of this machine says \(now), but \(newest.event) \(Self.span(now, newest.moment)) later, at "
        + "\(newest.moment)",
      advice: "set the clock; if that date is the wrong one, add --allow-clock")
  }

  private var unlikeHost: Problem? {
    guard let host, abs(now.secondsSinceEpoch - host.time.secondsSinceEpoch) > Self.hostToleranceSeconds
    else {
      return nil
    }
    let direction = now > host.time ? "ahead of" : "behind"
    return Self.problem(
      "the clock of this machine says \(now), \(Self.span(now, host.time)) \(direction) \(host.name), which says "
        + "\(host.time)",
      advice: "set the clock; if the host has the wrong time, add --allow-clock")
  }

  private var givenAhead: Problem? {
    guard let date, date > now.advanced(bySeconds: Self.toleranceSeconds) else { return nil }
    return Self.problem(
      "the date that was given, \(date), is \(Self.span(now, date)) ahead of the clock of this machine",
      advice: "give a date of the past, or leave SOURCE_DATE_EPOCH out; if the clock is the wrong one, set it"
    )
  }

  private static func problem(_ message: String, advice: String) -> Problem {
    Problem(.clockImplausible, message, advice: advice)
  }

  /// The time between two moments in the largest unit that fits.
  private static func span(_ one: Timestamp, _ other: Timestamp) -> String {
    let seconds = abs(one.secondsSinceEpoch - other.secondsSinceEpoch)
    for (unit, length) in [("day", 86_400 as Int64), ("hour", 3600)] where seconds >= length {
      let count = seconds / length
      return "\(count) \(unit)\(count == 1 ? "" : "s")"
    }
    return "\(seconds / 60) minutes"
  }
}

extension ClockCheck {
  /// What a feed says of the time: its dates down to the newest release for which the clock was allowed.
  ///
  /// A date that was allowed to go back is the right one, so what lies before it counts no more.
  ///
  /// - Parameter discarded: releases that a ceremony takes from the feed for what they did; they and what was signed last
  ///   are no witnesses in it.
  static func witnesses(of state: FeedState, without discarded: Set<ReleaseVersion> = []) -> [Witness] {
    var found: [Witness] = []
    if discarded.isEmpty, let signedAt = state.metadata?.signedAt {
      found.append(Witness(moment: signedAt, event: "\(FeedLayout.timestamp) was signed"))
    }
    for manifest in state.releases.map(\.manifest) where !discarded.contains(manifest.version) {
      if let released = manifest.released {
        found.append(Witness(moment: released, event: "release \(manifest.version) was made"))
      }
      if manifest.allowed.contains(where: { $0.hasSameBytes(as: allowance) }) { break }
    }
    return found
  }
}

extension Publisher {
  /// Refuses to date or sign by a clock that cannot be right, or that other dates speak against.
  ///
  /// - Returns: whether it goes on only because the clock was allowed.
  func requireClock(
    _ state: FeedState, date: Timestamp?, host: Timestamp? = nil, discarding: Set<ReleaseVersion> = []
  ) throws(Problem) -> Bool {
    var check = ClockCheck(
      now: now(), date: date, witnesses: ClockCheck.witnesses(of: state, without: discarding))
    if let base = state.settings.baseURL, let host { check.host = (base.host, host) }
    if let impossible = check.impossible { throw impossible }
    guard let doubt = check.doubt else { return false }
    guard allowsClock else { throw doubt }
    return true
  }

  /// The same, with the time of the feed's own host.
  func requireClock(
    asking state: FeedState, date: Timestamp?, discarding: Set<ReleaseVersion> = []
  ) async throws(Problem) -> Bool {
    try requireClock(state, date: date, host: await hostTime(state), discarding: discarding)
  }

  /// The time of the host that serves the feed; `nil` when there is none to ask, or no answer.
  func hostTime(_ state: FeedState) async -> Timestamp? {
    guard let base = state.settings.baseURL, let hostClock, !allowsClock else { return nil }
    return await hostClock.time(base)
  }
}
