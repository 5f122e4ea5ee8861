/// The clocks of a run, injected so that tests need no waiting.
struct ToolClock: Sendable {
  /// Whole seconds since 1970 in UTC.
  let wallSeconds: @Sendable () -> Int64
  /// Milliseconds that only grow, from an unknown start.
  let milliseconds: @Sendable () -> Int64
}

/// What surrounds a run of the tool: everything that a test wants to choose.
struct Surroundings: Sendable {
  let environment: [String: String]
  let console: any Console
  let clock: ToolClock
  /// An absolute path; relative paths of the command line start here.
  let currentDirectory: String
  /// The folder of the program that runs; `nil` when it cannot be told. Asked only by verbs that need it.
  var programFolder: @Sendable () -> String? = { nil }
}

/// What a verb may use.
struct CommandContext: Sendable {
  let table: CommandTable
  let surroundings: Surroundings
  /// For notes, warnings and progress; the result is printed by the tool.
  let talk: Talk

  var console: any Console { surroundings.console }
  var environment: [String: String] { surroundings.environment }
  var clock: ToolClock { surroundings.clock }
  var currentDirectory: String { surroundings.currentDirectory }

  /// The path itself when it is absolute, else below the current directory; without `.` and doubled slashes.
  ///
  /// `..` stays, because what it leads to depends on links.
  func absolutePath(_ path: String) -> String {
    let full = path.hasPrefix("/") ? path : currentDirectory + "/" + path
    return "/" + full.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
  }
}
