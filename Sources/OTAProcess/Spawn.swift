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
    let code = unsafe withCStrings(command) { arguments in
      unsafe withCStrings(variables) { variables in
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

  /// Hands over a list of C strings that ends with a null pointer, as `execve` wants it.
  private static func withCStrings<Result>(
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
