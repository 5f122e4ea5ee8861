import Glibc
import TestSupport
import Testing

@testable import ParserOTACommand

/// The tool as a process, and the parts of it that only a process shows.
@Suite(.serialized) struct ProcessTests {
  static let tool = "parser-ota"

  @Test(
    "B39: the status of the process is the status of the run",
    arguments: [
      ("version", 0), ("--help", 0), ("bogus", 2), ("", 2), ("completions tcsh", 2),
    ])
  func status(line: String, status: Int32) throws {
    #expect(
      try run(BuiltProducts.path(of: Self.tool), line.split(separator: " ").map(String.init)).status
        == .exited(status))
  }

  @Test("B39: a full disk behind standard output is a failure", .enabled(if: access("/dev/full", W_OK) == 0))
  func full() throws {
    let path = try BuiltProducts.path(of: Self.tool)
    let result = try run("/bin/sh", ["-c", "\"$0\" version > /dev/full", path])
    #expect(result.status == .exited(5))
    #expect(result.errors.hasPrefix("error: standard output could not be written: "))
  }

  @Test("B39: closed standard streams are a failure, never a crash")
  func closed() throws {
    let path = try BuiltProducts.path(of: Self.tool)
    #expect(try run("/bin/sh", ["-c", "\"$0\" version >&-", path]).status == .exited(5))
    #expect(try run("/bin/sh", ["-c", "\"$0\" version <&- 2>&-", path]).status == .exited(0))
  }

  @Test("B39: a reader that has gone away is a failure, never a crash")
  func brokenPipe() async throws {
    let (reader, writer) = try Self.pipe()
    close(reader)
    defer { close(writer) }
    StandardStreams.ignoreBrokenPipes()
    let console = TerminalConsole(input: writer, data: writer, talk: writer)
    #expect(await Sample.run(["version"], on: console) == .notAchieved)
    #expect(console.dataFailure == .readerGone)
  }

  @Test("a slow reader of a non-blocking pipe gets every byte")
  func slowReader() async throws {
    let (reader, writer) = try Self.pipe()
    for descriptor in [reader, writer] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    let console = TerminalConsole(input: writer, data: writer, talk: writer)
    let writing = Task.detached {
      console.write(bytes, to: .data)
      close(writer)
    }
    var received: [UInt8] = []
    while StandardStreams.isInputReady(reader, milliseconds: 10_000) {
      guard let byte = StandardStreams.readByte(from: reader) else { break }
      received.append(byte)
    }
    await writing.value
    close(reader)
    // Compared outside of the expectation, which would list every difference of a large array.
    let isSame = received == bytes
    #expect(isSame, "\(received.count) of \(bytes.count) bytes arrived, or others")
    #expect(console.dataFailure == nil)
  }

  @Test(
    "B39: a signal cancels the work, which cleans up before the process ends", arguments: [SIGINT, SIGTERM])
  func interruption(number: Int32) async {
    let ending = withInterruption {
      kill(getpid(), number)
      // Ends by cancellation; the bound is there so that a lost signal fails the test instead of hanging it.
      for _ in 0..<2000 where !Task.isCancelled { _ = poll(nil, 0, 5) }
      return Task.isCancelled ? "cleaned up" : "never cancelled"
    }
    guard case .interrupted(let signal) = ending else {
      Issue.record("the signal was not seen: \(ending)")
      return
    }
    #expect(signal == number)
  }

  @Test("a second signal ends the process at once, although the work goes on")
  func secondSignal() async {
    await #expect(processExitsWith: .exitCode(143)) {
      _ = withInterruption {
        kill(getpid(), SIGINT)
        for _ in 0..<2000 where !Task.isCancelled { _ = poll(nil, 0, 5) }
        kill(getpid(), SIGTERM)
        for _ in 0..<2000 { _ = poll(nil, 0, 5) }
      }
    }
  }

  @Test("a signal that the process was told to ignore stays ignored")
  func ignoredSignal() async {
    await #expect(processExitsWith: .success) {
      _ = signal(SIGINT, SIG_IGN)
      let ending = withInterruption {
        kill(getpid(), SIGINT)
        kill(getpid(), SIGTERM)
        for _ in 0..<2000 where !Task.isCancelled { _ = poll(nil, 0, 5) }
      }
      guard case .interrupted(SIGTERM) = ending else { exit(1) }
    }
  }

  @Test("after the work the signals do what they did before")
  func restored() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      _ = withInterruption { 7 }
      kill(getpid(), SIGTERM)
      for _ in 0..<2000 { _ = poll(nil, 0, 5) }
    }
  }

  @Test("work that nobody interrupts returns its value")
  func noInterruption() async {
    guard case .returned(7) = withInterruption({ 7 }) else {
      Issue.record("the value is lost")
      return
    }
  }

  private static func pipe() throws -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { throw SystemFailure("pipe") }
    for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
