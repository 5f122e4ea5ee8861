internal import CLinux
internal import Glibc

/// A started command with the reading ends of its outputs; killed, with its process group, when it goes.
struct RunningCommand: ~Copyable {
  private(set) var output: [UInt8] = []
  private(set) var complaint: [UInt8] = []
  private let pid: pid_t
  private let outputPipe: Pipe
  private let complaintPipe: Pipe
  private var isReaped = false

  private init(pid: pid_t, output: Pipe, complaint: Pipe) {
    self.pid = pid
    outputPipe = output
    complaintPipe = complaint
  }

  /// Starts the command.
  static func start(_ command: ShellCommand, input: [UInt8]) throws(CommandFault) -> RunningCommand {
    let file = try InputFile.holding(input)
    let (output, complaint) = (try Pipe(), try Pipe())
    let pid = try Spawn.program(
      ["/bin/sh", "-c", command.text], environment: command.environment,
      streams: (file.number, output.writer, complaint.writer))
    output.closeWriter()
    complaint.closeWriter()
    return RunningCommand(pid: pid, output: output, complaint: complaint)
  }

  deinit {
    // The group outlives the shell when it left something behind in it.
    kill(-pid, SIGKILL)
    if !isReaped { ProcessEnd.wait(pid) }
  }

  /// Takes what the command has written so far; `true` when there was nothing.
  mutating func collect(maxBytes: Int, keeping: Int) throws(CommandFault) -> Bool {
    var isIdle = true
    while case let bytes = outputPipe.readAvailable(), !bytes.isEmpty {
      isIdle = false
      output += bytes
      guard output.count <= maxBytes else { throw .tooMuchOutput }
    }
    while case let bytes = complaintPipe.readAvailable(), !bytes.isEmpty {
      isIdle = false
      complaint += bytes.prefix(max(0, keeping - complaint.count))
      // A command that never stops complaining must not keep the loop from looking at the clock.
      guard complaint.count < keeping else { break }
    }
    return isIdle
  }

  /// The status, as shells count it, once the command has ended.
  mutating func endedStatus() -> Int32? {
    guard let status = ProcessEnd.poll(pid) else { return nil }
    isReaped = true
    return status
  }
}

/// A file in memory that a command reads as its standard input: no writer can block on it or be killed by it.
private struct InputFile: ~Copyable {
  let number: Int32

  private init(owning number: Int32) { self.number = number }

  static func holding(_ bytes: [UInt8]) throws(CommandFault) -> InputFile {
    let number = unsafe memfd_create("input", UInt32(CLINUX_MFD_CLOEXEC))
    guard number >= 0 else { throw .failed("memfd_create") }
    let file = InputFile(owning: number)
    try fill(number, bytes)
    return file
  }

  private static func fill(_ number: Int32, _ bytes: [UInt8]) throws(CommandFault) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe write(number, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .failed("write") }
      rest = rest.dropFirst(count)
    }
    guard lseek(number, 0, SEEK_SET) == 0 else { throw .failed("lseek") }
  }

  deinit { close(number) }
}

extension CommandFault {
  /// Reads `errno`: make it directly after the call.
  static func failed(_ call: String) -> CommandFault {
    .notStarted("\(call): \(unsafe String(cString: strerror(errno)))")
  }
}
