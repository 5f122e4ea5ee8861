internal import OTAManifest
internal import OTAStorage
internal import ParserEngine

/// Where the engine is that runs bundles: what the command line names, else the environment, else beside the tool.
enum EngineChoice {
  static let programName = "parser-ota-engine"
  static let variable = "PARSER_OTA_ENGINE"

  static let option = OptionSpec.option(
    "engine", "FILE",
    "the program that runs bundles; by default the one that the variable PARSER_OTA_ENGINE names, else parser-ota-engine beside this tool"
  ).completing(.file)

  /// The engine to use; whether it is installed is found when it is opened, unless the command line names it.
  static func read(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> BundleEngine? {
    guard let path = try path(arguments, context) else { return nil }
    return BundleEngine(program: path, environment: context.environment)
  }

  private static func path(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> String? {
    if let path = arguments.value("engine") {
      let path = context.absolutePath(path)
      guard BundleEngine(program: path, environment: [:]).isInstalled else {
        throw unusable(path)
      }
      return path
    }
    if let path = context.environment[variable], !path.isEmpty { return context.absolutePath(path) }
    return context.surroundings.programFolder().map { "\($0)/\(programName)" }
  }

  /// Why a program that was named cannot be run: it is not there, is something else, or is closed to this user.
  private static func unusable(_ path: String) -> CommandFailure {
    let hint = "give the path of parser-ota-engine, or leave --engine out"
    do {
      _ = try readFile(at: path, maxBytes: 0)
    } catch  where error.kind != .tooLarge {
      return CommandFailure(error, of: "--engine", hint: hint)
    } catch {
      // It can be read: what is missing is the right to run it.
    }
    return CommandFailure(.noPermission, "--engine: this user may not run \(path)", hint: "chmod +x \(path)")
  }
}
