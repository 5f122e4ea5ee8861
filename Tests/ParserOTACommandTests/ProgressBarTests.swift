import Synchronization
import Testing

@testable import ParserOTACommand

@Suite struct ProgressBarTests {
  /// A context whose clock stands still until it is told otherwise.
  final class Stage: Sendable {
    let console: RecordingConsole
    let milliseconds = Mutex<Int64>(0)

    init(terminal: Bool, width: Int = 80) {
      console = RecordingConsole(terminals: terminal ? [.talk] : [], width: width)
    }

    func context(quiet: Bool = false) -> CommandContext {
      var flags = GlobalFlags()
      flags.quiet = quiet
      let clock = ToolClock(wallSeconds: { 0 }, milliseconds: { self.milliseconds.withLock { $0 } })
      return CommandContext(
        table: Sample.table,
        surroundings: Surroundings(environment: [:], console: console, clock: clock, currentDirectory: "/"),
        talk: Talk(console: console, flags: flags, environment: [:]))
    }

    func wait(_ milliseconds: Int64) { self.milliseconds.withLock { $0 += milliseconds } }
    var drawings: Int { console.talk.split(separator: "\r").filter { $0 != "\u{1B}[K" }.count }
  }

  @Test("without a terminal there is one line at each end")
  func lines() {
    let stage = Stage(terminal: false)
    let bar = ProgressBar("downloading parsers.bundle.js", totalBytes: 547_986, stage.context())
    for done in stride(from: Int64(0), through: 547_986, by: 1000) {
      stage.wait(50)
      bar.update(doneBytes: done)
    }
    bar.update(doneBytes: 547_986)
    bar.finish()
    bar.finish()
    #expect(
      stage.console.talk == """
        downloading parsers.bundle.js: 0 % of 548 kB
        downloading parsers.bundle.js: 100 % of 548 kB

        """)
  }

  @Test("a size that nobody knows is told at the end")
  func unknownTotal() {
    let stage = Stage(terminal: false)
    let bar = ProgressBar("reading", totalBytes: nil, stage.context())
    bar.update(doneBytes: 2_340_000)
    bar.finish()
    #expect(stage.console.talk == "reading\nreading: 2.3 MB\n")
  }

  @Test("on a terminal one line is redrawn, at most ten times a second")
  func redrawn() {
    let stage = Stage(terminal: true)
    let bar = ProgressBar("downloading", totalBytes: 1000, stage.context())
    for done in Int64(1)...1000 {
      stage.wait(1)
      bar.update(doneBytes: done)
    }
    #expect(stage.drawings == 11, "the first one, and one for each 100 ms of a second")
    #expect(stage.console.talk.hasSuffix("100 %  1 kB of 1 kB"))
    #expect(!stage.console.talk.contains("\n"))
  }

  @Test("the line is erased before other output and at the end")
  func erased() {
    let stage = Stage(terminal: true)
    let context = stage.context()
    let bar = ProgressBar("downloading", totalBytes: 1000, context)
    context.talk.warning("slow")
    #expect(stage.console.talk.hasSuffix("\r\u{1B}[K\u{1B}[1;33mwarning:\u{1B}[0m slow\n"))
    stage.wait(100)
    bar.update(doneBytes: 10)
    bar.abandon()
    #expect(stage.console.talk.hasSuffix("\r\u{1B}[K"))
    bar.update(doneBytes: 20)
    stage.wait(1000)
    bar.update(doneBytes: 30)
    #expect(stage.console.talk.hasSuffix("10 bytes of 1 kB\r\u{1B}[K"), "nothing is drawn after the end")
  }

  @Test("a bar that is dropped, as an error does, leaves no line behind")
  func dropped() {
    let stage = Stage(terminal: true)
    let context = stage.context()
    do { _ = ProgressBar("downloading", totalBytes: 1000, context) }
    context.talk.data(Array("data".utf8))
    #expect(stage.console.talk.hasSuffix("\r\u{1B}[K"))
  }

  @Test("quiet shows nothing", arguments: [true, false])
  func quiet(terminal: Bool) {
    let stage = Stage(terminal: terminal)
    let bar = ProgressBar("downloading", totalBytes: 10, stage.context(quiet: true))
    stage.wait(1000)
    bar.update(doneBytes: 10)
    bar.finish()
    #expect(stage.console.talk == "")
  }

  @Test("no line is wider than the terminal", arguments: 0...100)
  func width(width: Int) {
    for total in [nil, 0, 1, 547_986, Int64.max] as [Int64?] {
      let line = ProgressLine(label: "downloading parsers.bundle.js", done: 230_000, total: total)
      #expect(line.text(width: width).count <= width)
    }
  }

  @Test(
    "percents are whole, never above 100, and 100 only at the end",
    arguments: [
      (Int64(0), Int64(10), 0), (9, 10, 90), (999_999, 1_000_000, 99), (10, 10, 100), (20, 10, 100),
      (-1, 10, 0),
      (.max, .max, 100),
    ])
  func percent(done: Int64, total: Int64, percent: Int) {
    #expect(ProgressLine(label: "x", done: done, total: total).percent == percent)
  }

  @Test(
    "bytes are told in words",
    arguments: [
      (Int64(0), "0 bytes"), (999, "999 bytes"), (1000, "1 kB"), (547_986, "548 kB"), (999_499, "999 kB"),
      (999_500, "1.0 MB"), (2_340_000, "2.3 MB"), (1_000_000_000, "1000.0 MB"),
    ])
  func bytes(count: Int64, text: String) {
    #expect(ByteCount.text(count) == text)
  }
}
