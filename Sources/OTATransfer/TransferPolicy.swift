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

  /// Allows `http:` to 127.0.0.0/8, `localhost` and `[::1]`, for tests and local feeds; never through a proxy.
  public var allowsPlainHTTPOnLoopback = false
  /// Against redirect loops.
  public var maxRedirects = 10
  /// Against hosts that never accept: name lookup, connection, TLS and proxy together.
  public var connectTimeout: Duration = .seconds(10)
  /// Against hosts that go silent; there is no limit on the total time, so a slow and steady transfer completes.
  public var stall = Stall(bytesPerSecond: 1024, seconds: 15)
  /// Against endless heads; counted over all heads of one transfer.
  public var maxHeaderBytes = 256 << 10
  /// Trust the certificate authorities in this PEM file alone, instead of those of the system.
  public var certificateFile: String?
  /// Trust the certificate authorities in this hashed directory alone, instead of those of the system.
  public var certificateDirectory: String?
  /// Sent as `User-Agent`.
  public var userAgent = "parser-ota"

  /// The production defaults.
  public init() {}
}
