/// The limits of every transfer, and what is allowed; the defaults are meant for production.
public struct TransferPolicy: Sendable {
  /// How slow a transfer may be before it counts as stalled.
  public struct Stall: Sendable, Equatable {
    /// The least number of bytes for each second.
    public var bytesPerSecond: Int
    /// The length of the window over which the rate is measured.
    public var seconds: Int

    /// A rate and its window.
    public init(bytesPerSecond: Int, seconds: Int) {
      self.bytesPerSecond = bytesPerSecond
      self.seconds = seconds
    }
  }

  /// How long a whole transfer may take: a start, and time for each byte that it may have.
  public struct Total: Sendable, Equatable {
    /// The time for connection, redirects and a small file.
    public var start: Duration
    /// The average rate that a large file must keep up.
    public var bytesPerSecond: Int

    /// A start and a rate.
    public init(start: Duration, bytesPerSecond: Int) {
      self.start = start
      self.bytesPerSecond = bytesPerSecond
    }

    /// The limit for a file of at most this many bytes.
    func limit(for bytes: Int) -> Duration {
      start + .seconds(max(0, bytes) / max(1, bytesPerSecond))
    }
  }

  /// Allows `http:` to 127.0.0.0/8, `localhost` and `[::1]`, for tests and local feeds; never through a proxy.
  public var allowsPlainHTTPOnLoopback = false
  /// Against redirect loops.
  public var maxRedirects = 10
  /// Against hosts that never accept: name lookup, connection, TLS and proxy together.
  public var connectTimeout: Duration = .seconds(10)
  /// Against hosts that go silent.
  public var stall = Stall(bytesPerSecond: 1024, seconds: 15)
  /// Against hosts that drip just fast enough not to stall; it grows with the size, so a slow and steady transfer completes.
  public var total = Total(start: .seconds(30), bytesPerSecond: 8192)
  /// Against endless heads; counted over all heads of one transfer.
  public var maxHeaderBytes = 256 << 10
  /// How many connections a host gets; transfers side by side share one that speaks HTTP/2, and wait for each other on
  /// one that does not.
  public var connectionsPerHost = 1
  /// Trust the certificate authorities in this PEM file alone, instead of those of the system.
  public var certificateFile: String?
  /// Trust the certificate authorities in this hashed directory alone, instead of those of the system.
  public var certificateDirectory: String?
  /// Sent as `User-Agent`.
  public var userAgent = "parser-ota"

  /// The production defaults.
  public init() {}
}
