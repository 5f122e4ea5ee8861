/// Says when a transfer is too slow: too few bytes in one window after another, measured without averaging.
struct StallWatch {
  private let limit: TransferPolicy.Stall
  private var windowStart: ContinuousClock.Instant
  private var bytes = 0

  init(_ limit: TransferPolicy.Stall, now: ContinuousClock.Instant) {
    self.limit = limit
    windowStart = now
  }

  mutating func count(_ bytes: Int) { self.bytes += bytes }

  /// Begins a new window, such as at the moment when the connection stands.
  mutating func restart(at instant: ContinuousClock.Instant) {
    windowStart = instant
    bytes = 0
  }

  /// Whether the window that ends now was too slow; a good one is followed by the next.
  mutating func isStalled(at now: ContinuousClock.Instant) -> Bool {
    guard now - windowStart >= .seconds(limit.seconds) else { return false }
    guard bytes >= limit.bytesPerSecond * limit.seconds else { return true }
    restart(at: now)
    return false
  }
}
