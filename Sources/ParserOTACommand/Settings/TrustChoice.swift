internal import OTAFeed
internal import OTAManifest
internal import OTAStorage
internal import ParserUpdater

/// How the command line says how manifests are authenticated.
enum TrustChoice {
  /// The name of the file beside the copy inside the app, as parser-ota embed writes it.
  static let rootName = "root.json"
  /// Larger than any root that a client accepts.
  static let maxRootBytes = FeedLayout.maxRootBytes

  static let root = OptionSpec.option(
    "root", "FILE", "the root of trust that ships in the app; root.json of --embedded when left out"
  ).completing(.file)
  static let checksumsOnly = OptionSpec.flag(
    "checksums-only", "the feed is not signed: sizes and digests are checked, nothing more")

  /// Reads the trust for a device: signed unless the opposite is said.
  static func read(
    _ arguments: ParsedArguments, embedded: String, _ context: CommandContext
  ) throws(CommandFailure) -> Trust {
    try arguments.refuseTogether("root", "checksums-only")
    if arguments.flag("checksums-only") { return .checksumsOnly }
    if let root = try given(arguments, context) { return root }
    let path = "\(embedded)/\(rootName)"
    do {
      return try usable(try readFile(at: path, maxBytes: maxRootBytes), path)
    } catch let failure as CommandFailure {
      throw failure
    } catch let error as StorageError where error.kind == .missing {
      var failure = arguments.usage(.missingOneOf(["--root FILE", "--checksums-only"]))
      failure.hint =
        "there is no \(path): embed from a signed feed, or give --root FILE; --checksums-only is for feeds that are not signed"
      throw failure
    } catch let error as StorageError {
      throw CommandFailure(Problem(error))
    } catch {
      throw CommandFailure(.localDisk, code: "storage-failed", message: "\(path) cannot be read")
    }
  }

  /// The trust that begins with the file of `--root`; `nil` when the option is left out.
  static func given(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> Trust? {
    guard let path = arguments.value("root") else { return nil }
    let bytes = try InputFile.read(path, option: "--root", maxBytes: maxRootBytes, context)
    return try usable(bytes, "--root \(path)")
  }

  /// The trust that begins with these bytes; a root that nobody should trust is refused at once.
  static func usable(_ bytes: [UInt8], _ name: String) throws(CommandFailure) -> Trust {
    let trust = Trust.root(bytes)
    do {
      try trust.requireUsable()
    } catch {
      throw CommandFailure(
        ExitStatus(error.code.responsibility), code: error.code.rawValue,
        message: "\(name): \(error.message)",
        kept: "everything as it was", hint: "ask the publisher of the feed for its root.json")
    }
    return trust
  }
}
