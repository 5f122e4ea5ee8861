/// A command line for `/bin/sh`, run to its end with bytes on standard input.
public struct ShellCommand: Sendable {
  /// The text that the shell reads.
  public var text: String
  /// The whole environment of the command.
  public var environment: [String: String]
  /// How long it may take.
  public var timeLimit: Duration
  /// The longest standard output that is taken, in bytes.
  public var maxOutputBytes = 64 << 10
  /// How much of standard error is kept, in bytes; the rest is read and dropped.
  public var keptComplaintBytes = 2048

  /// Describes a command; nothing is started yet.
  public init(_ text: String, environment: [String: String], timeLimit: Duration) {
    self.text = text
    self.environment = environment
    self.timeLimit = timeLimit
  }

  /// Runs it in a process group of its own, without a terminal to ask on, and without holding a thread.
  ///
  /// Whatever happens, the group is gone when this returns. Other descriptors of this process are not passed on.
  public func run(input: [UInt8]) async throws(CommandFault) -> CommandAnswer {
    var child = try RunningCommand.start(self, input: input)
    let deadline = ContinuousClock.now + timeLimit
    while true {
      let isIdle = try child.collect(maxBytes: maxOutputBytes, keeping: keptComplaintBytes)
      if let status = child.endedStatus() {
        _ = try child.collect(maxBytes: maxOutputBytes, keeping: keptComplaintBytes)
        return CommandAnswer(status: status, output: child.output, complaint: child.complaint)
      }
      guard ContinuousClock.now < deadline else { throw .timedOut }
      do {
        if isIdle { try await Task.sleep(for: .milliseconds(5)) }
      } catch {
        throw .cancelled
      }
    }
  }
}
