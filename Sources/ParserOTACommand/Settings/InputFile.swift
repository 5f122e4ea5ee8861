internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// A file that the command line names.
enum InputFile {
  /// Reads a file; a failure names the option and the path.
  static func read(
    _ path: String, option: String, maxBytes: Int, _ context: CommandContext
  ) throws(CommandFailure) -> [UInt8] {
    do {
      return try readFile(at: context.absolutePath(path), maxBytes: maxBytes)
    } catch {
      let problem = Problem(error)
      throw CommandFailure(
        .localDisk, code: problem.code.rawValue, message: "\(option): \(error.message)",
        hint: problem.advice ?? "give the path of a readable file")
    }
  }
}
