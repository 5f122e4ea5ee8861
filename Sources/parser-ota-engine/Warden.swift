internal import CCage
internal import Glibc
internal import OTAProcess

/// The process that the tool starts: it starts the engine in a cage, and outlives it to leave nothing behind.
///
/// It runs nothing of a bundle, and has nothing to do but to wait for the end of either side. With a process namespace the
/// kernel ends all of the engine's processes with the first of them; without one this process becomes the parent of
/// what others leave, and ends that.
enum Warden {
  /// Runs a program in a cage until it ends, or the other end of standard input does; ends as the program did.
  static func run(_ cage: Cage) -> Never {
    ccage_adopt()
    let child = cage.start()
    guard child > 0 else { EngineProgram.fail("\(cage.program) cannot be started", status: 1) }
    ccage_wait(child)
    kill(child, SIGKILL)
    let status = ProcessEnd.wait(child) ?? 1
    ProgramGroup.endOthers()
    exit(status)
  }
}
