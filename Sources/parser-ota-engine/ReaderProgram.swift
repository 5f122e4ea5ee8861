internal import CLinux
internal import Glibc
internal import ParserEngine

/// Becomes a program that reads code, confined as the engine is; it shows no page and needs no display.
enum ReaderProgram {
  /// Never returns: the command after the mode's argument takes the place of this program.
  static func run() -> Never {
    guard EngineProgram.isSocket(STDIN_FILENO) else {
      EngineProgram.fail("this program is started by parser-ota, and by nobody else", status: 2)
    }
    _ = clinux_die_with_parent()
    _ = Confinement.enter()
    // Entering a namespace may have started the program anew, which forgets the wish to end with the parent.
    _ = clinux_die_with_parent()
    let command = CommandLine.arguments.dropFirst(2).filter { $0 != Confinement.secondStart }
    guard let program = command.first else { EngineProgram.fail("nothing to read with was named", status: 2) }
    HelperProgram.become(Array(command))
    EngineProgram.fail("\(program) cannot be started: \(unsafe String(cString: strerror(errno)))", status: 1)
  }
}
