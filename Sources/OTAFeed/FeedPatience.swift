/// How long the transfers of one update may take, against hosts that drip just fast enough not to stall.
///
/// A file may take `start` and the time that its size needs at `bytesPerSecond`. What came of a release is kept, so an
/// update over a slower line still completes, in several runs.
public struct FeedPatience: Equatable, Sendable {
  /// The time for one small file, connection and redirects included.
  public var start: Duration
  /// The average rate that a large file must keep up.
  public var bytesPerSecond: Int
  /// The time for all signed metadata of one check together.
  public var metadata: Duration

  /// The usual patience; 550 kB may take 97 s.
  public init(
    start: Duration = .seconds(30), bytesPerSecond: Int = 8192, metadata: Duration = .seconds(60)
  ) {
    self.start = start
    self.bytesPerSecond = bytesPerSecond
    self.metadata = metadata
  }
}
