import Foundation
import TestSupport

/// A real terminal: the tool under a pseudo-terminal of 80 columns that nobody sits at.
struct Terminal {
  let tool: Tool

  /// Hands over what is typed, keeps the terminal open, and passes on all that it shows and the status of the tool.
  private static let program = """
    import fcntl, os, pty, select, struct, sys, termios
    typed = sys.stdin.buffer.read()
    child, master = pty.fork()
    if child == 0: os.execv(sys.argv[1], sys.argv[1:])
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
    if typed: os.write(master, typed)
    while True:
        try: data = os.read(master, 65536)
        except OSError: break
        if not data: break
        sys.stdout.buffer.write(data)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """

  /// Runs one command line at the terminal; a run that waits for somebody is killed after `timeout`.
  func callAsFunction(_ line: String, typing typed: String = "", timeout: Duration = .seconds(15)) throws
    -> Answer
  {
    let arguments = line.split(separator: " ").map(String.init)
    let result = try run(
      "/usr/bin/python3", ["-c", Self.program, try Tool.path()] + WithoutEngine.arguments(arguments),
      environment: ["TERM": "xterm"].merging(tool.variables) { $1 }, directory: tool.directory,
      stdin: Array(typed.utf8), timeout: timeout)
    return Answer(arguments: arguments, result: result)
  }
}
