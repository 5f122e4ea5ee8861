/// What a bundle may use up before the engine is killed; every value has a default that real bundles stay far below.
public struct EngineLimits: Sendable, Equatable {
  /// How long the engine may take to start: its process, its display and an empty page.
  public var startTime: Duration = .seconds(20)
  /// How long one script may run while it is evaluated; against endless loops and endless microtasks at load.
  public var loadTime: Duration = .seconds(10)
  /// How long one call may take, its requests included; against calls that never answer.
  public var callTime: Duration = .seconds(45)
  /// How long the page may be deaf before it counts as stuck; asked when a call gave no answer in its time.
  public var pulseTime: Duration = .seconds(2)
  /// The anonymous and shared memory of all processes of the engine together, in bytes; against memory bombs.
  public var maxMemoryBytes = 1 << 30
  /// The longest message from the page, in bytes; against results without end.
  public var maxMessageBytes = 16 << 20
  /// How many messages a page may send in all; against floods.
  public var maxMessages = 200_000
  /// How many lines a bundle may log; against floods.
  public var maxLogLines = 10_000

  /// The defaults.
  public init() {}
}
