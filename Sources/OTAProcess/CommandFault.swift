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
