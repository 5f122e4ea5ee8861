internal import Glibc

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
    let code = unsafe withCStrings(command) { words in
      unsafe posix_spawnp(&process, command[0], &actions, nil, words, environ)
    }
    return code == 0 ? process : nil
  }

  /// Runs a program to its end; whether it could be started and ended with 0.
  static func succeeds(_ command: [String]) -> Bool {
    guard let process = start(command) else { return false }
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return false } }
    return status == 0
  }

  /// Becomes another program; returns only when that cannot be done.
  static func become(_ command: [String]) {
    unsafe withCStrings(command) { words in _ = unsafe execv(command[0], words) }
  }

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
