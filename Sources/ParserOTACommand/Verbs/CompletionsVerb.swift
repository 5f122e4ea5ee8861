internal import OTAManifest

extension Verb {
  static let completions = Verb(
    VerbSpec(
      ["completions"], summary: "print the completion script of a shell",
      positionals: [
        PositionalSpec(
          name: "SHELL", help: "the shell", shape: .choice(CompletionShell.allCases.map(\.rawValue)))
      ],
      manual: VerbManual(
        details: [
          "The script is made from the same table as this help, so it always knows the options of this version."
        ],
        examples: [
          "parser-ota completions bash > ~/.local/share/bash-completion/completions/parser-ota",
          "parser-ota completions zsh > ~/.zfunc/_parser-ota",
          "parser-ota completions fish > ~/.config/fish/completions/parser-ota.fish",
        ])),
    run: { arguments, context throws(CommandFailure) in
      let shell = try arguments.positional("SHELL") { text throws(Refusal) in
        guard let shell = CompletionShell(rawValue: text) else { throw Refusal("is not a known shell") }
        return shell
      }
      guard let shell else { throw arguments.usage(.missingArgument("SHELL")) }
      let script = shell.script(for: context.table)
      var result = CommandResult.answer("completions", "completion script for \(shell.rawValue)", lines: [])
      result.output = .bytes(Array(script.utf8))
      result.payload = [.init("shell", .string(shell.rawValue)), .init("script", .string(script))]
      return result
    })
}
