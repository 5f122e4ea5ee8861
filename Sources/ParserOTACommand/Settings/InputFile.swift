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
    } catch  where error.kind == .tooLarge {
      throw CommandFailure(
        .untrustedContent, code: ProblemCode.tooLarge.rawValue, message: "\(option): \(error.message)",
        hint: "give the file that the option is meant for")
    } catch {
      let problem = Problem(error)
      throw CommandFailure(
        .localDisk, code: problem.code.rawValue, message: "\(option): \(error.message)",
        hint: problem.advice ?? "give the path of a readable file")
    }
  }
  /// Reads a manifest; a refusal names the option, the path and the field.
  static func readManifest(
    _ path: String, option: String, _ context: CommandContext
  ) throws(CommandFailure) -> (manifest: Manifest, bytes: [UInt8]) {
    let bytes = try read(path, option: option, maxBytes: Limits.standard.maxManifestBytes, context)
    do {
      return (try Manifest.decode(bytes), bytes)
    } catch {
      throw CommandFailure(
        .untrustedContent, code: ProblemCode.manifestInvalid.rawValue,
        message: "\(option) \(path)\(error.field.isEmpty ? "" : ":") \(error.message)",
        hint: "give the manifest.json of a release")
    }
  }
}
