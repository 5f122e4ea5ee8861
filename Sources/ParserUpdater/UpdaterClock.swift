public import OTAManifest
internal import OTAStorage

/// The time as an updater sees it; tests bring their own.
public protocol UpdaterClock: Sendable {
  /// The wall clock, in UTC.
  var now: Timestamp { get }

  /// Waits between two attempts at a transfer.
  ///
  /// - Throws: anything when the task is cancelled; the update ends with `cancelled` then.
  func sleep(for duration: Duration) async throws
}

/// The clock of this machine.
public struct SystemUpdaterClock: UpdaterClock {
  /// The clock of this machine.
  public init() {}

  /// The wall clock, in whole seconds.
  public var now: Timestamp { Timestamp(secondsSinceEpoch: SystemClock.wallSeconds()) }

  /// Waits without a thread.
  public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
