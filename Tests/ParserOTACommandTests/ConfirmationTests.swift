import Glibc
import TestSupport
import Testing

@testable import ParserOTACommand

@Suite struct ConfirmationTests {
  static let terminals: Set<ConsoleStream> = [.input, .data, .talk]

  @Test(
    "B70: where nobody can answer, nothing is asked and the flag is named",
    arguments: [
      ([ConsoleStream.data, .talk], [String: String](), [String]()),
      ([.input, .data], [:], []),
      ([.input, .data, .talk], ["CI": "1"], []),
      ([.input, .data, .talk], [:], ["--json"]),
      ([.input, .data, .talk], [:], ["--quiet"]),
    ])
  func neverAsks(terminals: [ConsoleStream], environment: [String: String], flags: [String]) async {
    let console = RecordingConsole(terminals: Set(terminals), answers: ["y"])
    let status = await Sample.run(["device", "wipe"] + flags, environment: environment, on: console)
    #expect(status == .usage)
    #expect(console.questionsRead == 0)
    #expect(console.talk.contains("--yes"))
  }

  @Test("B70: the yes flag is looked at first", arguments: [Set<ConsoleStream>(), terminals])
  func yesFirst(terminals: Set<ConsoleStream>) async {
    let console = RecordingConsole(terminals: terminals, answers: ["n"])
    #expect(await Sample.run(["device", "wipe", "--yes"], on: console) == .done)
    #expect(console.questionsRead == 0)
    #expect(console.talk == "wiped\n")
  }

  @Test(
    "only yes is yes",
    arguments: [
      ("y", ExitStatus.done), ("YES", .done), ("", .notAchieved), ("n", .notAchieved), ("yep", .notAchieved),
    ])
  func answers(answer: String, status: ExitStatus) async {
    let console = RecordingConsole(terminals: Self.terminals, answers: [answer])
    #expect(await Sample.run(["device", "wipe"], on: console) == status)
    #expect(console.talk.hasPrefix("remove everything? [y/N] "))
  }

  @Test("the end of the input is no")
  func endOfInput() async {
    let console = RecordingConsole(terminals: Self.terminals)
    #expect(await Sample.run(["device", "wipe", "--no-color"], on: console) == .notAchieved)
    #expect(console.talk.hasPrefix("remove everything? [y/N] \nerror: "))
    #expect(console.talk.hasSuffix("\nkept: nothing was changed\n"))
  }

  @Test("B70: on a real terminal --yes and CI=1 never ask, and a question takes the answer that is typed")
  func realTerminal() async throws {
    let pair = try TerminalPair()
    let console = TerminalConsole(input: pair.terminal, data: pair.terminal, talk: pair.terminal)
    #expect(console.isTerminal(.input) && console.isTerminal(.talk) && console.width == 40)
    #expect(await Sample.run(["device", "wipe", "--yes"], on: console) == .done)
    #expect(pair.shown() == "wiped\r\n")
    #expect(await Sample.run(["device", "wipe"], environment: ["CI": "1"], on: console) == .usage)
    let refusal = pair.shown()
    #expect(refusal.contains("--yes") && !refusal.contains("[y/N]"))
    pair.type("y\n")
    #expect(await Sample.run(["device", "wipe"], on: console) == .done)
    #expect(pair.shown().contains("remove everything? [y/N] "))
  }

  @Test("a question that nobody answers ends when the task is cancelled")
  func cancelled() async throws {
    let pair = try TerminalPair()
    let console = TerminalConsole(input: pair.terminal, data: pair.terminal, talk: pair.terminal)
    let task = Task { await Sample.run(["device", "wipe"], on: console) }
    #expect(pair.waitUntilShown("[y/N]"))
    task.cancel()
    #expect(await task.value == .notAchieved)
  }
}

/// A pseudo-terminal of 40 columns: `terminal` is what a program sees, the rest is the person in front of it.
final class TerminalPair: Sendable {
  let terminal: Int32
  private let person: Int32

  init() throws {
    var person: Int32 = -1
    var terminal: Int32 = -1
    var size = winsize(ws_row: 20, ws_col: 40, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&person, &terminal, nil, nil, &size) == 0 else { throw SystemFailure("openpty") }
    for descriptor in [person, terminal] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(person, F_SETFL, O_NONBLOCK)
    (self.person, self.terminal) = (person, terminal)
  }

  deinit {
    close(person)
    close(terminal)
  }

  func type(_ text: String) { _ = StandardStreams.write(Array(text.utf8), to: person) }

  /// Everything shown since the last call.
  func shown() -> String {
    var bytes: [UInt8] = []
    while let byte = StandardStreams.readByte(from: person) { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether the text appears within ten seconds.
  func waitUntilShown(_ text: String) -> Bool {
    var all = ""
    for _ in 0..<100 where !all.contains(text) {
      _ = StandardStreams.isInputReady(person, milliseconds: 100)
      all += shown()
    }
    return all.contains(text)
  }
}
