internal import Synchronization

/// A console for tests: keeps what was written and answers from a list.
final class RecordingConsole: Console {
  private struct Record {
    var data: [UInt8] = []
    var talk: [UInt8] = []
    var answers: [String] = []
    var questionsRead = 0
    var failure: OutputFailure?
  }

  private let record: Mutex<Record>
  private let terminals: Set<ConsoleStream>
  let width: Int

  /// A console whose named streams are terminals; without answers the input is at its end.
  init(terminals: Set<ConsoleStream> = [], width: Int = 80, answers: [String] = []) {
    self.terminals = terminals
    self.width = width
    record = Mutex(Record(answers: answers))
  }

  /// Everything written to standard output.
  var data: String { record.withLock { String(decoding: $0.data, as: UTF8.self) } }

  /// Everything written to standard error.
  var talk: String { record.withLock { String(decoding: $0.talk, as: UTF8.self) } }

  /// How often somebody waited for an answer.
  var questionsRead: Int { record.withLock { $0.questionsRead } }

  var dataFailure: OutputFailure? { record.withLock { $0.failure } }

  /// Makes the standard output fail from now on.
  func failData(_ failure: OutputFailure) { record.withLock { $0.failure = failure } }

  func isTerminal(_ stream: ConsoleStream) -> Bool { terminals.contains(stream) }

  func write(_ bytes: [UInt8], to stream: ConsoleStream) {
    record.withLock { record in
      if case .talk = stream { record.talk += bytes } else { record.data += bytes }
    }
  }

  func readSecretLine() -> [UInt8]? { readLine().map { Array($0.utf8) } }

  func readLine() -> String? {
    record.withLock { record in
      record.questionsRead += 1
      return record.answers.isEmpty ? nil : record.answers.removeFirst()
    }
  }
}
