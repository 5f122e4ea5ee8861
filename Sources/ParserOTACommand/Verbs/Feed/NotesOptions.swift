internal import OTAManifest
internal import OTAProcess
internal import OTAStorage
internal import ParserPublisher

/// Where the notes of a release come from: a text, a file, the commits since the last release, or a person's editor.
enum NotesOptions {
  static let all: [OptionSpec] = [
    .option("notes-file", "FILE", "take the notes from a file; - is standard input").completing(.file),
    .flag(
      "notes-from-git",
      "take the subjects of the commits since the one that the last release was made from, and remember this one"
    ),
  ]

  /// The notes of `--notes` or `--notes-file`; `nil` when neither is given.
  static func notes(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> String? {
    try arguments.refuseTogether("notes", "notes-file")
    try arguments.refuseTogether("notes", "notes-from-git")
    try arguments.refuseTogether("notes-file", "notes-from-git")
    guard let path = arguments.value("notes-file") else { return arguments.value("notes") }
    if path == "-" { return try StandardInput.lines().joined(separator: "\n") }
    let limit = Limits.standard.maxNotesBytes
    let bytes = try InputFile.read(path, option: "--notes-file", maxBytes: limit, context)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandFailure(
        .inputInvalid, "--notes-file: \(path) is not UTF-8 text", hint: "save the file as UTF-8")
    }
    return trimmed(text)
  }

  /// What says the notes once the release passed its checks; `nil` when nobody is to be asked.
  static func describe(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) -> (@Sendable (Manifest?) async throws(Problem) -> ReleaseDescription)? {
    if arguments.flag("notes-from-git") {
      let folder = arguments.spec.option(named: "sources").flatMap { arguments.value($0.name) }
        .map { folderOf(context.absolutePath($0)) }
      let history = GitHistory(folder: folder ?? context.currentDirectory, environment: context.environment)
      return { (live) async throws(Problem) in try await history.description(since: live?.source) }
    }
    guard !arguments.flag("dry-run"), let editor = Editor(arguments, context) else { return nil }
    return { (live) async throws(Problem) in
      ReleaseDescription(notes: try await editor.text(after: live))
    }
  }

  /// The text without blank ends.
  static func trimmed(_ text: String) -> String {
    let rest = text.drop(while: \.isWhitespace)
    return String(
      rest.prefix(upTo: rest.lastIndex { !$0.isWhitespace }.map { rest.index(after: $0) } ?? rest.startIndex))
  }

  private static func folderOf(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/"
  }
}

/// The commits of the project, as its notes.
struct GitHistory: Sendable {
  private static let maxSubjects = 100
  private static let timeLimit = Duration.seconds(20)

  let folder: String
  let environment: [String: String]

  /// The subjects of the commits since one, the newest first; only the newest when that one is not known.
  func description(since source: String?) async throws(Problem) -> ReleaseDescription {
    let head = NotesOptions.trimmed(try await git("rev-parse --verify HEAD"))
    guard Manifest.isCommit(head) else { throw unusable("it has no commit yet") }
    var warnings: [String] = []
    var range = "-1 HEAD"
    if let source, try await isAncestor(source) {
      range = "-n \(Self.maxSubjects + 1) \(source)..HEAD"
    } else if let source {
      warnings.append(
        "the commit \(source.prefix(12)) of the last release is not in this history, so only the newest commit"
          + " is noted: fetch the whole history")
    }
    let log = try await git("log --no-merges --format=%s \(range)")
    let subjects = log.split(separator: "\n").map { String($0).printable(maxCharacters: 200) }
    return ReleaseDescription(notes: Self.notes(subjects), source: head, warnings: warnings)
  }

  private static func notes(_ subjects: [String]) -> String? {
    guard !subjects.isEmpty else { return nil }
    let limit = Limits.standard.maxNotesBytes - 64
    var (text, count) = ("", 0)
    for subject in subjects.prefix(maxSubjects) where text.utf8.count + subject.utf8.count < limit {
      text += (text.isEmpty ? "" : "\n") + subject
      count += 1
    }
    let more = subjects.count - count
    return more > 0 ? text + "\nand \(subjects.count > maxSubjects ? "more" : "\(more) more")" : text
  }

  private func isAncestor(_ commit: String) async throws(Problem) -> Bool {
    try await answer("merge-base --is-ancestor \(commit) HEAD").status == 0
  }

  private func git(_ words: String) async throws(Problem) -> String {
    let answer = try await answer(words)
    guard answer.status == 0 else {
      let said = String(decoding: answer.complaint, as: UTF8.self).split(separator: "\n").first ?? ""
      throw unusable(String(said).printable(maxCharacters: 200))
    }
    return String(decoding: answer.output, as: UTF8.self)
  }

  private func answer(_ words: String) async throws(Problem) -> CommandAnswer {
    let secrets = environment.keys.filter { $0.hasSuffix("_KEY") || $0.hasSuffix("PASSPHRASE") }
    var variables = environment.filter { !secrets.contains($0.key) }
    variables["LC_ALL"] = "C.UTF-8"
    let command = ShellCommand(
      "exec git -C \(folder.shellWord) --no-pager \(words)", environment: variables, timeLimit: Self.timeLimit
    )
    do {
      return try await command.run(input: [])
    } catch {
      switch error {
      case .notStarted(let reason): throw unusable(reason)
      case .timedOut: throw unusable("git had not answered after \(Self.timeLimit)")
      case .tooMuchOutput: throw unusable("git wrote too much")
      case .cancelled: throw Problem(.cancelled, "git was ended")
      }
    }
  }

  private func unusable(_ reason: String) -> Problem {
    Problem(
      .inputRefused, "--notes-from-git: \(folder): \(reason)",
      advice: "run it in the repository of the sources, or give --notes TEXT")
  }
}

/// The editor of the person at the terminal.
struct Editor: Sendable {
  private let command: String
  private let environment: [String: String]
  private let talk: Talk

  /// The editor that `VISUAL` or `EDITOR` names; `nil` where nobody is there to write, or none is named.
  init?(_ arguments: ParsedArguments, _ context: CommandContext) {
    let names = ["VISUAL", "EDITOR"].compactMap { context.environment[$0] }
    guard let command = names.first(where: { !$0.isEmpty }), Confirmation.canAsk(arguments, context) else {
      return nil
    }
    (self.command, environment, talk) = (command, context.environment, context.talk)
  }

  /// What the person wrote, lines that begin with `#` left out; `nil` for nothing.
  func text(after live: Manifest?) async throws(Problem) -> String? {
    let name = randomBytes(8).map { String($0, radix: 16) }.joined()
    let path = "\(environment["TMPDIR"] ?? "/tmp")/parser-ota-notes-\(name).txt"
    let before =
      live.map { "# The live release is \($0.version)" + ($0.notes.map { ": \($0)" } ?? "") } ?? "#"
    let page =
      "\n# What changed, for people. Lines that begin with # are left out; nothing is no notes.\n"
      + before.split(separator: "\n").map { $0.hasPrefix("#") ? $0 : "# " + $0 }.joined(separator: "\n")
      + "\n"
    do {
      try durablyReplaceFile(at: path, with: Array(page.utf8), mode: 0o600)
    } catch {
      throw Problem(
        .inputRefused, "the notes cannot be written: \(error.message)", advice: "give --notes TEXT")
    }
    let status = runOnTerminal("\(command) \(path.shellWord)", environment: environment)
    guard status == 0 else {
      throw Problem(
        .inputRefused,
        "the editor \(command.printable()) ended with \(status.map(String.init) ?? "an error")",
        advice: "give --notes TEXT, or --notes \"\" for none; what was written is in \(path)")
    }
    let bytes: [UInt8]
    do {
      bytes = try readFile(at: path, maxBytes: 4 * Limits.standard.maxNotesBytes)
      try Directory.open(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])).remove(
        String(path.split(separator: "/").last ?? ""))
    } catch {
      throw Problem(.inputRefused, "the notes cannot be read: \(error.message)", advice: "give --notes TEXT")
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    let text = NotesOptions.trimmed(lines.filter { !$0.hasPrefix("#") }.joined(separator: "\n"))
    return text.isEmpty ? nil : text
  }
}
