internal import CCage
internal import Glibc
internal import OTAProcess

/// Programs of the system that the engine starts, with nothing to read from and nothing to say.
enum HelperProgram {
  /// Starts a program and returns its id; `nil` when it cannot be started. It ends with this thread.
  ///
  /// A group of its own, as the X server makes for itself, changes nothing about that.
  ///
  /// - Parameter other: a descriptor that the program is not to have.
  static func start(_ command: [String], closing other: Int32) -> pid_t? {
    let process = unsafe CStrings.with(command) { words in unsafe ccage_start_bound(command[0], words, other)
    }
    return process > 0 ? process : nil
  }
}
