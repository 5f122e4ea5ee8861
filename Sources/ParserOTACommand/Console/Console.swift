/// The three streams of a process.
enum ConsoleStream: Sendable {
  case input
  /// Standard output: what the verb was asked for.
  case data
  /// Standard error: notes, warnings, errors, progress.
  case talk
}

/// Why standard output could not be written.
enum OutputFailure: Equatable, Sendable {
  /// The reader has gone away, as `head` does; nothing needs to be said.
  case readerGone
  case refused(reason: String)
}

/// Where the tool reads answers and writes data and talk.
protocol Console: Sendable {
  /// Writes all bytes, or remembers why not; never raises a signal.
  func write(_ bytes: [UInt8], to stream: ConsoleStream)

  /// One line of standard input without its newline; `nil` at the end of the input or when the task is cancelled.
  func readLine() -> String?

  /// One line that a person types without seeing it, without its newline; `nil` as in `readLine`.
  func readSecretLine() -> [UInt8]?

  func isTerminal(_ stream: ConsoleStream) -> Bool

  /// The columns of the terminal that shows the talk.
  var width: Int { get }

  /// The first failure to write data.
  var dataFailure: OutputFailure? { get }
}
