internal import CLinux
internal import Glibc

/// Starts programs.
enum Spawn {
  /// Starts a program in a new process group, with default signal handlers and nothing blocked.
  ///
  /// - Parameter command: the path of the program and its arguments.
  static func program(
    _ command: [String], environment: [String: String], streams: (input: Int32, output: Int32, errors: Int32)
  ) throws(CommandFault) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in [streams.input, streams.output, streams.errors].enumerated() {
      unsafe posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
    }
    var attributes = attributes()
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    let variables = environment.map { "\($0.key)=\($0.value)" }
    var pid: pid_t = 0
    let path = command.first ?? ""
    let code = unsafe CStrings.with(command) { arguments in
      unsafe CStrings.with(variables) { variables in
        unsafe posix_spawn(&pid, path, &actions, &attributes, arguments, variables)
      }
    }
    guard code == 0 else { throw .notStarted("\(path): \(unsafe String(cString: strerror(code)))") }
    return pid
  }

  private static func attributes() -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigfillset(&signals)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETPGROUP)
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    return attributes
  }
}

/// Whether there is a file at the path that this user may run.
public func isExecutableFile(at path: String) -> Bool {
  var status = stat()
  return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
}

/// Texts as the system calls that start programs want them.
package enum CStrings {
  /// Hands over a list of C strings that ends with a null pointer, as `execve` wants it.
  package static func with<Result>(
    _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers = unsafe texts.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
      // The buffer has at least the null pointer at its end, so it has a base address.
      unsafe body(buffer.baseAddress.unsafelyUnwrapped)
    }
  }
}

/// A pipe whose reading end never blocks.
final class Pipe {
  private let reader: Int32
  private(set) var writer: Int32

  init() throws(CommandFault) {
    var ends: (Int32, Int32) = (-1, -1)
    let made = unsafe withUnsafeMutablePointer(to: &ends) { pointer in
      unsafe pointer.withMemoryRebound(to: Int32.self, capacity: 2) { unsafe pipe2($0, O_CLOEXEC) }
    }
    guard made == 0 else { throw .failed("pipe2") }
    (reader, writer) = ends
    guard fcntl(reader, F_SETFL, O_NONBLOCK) == 0 else { throw .failed("fcntl") }
  }

  deinit {
    close(reader)
    closeWriter()
  }

  func closeWriter() {
    if writer >= 0 { close(writer) }
    writer = -1
  }

  /// What is there now; nothing also at the end, which the end of the command tells.
  func readAvailable() -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, count in
      // A read that does not block is not interrupted either.
      count = max(0, unsafe read(reader, buffer.baseAddress, buffer.count))
    }
  }
}

/// How a child of this process ended.
package enum ProcessEnd {
  /// The status as shells count it, once the child has ended; after that the child is unknown.
  static func poll(_ process: pid_t) -> Int32? {
    var raw: Int32 = 0
    return unsafe waitpid(process, &raw, WNOHANG) == process ? status(raw) : nil
  }

  /// Waits for the end of a child and returns its status as shells count it; `nil` when it is no child.
  @discardableResult
  package static func wait(_ process: Int32) -> Int32? {
    var raw: Int32 = 0
    while unsafe waitpid(process, &raw, 0) < 0 { guard errno == EINTR else { return nil } }
    return status(raw)
  }

  private static func status(_ raw: Int32) -> Int32 {
    let signal = raw & 0x7F
    return signal == 0 ? (raw >> 8) & 0xFF : 128 + signal
  }
}
