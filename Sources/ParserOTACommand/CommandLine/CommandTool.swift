/// The tool: reads arguments by the table, runs the verb, prints its result.
public struct CommandTool: Sendable {
  let table: CommandTable

  init(_ table: CommandTable = .shipped) { self.table = table }

  /// Runs one command line, the name of the program not included; whatever happens becomes output and a status.
  func run(arguments: [String], in surroundings: Surroundings) async -> ExitStatus {
    let tokens = Scanner.tokens(of: arguments)
    let flags = GlobalFlags(tokens)
    let talk = Talk(console: surroundings.console, flags: flags, environment: surroundings.environment)
    let context = CommandContext(table: table, surroundings: surroundings, talk: talk)
    let printer = ResultPrinter(talk: talk, json: flags.json)
    let status: ExitStatus
    do {
      let result = try await perform(try ArgumentReader(table: table).read(tokens), context)
      printer.print(result)
      status = result.status
    } catch {
      printer.print(error)
      status = error.status
    }
    return checkOutput(status, talk)
  }

  private func perform(_ request: Request, _ context: CommandContext) async throws(CommandFailure)
    -> CommandResult
  {
    switch request {
    case .help(let path): Verb.helpResult(for: path, table)
    case .version: Verb.versionResult(table)
    case .run(let verb, let arguments):
      try await verb.run(try ProjectSettings.complete(arguments, context), context)
    }
  }

  /// A result that nobody could read is no success.
  private func checkOutput(_ status: ExitStatus, _ talk: Talk) -> ExitStatus {
    switch (talk.console.dataFailure, status) {
    case (nil, _): return status
    case (.readerGone, .done): return .notAchieved
    case (.readerGone, _): return status
    case (.refused(let reason), _):
      talk.failure(
        CommandFailure(
          .localDisk, code: "output-lost", message: "standard output could not be written: \(reason)"))
      return status == .done ? .localDisk : status
    }
  }
}
