/// What a command left when it ended.
public struct CommandAnswer: Equatable, Sendable {
  /// The exit status, or 128 plus the number of the signal that ended it, as shells count.
  public let status: Int32
  /// All bytes of standard output.
  public let output: [UInt8]
  /// The first bytes of standard error.
  public let complaint: [UInt8]
}
