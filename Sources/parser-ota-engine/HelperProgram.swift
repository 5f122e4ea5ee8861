internal import Glibc
internal import OTAProcess

/// Programs of the system that the engine starts, with nothing to read from and nothing to say.
enum HelperProgram {
  /// Starts a program and returns its id; `nil` when it is not installed or cannot be started.
  ///
  /// - Parameter other: a descriptor that the program is not to have.
  static func start(_ command: [String], closing other: Int32? = nil) -> pid_t? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      unsafe posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
    }
    if let other { unsafe posix_spawn_file_actions_addclose(&actions, other) }
    var process: pid_t = 0
    let code = unsafe CStrings.with(command) { words in
      unsafe posix_spawnp(&process, command[0], &actions, nil, words, environ)
    }
    return code == 0 ? process : nil
  }

  /// Runs a program to its end; whether it could be started and ended with 0.
  static func succeeds(_ command: [String]) -> Bool {
    start(command).flatMap { ProcessEnd.wait($0) } == 0
  }

  /// Becomes another program; returns only when that cannot be done.
  static func become(_ command: [String]) {
    unsafe CStrings.with(command) { words in _ = unsafe execv(command[0], words) }
  }
}
