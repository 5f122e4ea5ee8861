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
        if isIdle { try await Pause.wait(milliseconds: 5) }
      } catch {
        throw .cancelled
      }
    }
  }
}

/// What a command left when it ended.
public struct CommandAnswer: Equatable, Sendable {
  /// The exit status, or 128 plus the number of the signal that ended it, as shells count.
  public let status: Int32
  /// All bytes of standard output.
  public let output: [UInt8]
  /// The first bytes of standard error.
  public let complaint: [UInt8]
}

/// Why a command gave no answer.
public enum CommandFault: Error, Equatable, Sendable {
  /// It could not be started; the words of the system.
  case notStarted(String)
  /// It had not ended in time, and was killed with all that it had started.
  case timedOut
  /// It wrote more than the caller takes, and was killed.
  case tooMuchOutput
  /// The caller's task was cancelled, and the command was killed.
  case cancelled
}
