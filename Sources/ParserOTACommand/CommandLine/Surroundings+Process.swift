#if canImport(Glibc)
  // The environment is read once, before anything could change it.
  @preconcurrency @unsafe internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension Surroundings {
  /// The real ones.
  static func ofProcess() -> Surroundings {
    Surroundings(
      environment: processEnvironment(), console: TerminalConsole(), clock: .ofSystem,
      currentDirectory: processDirectory(), programFolder: { folderOfProgram() })
  }

  /// Where the program lies on disk, links followed.
  private static func folderOfProgram() -> String? {
    #if os(Linux)
      guard let path = unsafe realpath("/proc/self/exe", nil) else { return nil }
      defer { unsafe free(path) }
      let text = unsafe String(cString: path)
      return text.lastIndex(of: "/").map { String(text[..<$0]) }
    #else
      return nil
    #endif
  }

  private static func processEnvironment() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      let variable = unsafe String(cString: text)
      if let sign = variable.firstIndex(of: "=") {
        variables[String(variable[..<sign])] = String(variable[variable.index(after: sign)...])
      }
      unsafe entry += 1
    }
    return variables
  }

  /// The current directory; `.` when it was removed, so that the first use of it names the problem.
  private static func processDirectory() -> String {
    guard let path = unsafe getcwd(nil, 0) else { return "." }
    defer { unsafe free(path) }
    return unsafe String(cString: path)
  }
}

extension ToolClock {
  /// The clocks of the system.
  static let ofSystem = ToolClock(
    wallSeconds: { Int64(time(nil)) },
    milliseconds: {
      var now = timespec()
      unsafe clock_gettime(CLOCK_MONOTONIC, &now)
      return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    })
}
