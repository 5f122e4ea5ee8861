/// One verb of the tool: what the table knows about it, and what it does.
///
/// A verb has a file of its own with `extension Verb { static let publish = Verb(…) }`, and a line in `CommandTable.shipped`.
struct Verb: Sendable {
  /// Turns checked arguments into a result; whatever goes wrong is a `CommandFailure`.
  typealias Action =
    @Sendable (ParsedArguments, CommandContext) async throws(CommandFailure) -> CommandResult

  let spec: VerbSpec
  let run: Action

  init(_ spec: VerbSpec, run: @escaping Action) {
    self.spec = spec
    self.run = run
  }
}
