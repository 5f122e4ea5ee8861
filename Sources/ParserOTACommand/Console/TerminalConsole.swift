internal import Synchronization

/// The console of a real process.
final class TerminalConsole: Console {
  /// The longest answer that is read, in bytes.
  private static let maxAnswerBytes = 4096

  private let input: Int32
  private let data: Int32
  private let talk: Int32
  private let failure = Mutex<OutputFailure?>(nil)

  /// A console over three descriptors, which stay open and belong to the caller.
  init(input: Int32 = 0, data: Int32 = 1, talk: Int32 = 2) {
    self.input = input
    self.data = data
    self.talk = talk
  }

  var width: Int { StandardStreams.width(of: talk) ?? 80 }

  var dataFailure: OutputFailure? { failure.withLock { $0 } }

  func isTerminal(_ stream: ConsoleStream) -> Bool { StandardStreams.isTerminal(descriptor(of: stream)) }

  func write(_ bytes: [UInt8], to stream: ConsoleStream) {
    // Talk that cannot be written has nowhere to be reported, so only a failure to write data is kept.
    guard let number = StandardStreams.write(bytes, to: descriptor(of: stream)), case .data = stream else {
      return
    }
    let reason: OutputFailure =
      StandardStreams.isBrokenPipe(number)
      ? .readerGone : .refused(reason: StandardStreams.reason(number))
    failure.withLock { $0 = $0 ?? reason }
  }

  func readLine() -> String? { readBytes().map(text) }

  func readSecretLine() -> [UInt8]? {
    let echo = StandardStreams.hideTyping(on: input)
    defer { if let echo { StandardStreams.showTyping(on: input, echo) } }
    return readBytes()
  }

  private func readBytes() -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < Self.maxAnswerBytes {
      // Waiting in slices lets an interrupt end a question that nobody answers.
      while !StandardStreams.isInputReady(input, milliseconds: 100) {
        if Task.isCancelled { return nil }
      }
      guard let byte = StandardStreams.readByte(from: input) else { return bytes.isEmpty ? nil : bytes }
      if byte == UInt8(ascii: "\n") { return bytes }
      bytes.append(byte)
    }
    return bytes
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private func descriptor(of stream: ConsoleStream) -> Int32 {
    switch stream {
    case .input: input
    case .data: data
    case .talk: talk
    }
  }
}
