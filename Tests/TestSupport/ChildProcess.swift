import Glibc
import Synchronization

/// How a child process ended.
public enum ChildStatus: Equatable, Sendable {
  /// It ended by itself with this code.
  case exited(Int32)
  /// This signal ended it.
  case signalled(Int32)
  /// It was killed, with its process group, because its time was over.
  case timedOut
}

/// What a child process left: its status and all that it wrote.
public struct ChildResult: Sendable {
  /// How it ended.
  public let status: ChildStatus
  /// All bytes of standard output.
  public let stdout: [UInt8]
  /// All bytes of standard error.
  public let stderr: [UInt8]

  /// Standard output as text.
  public var output: String { String(decoding: stdout, as: UTF8.self) }
  /// Standard error as text.
  public var errors: String { String(decoding: stderr, as: UTF8.self) }
}

/// Runs a program to its end; kills its process group after `timeout`. Blocks the calling thread.
///
/// `environment` replaces the whole environment; `nil` passes on that of the tests.
public func run(
  _ executable: String, _ arguments: [String] = [], environment: [String: String]? = nil,
  directory: String? = nil, stdin: [UInt8] = [], timeout: Duration = .seconds(60)
) throws -> ChildResult {
  let child = try ChildProcess(executable, arguments, environment: environment, directory: directory)
  return try child.communicate(stdin, within: timeout)
}

/// A running child with pipes at its standard streams and a process group of its own, killed when the last reference goes.
///
/// It starts with no blocked signal and default handlers, unlike children of Foundation's `Process`.
/// For one thread at a time.
public final class ChildProcess: @unchecked Sendable {
  /// The process id, which is its process group too.
  public let pid: pid_t
  private var input: Int32
  private let output: Int32
  private let errors: Int32
  private var status: ChildStatus?
  private var pending: [UInt8] = []

  /// Descriptors are made and handed over one child at a time, so that no child inherits another one's pipe.
  private static let spawning = Mutex(())

  /// Starts the program at the path `executable`.
  public init(
    _ executable: String, _ arguments: [String] = [], environment: [String: String]? = nil,
    directory: String? = nil
  ) throws {
    _ = Glibc.signal(SIGPIPE, SIG_IGN)
    var command = [executable] + arguments
    if let directory { command = ["/usr/bin/env", "-C", directory] + command }
    let variables = environment?.map { "\($0.key)=\($0.value)" } ?? Self.currentEnvironment()
    (pid, input, output, errors) = try Self.spawning.withLock { _ in
      try Self.spawn(command, environment: variables)
    }
  }

  deinit {
    if status == nil {
      kill(-pid, SIGKILL)
      var raw: Int32 = 0
      waitpid(pid, &raw, 0)
    }
    closeInput()
    close(output)
    close(errors)
  }

  /// Sends a signal to the child alone.
  public func signal(_ number: Int32) {
    if status == nil { kill(pid, number) }
  }

  /// Ends the child's standard input.
  public func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Writes all of `bytes` to the child's standard input; blocks while its pipe is full.
  public func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw SystemFailure("write to child \(pid)") }
      rest = rest.dropFirst(count)
    }
  }

  /// The next line of standard output without its end, or `nil` when none came within `timeout` or the output ended.
  public func readLine(within timeout: Duration = .seconds(20)) throws -> String? {
    let deadline = ContinuousClock.now + timeout
    while true {
      if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        defer { pending.removeSubrange(...end) }
        return String(decoding: pending[..<end], as: UTF8.self)
      }
      guard ContinuousClock.now < deadline else { return nil }
      var polled = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
      guard poll(&polled, 1, 20) > 0 else { continue }
      guard Self.drain(output, into: &pending) else { return nil }
    }
  }

  /// Waits for the end; kills the process group after `timeout`. Output is not read: for children that write little.
  @discardableResult
  public func wait(within timeout: Duration = .seconds(20)) -> ChildStatus {
    let deadline = ContinuousClock.now + timeout
    while true {
      if let status = reap() { return status }
      guard ContinuousClock.now < deadline else { return killGroup() }
      _ = poll(nil, 0, 2)
    }
  }

  /// Feeds `stdin`, collects both outputs until the child ends, and kills its process group after `timeout`.
  public func communicate(_ stdin: [UInt8], within timeout: Duration) throws -> ChildResult {
    let deadline = ContinuousClock.now + timeout
    var rest = stdin[...]
    var outputs = pending
    var complaints: [UInt8] = []
    var open = (output: true, errors: true)
    if rest.isEmpty { closeInput() } else { _ = fcntl(input, F_SETFL, O_NONBLOCK) }
    while true {
      let ended = reap() != nil
      if ContinuousClock.now >= deadline && !ended { _ = killGroup() }
      var polled = [
        pollfd(fd: open.output ? output : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: open.errors ? errors : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
      ]
      // A child that ended may have left a grandchild that holds the pipes: take what is there and go.
      let ready = poll(&polled, 3, ended ? 0 : 2)
      if polled[0].revents != 0 { open.output = Self.drain(output, into: &outputs) }
      if polled[1].revents != 0 { open.errors = Self.drain(errors, into: &complaints) }
      if polled[2].revents != 0 { feed(&rest) }
      if let status, ended, ready <= 0 || !(open.output || open.errors) {
        return ChildResult(status: status, stdout: outputs, stderr: complaints)
      }
    }
  }

  private func feed(_ rest: inout ArraySlice<UInt8>) {
    let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
    if count > 0 { rest = rest.dropFirst(count) }
    // A child may close its input early: that is its choice, not an error.
    if rest.isEmpty || (count < 0 && errno != EAGAIN && errno != EINTR) { closeInput() }
  }

  private func killGroup() -> ChildStatus {
    kill(-pid, SIGKILL)
    var raw: Int32 = 0
    waitpid(pid, &raw, 0)
    status = .timedOut
    return .timedOut
  }

  private func reap() -> ChildStatus? {
    if let status { return status }
    var raw: Int32 = 0
    guard waitpid(pid, &raw, WNOHANG) == pid else { return nil }
    let number = raw & 0x7f
    status = number == 0 ? .exited((raw >> 8) & 0xff) : .signalled(number)
    return status
  }

  /// Reads once; `false` at the end of the stream.
  private static func drain(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
    let chunk = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
      count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
    }
    bytes += chunk
    return !chunk.isEmpty
  }

  private static func currentEnvironment() -> [String] {
    var variables: [String] = []
    var next = environ
    while let text = next.pointee {
      variables.append(String(cString: text))
      next += 1
    }
    return variables
  }

  private static func spawn(
    _ command: [String], environment: [String]
  ) throws -> (pid: pid_t, input: Int32, output: Int32, errors: Int32) {
    let (childInput, input) = try pipePair()
    let (output, childOutput) = try pipePair()
    let (errors, childErrors) = try pipePair()
    defer { for descriptor in [childInput, childOutput, childErrors] { close(descriptor) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, childInput, 0)
    posix_spawn_file_actions_adddup2(&actions, childOutput, 1)
    posix_spawn_file_actions_adddup2(&actions, childErrors, 2)
    var attributes = cleanAttributes()
    defer { posix_spawnattr_destroy(&attributes) }
    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var pid: pid_t = 0
    let code = posix_spawn(&pid, command[0], &actions, &attributes, arguments, variables)
    guard code == 0 else {
      for descriptor in [input, output, errors] { close(descriptor) }
      errno = code
      throw SystemFailure("spawn \(command[0])")
    }
    return (pid, input, output, errors)
  }

  /// A process group of its own, nothing blocked, every handler back at its default.
  private static func cleanAttributes() -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETPGROUP)
    posix_spawnattr_setflags(&attributes, Int16(flags))
    return attributes
  }

  private static func pipePair() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw SystemFailure("pipe") }
    for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
