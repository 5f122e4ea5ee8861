internal import OTAManifest
internal import OTAStorage

extension Verb {
  static let configInit = Verb(
    VerbSpec(
      ["config", "init"], summary: "write parser-ota.json: asks at a terminal, or takes options",
      options: [
        .option("out", "FILE", "the file to write; parser-ota.json when left out").completing(.file),
        .flag("force", "replace a file that is there"),
        .flag("yes", "do not ask: take what is proposed"),
      ] + ConfigQuestion.options,
      manual: VerbManual(
        details: [
          "At a terminal it asks for the feed, the bundle, the catalog, the public address and the name of the release key, and"
            + " proposes what it finds in this folder. Elsewhere what is left out is taken as proposed.",
          "The file goes into the repository beside the sources. Keys never stand in it, only their names.",
        ],
        examples: [
          "parser-ota config init --bundle parsers.bundle.js --sources sources.json",
          "parser-ota config init --feed feed --release-key env:RELEASE_KEY --base-url https://parsers.example/ --force",
        ],
        exits: [.done, .notAchieved, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let out = arguments.value("out") ?? ProjectFile.name
      let path = context.absolutePath(out)
      if !arguments.flag("force") { try requireFree(path) }
      let members = try ConfigQuestion.answers(arguments, context, out: path)
      let bytes = JSONValue.object(members).encoded(indented: true)
      // What is written must be read again, or the next verb would refuse it.
      do throws(InputError) {
        _ = try ProjectFile(bytes, path: path, shown: out, currentDirectory: context.currentDirectory)
      } catch {
        throw CommandFailure(
          .usage, code: "invalid-value", message: error.message, hint: "give another value")
      }
      do throws(StorageError) {
        try durablyReplaceFile(at: path, with: bytes, mode: 0o644)
      } catch {
        throw OutputFile.failure(error, option: "--out")
      }
      var result = CommandResult.outcome(
        "written", "\(out) is written", lines: ConfigQuestion.lines(members),
        payload: [JSONMember("file", .string(path)), JSONMember("settings", .object(members))])
      result.hint = next(members, context)
      return result
    })

  private static func requireFree(_ path: String) throws(CommandFailure) {
    do {
      _ = try readFile(at: path, maxBytes: 0)
    } catch  where error.kind == .missing {
      return
    } catch {
      // Whatever is there is not ours to replace.
    }
    var failure = OutputFile.taken(path, "and is not replaced")
    failure.hint = "edit it, or add --force"
    throw failure
  }

  /// The verb that comes next: a feed first, then a publish.
  private static func next(_ members: [JSONMember], _ context: CommandContext) -> String {
    guard case .string(let feed)? = members.first(where: { $0.key == "feed" })?.value, !feed.contains(":")
    else { return "parser-ota publish" }
    do {
      _ = try Directory.open(context.absolutePath(feed))
      return "parser-ota publish"
    } catch {
      // Whatever keeps it from being opened, init says what it is.
      return "parser-ota init, then parser-ota publish"
    }
  }
}

/// The few questions of `config init`.
struct ConfigQuestion {
  let option: String
  let text: String
  /// Where to look for a proposal, in this order.
  var candidates: [String] = []
  /// What is proposed when nothing is found; `nil` proposes to leave the setting out.
  var fallback: String?

  private static let asked = [
    ConfigQuestion(
      option: "feed", text: "folder of the feed", candidates: ["feed", "public", "docs"], fallback: "feed"),
    ConfigQuestion(
      option: "bundle", text: "parser bundle",
      candidates: ["", "dist/", "build/", "out/"].flatMap { folder in
        ["parsers.bundle.js", "bundle.js"].map { folder + $0 }
      }, fallback: "parsers.bundle.js"),
    ConfigQuestion(
      option: "sources", text: "source catalog",
      candidates: ["", "dist/", "build/", "out/"].flatMap { folder in
        ["sources.json", "catalog.json"].map { folder + $0 }
      },
      fallback: "sources.json"),
    ConfigQuestion(option: "base-url", text: "public address of the feed, with https://; empty for none"),
    ConfigQuestion(
      option: "release-key",
      text: "name of the release key: a file, or env:NAME; empty for PARSER_OTA_RELEASE_KEY",
      candidates: ["release.pem", "keys/release.pem"]),
  ]

  /// Every setting that the file may have, as an option.
  static let options = Setting.all.filter { $0.option != "store" }.map(ConfigPage.option)

  /// The members of the file: what options say, then what a person answers or what is found.
  static func answers(
    _ arguments: ParsedArguments, _ context: CommandContext, out: String
  ) throws(CommandFailure) -> [JSONMember] {
    let isAsking = !arguments.flag("yes") && Confirmation.canAsk(arguments, context)
    let folder = out.lastIndex(of: "/").map { String(out[..<$0]) } ?? ""
    var members: [JSONMember] = []
    for setting in Setting.all where setting.option != "store" {
      let given = arguments.values(setting.option)
      if !given.isEmpty {
        members.append(JSONMember(setting.key, try value(given, setting, arguments)))
      } else if let question = asked.first(where: { $0.option == setting.option }),
        let text = question.answer(isAsking: isAsking, folder, context)
      {
        members.append(JSONMember(setting.key, .string(text)))
      }
    }
    return members
  }

  static func lines(_ members: [JSONMember]) -> [String] {
    members.map { member in
      "  \(member.key): \(String(decoding: member.value.encoded(indented: false), as: UTF8.self))"
    }
  }

  private func answer(isAsking: Bool, _ folder: String, _ context: CommandContext) -> String? {
    let found = candidates.first { exists("\(folder)/\($0)") } ?? fallback
    guard isAsking else { return found }
    context.talk.question("\(text)\(found.map { " [\($0)]" } ?? ""):")
    guard let line = context.console.readLine() else {
      context.talk.endQuestion()
      return found
    }
    let answer = NotesOptions.trimmed(line)
    return answer.isEmpty ? found : answer
  }

  private func exists(_ path: String) -> Bool {
    do {
      _ = try readFile(at: path, maxBytes: 0)
      return true
    } catch {
      return [.tooLarge, .wrongKind].contains(error.kind)
    }
  }

  private static func value(
    _ texts: [String], _ setting: Setting, _ arguments: ParsedArguments
  ) throws(CommandFailure) -> JSONValue {
    switch setting.kind {
    case .flag: return .bool(true)
    case .number:
      guard let number = Int64(texts[0]), number >= 0 else {
        throw arguments.usage(
          .invalidValue("--\(setting.option) \(texts[0])", expected: "must be a whole number", meant: nil))
      }
      return .integer(number)
    case .text, .path, .place: return .string(texts[0])
    case .key, .paths: return texts.count == 1 ? .string(texts[0]) : .array(texts.map { .string($0) })
    }
  }
}
