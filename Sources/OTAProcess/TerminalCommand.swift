internal import Glibc

/// Runs a command line for `/bin/sh` on the terminal of this process, such as an editor, and waits for its end.
///
/// It stays in the process group of the terminal, so that it may read what is typed; its output goes to standard error,
/// since standard output may be a pipe.
/// - Returns: its status as shells count it; `nil` when it could not be started.
public func runOnTerminal(_ text: String, environment: [String: String]) -> Int32? {
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  unsafe posix_spawn_file_actions_adddup2(&actions, 2, 1)
  let variables = environment.map { "\($0.key)=\($0.value)" }
  var pid: pid_t = 0
  let code = unsafe CStrings.with(["/bin/sh", "-c", text]) { arguments in
    unsafe CStrings.with(variables) { variables in
      unsafe posix_spawn(&pid, "/bin/sh", &actions, nil, arguments, variables)
    }
  }
  guard code == 0 else { return nil }
  return ProcessEnd.wait(pid)
}
