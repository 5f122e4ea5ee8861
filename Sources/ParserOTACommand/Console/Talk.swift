internal import Synchronization

/// The one door for everything that the tool writes, so that a progress line never mixes with other output.
final class Talk: Sendable {
  private enum Color: String {
    case red = "\u{1B}[1;31m"
    case yellow = "\u{1B}[1;33m"
    case cyan = "\u{1B}[36m"
  }

  let console: any Console
  let isQuiet: Bool
  private let colored: Bool
  private let lineIsOpen = Mutex(false)

  init(console: any Console, flags: GlobalFlags, environment: [String: String]) {
    self.console = console
    isQuiet = flags.quiet
    colored =
      console.isTerminal(.talk) && !flags.noColor && environment["NO_COLOR", default: ""].isEmpty
      && environment["TERM"] != "dumb"
  }

  /// Whether progress may be drawn as one changing line.
  var canRedraw: Bool { !isQuiet && console.isTerminal(.talk) }

  /// Says something that is nice to know; silent with `--quiet`.
  func note(_ text: String) { if !isQuiet { line(PlainText.visible(text)) } }

  /// Says something to look after; silent with `--quiet`, and then only in the JSON result.
  func warning(_ text: String) { if !isQuiet { labelled("warning:", .yellow, text) } }

  /// Says what to do next; silent with `--quiet`.
  func hint(_ text: String) { if !isQuiet { labelled("hint:", .cyan, text) } }

  /// Says what went wrong, what was kept, and what to do.
  func failure(_ failure: CommandFailure) {
    labelled("error:", .red, failure.message)
    for detail in failure.details { line("  " + PlainText.visible(detail)) }
    if let kept = failure.kept { labelled("kept:", .cyan, kept) }
    if let hint = failure.hint { labelled("hint:", .cyan, hint) }
  }

  /// Writes to standard output as it is.
  func data(_ bytes: [UInt8]) { write(bytes, to: .data) }

  /// Asks on standard error and leaves the cursor behind the question, `--quiet` or not.
  func question(_ text: String) { write(Array((PlainText.visible(text) + " ").utf8), to: .talk) }

  /// Ends the line of a question that nobody ended with the return key.
  func endQuestion() { write([UInt8(ascii: "\n")], to: .talk) }

  /// Replaces the line that changes; the text must fit the width.
  func redraw(_ text: String) {
    lineIsOpen.withLock { isOpen in
      isOpen = true
      console.write(Array("\r\u{1B}[K\(PlainText.visible(text))".utf8), to: .talk)
    }
  }

  /// Removes the line that changes, if there is one.
  func eraseLine() { write([], to: .talk) }

  private func labelled(_ label: String, _ color: Color, _ text: String) {
    line((colored ? "\(color.rawValue)\(label)\u{1B}[0m " : label + " ") + PlainText.visible(text))
  }

  private func line(_ text: String) { write(Array((text + "\n").utf8), to: .talk) }

  /// Removes the changing line and writes as one step, so that no thread can draw between the two.
  private func write(_ bytes: [UInt8], to stream: ConsoleStream) {
    lineIsOpen.withLock { isOpen in
      if isOpen { console.write(Array("\r\u{1B}[K".utf8), to: .talk) }
      isOpen = false
      if !bytes.isEmpty { console.write(bytes, to: stream) }
    }
  }
}
