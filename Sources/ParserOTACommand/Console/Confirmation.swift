/// Asks before something that cannot be undone, and never where nobody can answer.
enum Confirmation {
  /// Returns when the answer is yes; else throws.
  ///
  /// The flag is looked at first. A question is asked only when standard input and standard error are terminals, `CI` is
  /// not set, and neither `--json` nor `--quiet` is given; otherwise the failure names the flag to give.
  static func ask(
    _ question: String, flag: String = "yes", _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) {
    if arguments.flag(flag) { return }
    guard canAsk(arguments, context) else {
      throw CommandFailure(
        .usage, code: "confirmation-needed", message: "this needs confirmation: \(question)",
        hint: "add --\(flag)")
    }
    context.talk.question("\(question)? [y/N]")
    let answer = context.console.readLine()
    // Nobody pressed the return key, so the next message would continue the line of the question.
    if answer == nil { context.talk.endQuestion() }
    if ["y", "yes"].contains(answer?.lowercased()) { return }
    throw CommandFailure(
      .notAchieved, code: "declined", message: "cancelled", kept: "nothing was changed")
  }

  /// Whether a person is there who may be asked.
  static func canAsk(_ arguments: ParsedArguments, _ context: CommandContext) -> Bool {
    context.console.isTerminal(.input) && context.console.isTerminal(.talk)
      && context.environment["CI", default: ""].isEmpty && !arguments.flags.json && !arguments.flags.quiet
  }
}
