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
