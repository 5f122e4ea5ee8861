import Synchronization

/// Time that several transfers share, one after the other.
///
/// It is counted while a transfer runs, on the thread of the fetcher: how long a busy program takes to look at a result does
/// not matter.
public final class TransferBudget: Sendable {
  /// What there was at the beginning.
  public let whole: Duration
  private let left: Mutex<Duration>

  /// A budget of which nothing was spent.
  public init(_ whole: Duration) {
    self.whole = whole
    left = Mutex(whole)
  }

  /// What is left; zero or less when it is used up.
  public var remaining: Duration { left.withLock { $0 } }

  /// Takes the time of a transfer that has ended.
  public func spend(_ duration: Duration) { left.withLock { $0 -= duration } }
}
