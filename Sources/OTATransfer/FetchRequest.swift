internal import Synchronization

/// What to fetch, and how much of it at most.
public struct FetchRequest: Sendable {
  /// An absolute `https:` URL; plain `http:` only where the policy allows it.
  public var url: String
  /// The largest size of the whole resource, the resumed part included; against endless bodies.
  ///
  /// Counted by ourselves as the bytes arrive, because an announced length may be missing or a lie.
  public var maxBytes: Int
  /// Where to go on; `nil` fetches from the first byte.
  public var resume: ResumePoint?
  /// Called while bytes arrive with the size so far, the resumed part included, and the full size if announced.
  ///
  /// The size so far never exceeds the expected one. It runs on the transfer thread, so it must be quick.
  public var progress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)?
  /// An entity tag; when it still holds, the answer is a 304 without a body.
  public var ifNoneMatch: String?
  /// Time that this transfer shares with others; `nil` leaves it to `TransferPolicy.total`, which counts in any case.
  public var budget: TransferBudget?

  /// Describes a plain fetch; the rest is optional.
  public init(
    url: String, maxBytes: Int, resume: ResumePoint? = nil, ifNoneMatch: String? = nil,
    budget: TransferBudget? = nil, progress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)? = nil
  ) {
    self.url = url
    self.maxBytes = maxBytes
    self.resume = resume
    self.ifNoneMatch = ifNoneMatch
    self.budget = budget
    self.progress = progress
  }
}

/// The place in a resource where an earlier transfer ended.
public struct ResumePoint: Sendable, Equatable {
  /// The number of bytes that are already there; 0 or less asks for the whole resource.
  public let offset: Int
  /// The entity tag or modification date that the earlier answer had; sent as `If-Range`.
  ///
  /// A weak entity tag proves nothing about bytes, so it is compared but not sent.
  public let validator: String?

  /// Says how much is there and of which state of the resource it is.
  public init(offset: Int, validator: String?) {
    self.offset = offset
    self.validator = validator
  }
}

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
