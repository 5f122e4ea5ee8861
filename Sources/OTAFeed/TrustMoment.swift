public import OTAManifest

/// What time it is for trust: the clock, and the dates that were seen before.
///
/// Expiry is judged by the clock. A date alone never says that it is later: signed dates come from publishers whose
/// clocks are wrong too, and a date that this device wrote says only that its clock jumped. Where both are later than the
/// clock, it was set back, and metadata that has expired by the device's own date is refused, unless its timestamp is
/// new to the device. So nobody's wrong clock ends updates for ever.
public struct TrustMoment: Equatable, Sendable {
  /// What the clock says.
  public let clock: Timestamp
  /// The latest date in signed content that was accepted.
  public let signedDate: Timestamp?
  /// The latest date that this device wrote down.
  public let seenDate: Timestamp?

  /// How far a clock may be set back without a word, in seconds: what time services correct.
  public static let toleranceSeconds: Int64 = 300
  /// How far a signed date may be ahead of the clock and still be no witness, in seconds: publishers are refused by
  /// their own tool only beyond it.
  public static let signedToleranceSeconds: Int64 = 86_400

  /// Describes a moment.
  public init(clock: Timestamp, signedDate: Timestamp? = nil, seenDate: Timestamp? = nil) {
    self.clock = clock
    self.signedDate = signedDate
    self.seenDate = seenDate
  }

  /// The later date that was seen, when the clock is behind it.
  public var evidence: Timestamp? {
    guard let latest = [signedDate, seenDate].compactMap(\.self).max(),
      clock.advanced(bySeconds: Self.toleranceSeconds) < latest
    else { return nil }
    return latest
  }

  /// The moment that two independent witnesses agree on: the device's own date, when a signed date says too that the
  /// clock was set back; `nil` when there are no two.
  ///
  /// - Parameter signed: another signed date, such as that of the trusted timestamp.
  public func agreedDate(withSigned signed: Timestamp? = nil) -> Timestamp? {
    guard let signed = [signedDate, signed].compactMap(\.self).max(), let seen = seenDate,
      clock.advanced(bySeconds: Self.signedToleranceSeconds) < signed,
      clock.advanced(bySeconds: Self.toleranceSeconds) < seen
    else { return nil }
    return seen
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
