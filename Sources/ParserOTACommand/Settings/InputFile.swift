internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// A file that the command line names.
enum InputFile {
  /// Reads a file or a pipe; a failure names the option and the path.
  static func read(
    _ path: String, option: String, maxBytes: Int, _ context: CommandContext
  ) throws(CommandFailure) -> [UInt8] {
    do {
      return try readInput(at: context.absolutePath(path), maxBytes: maxBytes)
    } catch {
      throw CommandFailure(error, of: option, hint: "give the path of a readable file")
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
      throw refusal(
        bytes, .manifestInvalid, "\(option) \(path)", error, "give the manifest.json of a release")
    }
  }

  /// Why the content of a file cannot be used: a stray file as what it is, else the field that is wrong.
  static func refusal(
    _ bytes: [UInt8], _ code: ProblemCode, _ name: String, _ error: InputError, _ hint: String
  ) -> CommandFailure {
    if let stray = StrayContent(bytes) {
      return CommandFailure(code, "\(name) \(stray.message)", hint: stray.advice)
    }
    return CommandFailure(code, "\(name)\(error.field.isEmpty ? "" : ":") \(error.message)", hint: hint)
  }
}
