internal import Synchronization

/// Shows how far a transfer is: one changing line on a terminal, a line at each end elsewhere, nothing with `--quiet`.
///
/// May be told from any thread. The line is gone after `finish()`, `abandon()` or the end of the value.
final class ProgressBar: Sendable {
  private enum Mode { case redrawn, lines, silent }

  private struct State {
    var lastDrawn: Int64?
    var done: Int64 = 0
    var total: Int64?
    var isOver = false
  }

  /// The shortest time between two drawings.
  private static let millisecondsBetweenDrawings: Int64 = 100

  private let label: String
  private let unit: ProgressUnit
  private let talk: Talk
  private let now: @Sendable () -> Int64
  private let mode: Mode
  private let state: Mutex<State>

  /// Starts to show; the total is in bytes unless the unit says otherwise, `nil` when nobody knows it.
  init(_ label: String, totalBytes: Int64?, unit: ProgressUnit = .bytes, _ context: CommandContext) {
    (self.label, self.unit) = (label, unit)
    talk = context.talk
    now = context.clock.milliseconds
    mode = context.talk.isQuiet ? .silent : context.talk.canRedraw ? .redrawn : .lines
    state = Mutex(State(total: totalBytes))
    switch mode {
    case .redrawn: update(doneBytes: 0)
    case .lines: talk.note(totalBytes.map { "\(label): 0 % of \(unit.text($0))" } ?? label)
    case .silent: break
    }
  }

  deinit { abandon() }

  /// Takes news; draws at most ten times a second.
  func update(doneBytes: Int64, totalBytes: Int64? = nil) {
    let time = now()
    state.withLock { state in
      state.done = doneBytes
      state.total = totalBytes ?? state.total
      if let last = state.lastDrawn, time - last < Self.millisecondsBetweenDrawings { return }
      guard mode == .redrawn, !state.isOver else { return }
      state.lastDrawn = time
      let line = ProgressLine(label: label, done: state.done, total: state.total, unit: unit)
      talk.redraw(line.text(width: talk.console.width - 1))
    }
  }

  /// Ends well: leaves one line that says so.
  func finish() {
    guard let (done, total) = end() else { return }
    talk.note(
      total == nil ? "\(label): \(unit.text(done))" : "\(label): 100 % of \(unit.text(done))")
  }

  /// Ends without a word, because an error is about to be said.
  func abandon() { _ = end() }

  private func end() -> (done: Int64, total: Int64?)? {
    let last = state.withLock { state -> (Int64, Int64?)? in
      defer { state.isOver = true }
      return state.isOver ? nil : (state.done, state.total)
    }
    if last != nil && mode == .redrawn { talk.eraseLine() }
    return last
  }
}

/// What a progress bar counts.
enum ProgressUnit: Sendable {
  case bytes
  /// Things by their name in the plural, such as `sources`.
  case things(String)

  func text(_ count: Int64) -> String {
    switch self {
    case .bytes: ByteCount.text(count)
    case .things(let name): "\(count) \(name)"
    }
  }

  func text(_ done: Int64, of total: Int64) -> String {
    switch self {
    case .bytes: "\(ByteCount.text(done)) of \(ByteCount.text(total))"
    case .things(let name): "\(done) of \(total) \(name)"
    }
  }
}

/// The words and the bar of one drawing.
struct ProgressLine {
  private static let maxBarColumns = 30

  let label: String
  let done: Int64
  let total: Int64?
  var unit = ProgressUnit.bytes

  /// The whole percents; `nil` without a total.
  var percent: Int? {
    guard let total, total > 0 else { return nil }
    return Int((Double(min(max(done, 0), total)) / Double(total) * 100).rounded(.down))
  }

  /// The line in at most so many columns: first the bar goes, then the bytes, then the end of the label.
  func text(width: Int) -> String {
    let amount = total.map { unit.text(done, of: $0) } ?? unit.text(done)
    guard let percent else { return Self.cut("\(label)  \(amount)", width) }
    let short = "\(label)  \(percent) %"
    let full = "\(short)  \(amount)"
    let columns = min(Self.maxBarColumns, width - full.count - 4)
    if columns >= 10 {
      let filled = columns * percent / 100
      let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: columns - filled)
      return "\(label)  [\(bar)]  \(percent) %  \(amount)"
    }
    return full.count <= width ? full : Self.cut(short, width)
  }

  private static func cut(_ text: String, _ width: Int) -> String { String(text.prefix(max(0, width))) }
}
