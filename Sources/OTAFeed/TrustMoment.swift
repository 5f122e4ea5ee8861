public import OTAManifest

/// What time it is for trust: the clock, and what was seen that says that it must be later.
///
/// Signed dates, such as `released` of an accepted manifest, are proof: expiry is judged by the later of them and the
/// clock. Dates that this device itself wrote prove only that the clock jumped, and either of its words may be the
/// wrong one: such a clock is called unreliable, and metadata that would have expired by the later date is believed
/// only together with a timestamp that is new to the device. So a clock that was ahead once does not end all updates.
public struct TrustMoment: Equatable, Sendable {
  /// What the clock says.
  public let clock: Timestamp
  /// The latest date in signed content that was accepted.
  public let signedDate: Timestamp?
  /// The latest date that this device wrote down.
  public let seenDate: Timestamp?

  /// How far a clock may be set back without a word, in seconds: what time services correct.
  public static let toleranceSeconds: Int64 = 300

  /// Describes a moment.
  public init(clock: Timestamp, signedDate: Timestamp? = nil, seenDate: Timestamp? = nil) {
    self.clock = clock
    self.signedDate = signedDate
    self.seenDate = seenDate
  }

  /// The moment by which expiry is judged.
  public var judged: Timestamp { max(clock, signedDate ?? clock) }

  /// The later date that was seen, when the clock is behind it.
  public var evidence: Timestamp? {
    guard let latest = [signedDate, seenDate].compactMap(\.self).max(),
      clock.advanced(bySeconds: Self.toleranceSeconds) < latest
    else { return nil }
    return latest
  }

  /// What is wrong with the clock; `nil` when nothing is known to be.
  public var doubt: Problem? {
    evidence.map { seen in
      Problem(
        .clockUnreliable, "this clock says \(clock), but \(seen) was seen before",
        advice: "set the clock of this machine")
    }
  }
}
