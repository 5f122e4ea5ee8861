internal import Glibc
internal import ParserEngine

/// A program that reads code, in the same cage as the engine; it shows no page and needs no display.
enum ReaderProgram {
  /// Never returns: the command after the mode's argument runs in a cage, with the streams of this program.
  ///
  /// It can read the system, itself, and the folders in `NODE_PATH`.
  static func run() -> Never {
    guard EngineProgram.isSocket(STDIN_FILENO) else {
      EngineProgram.fail("this program is started by parser-ota, and by nobody else", status: 2)
    }
    let command = CommandLine.arguments.dropFirst(2)
    guard let program = command.first else { EngineProgram.fail("nothing to read with was named", status: 2) }
    let folders = unsafe getenv("NODE_PATH").map {
      unsafe String(cString: $0).split(separator: ":").map(String.init)
    }
    Warden.run(
      Cage(program: program, arguments: Array(command.dropFirst()), reading: [program] + (folders ?? [])))
  }
}
