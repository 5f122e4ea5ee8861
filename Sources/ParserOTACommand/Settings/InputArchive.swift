internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// A release archive that the command line names.
enum InputArchive {
  /// What stands for standard input.
  static let dash = "-"
  private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
  private static let hint = "give an archive that parser-ota export made"

  /// Opens an archive in a file, in a pipe, or on standard input; it is refused as a whole, or whole.
  static func read(
    _ path: String, option: String, _ context: CommandContext
  ) throws(CommandFailure) -> ReleaseArchive {
    try open(try bytes(path, option: option, context), path, context)
  }

  /// A feed as it is named: a folder that is there, an address, or an archive.
  static func feed(
    _ feed: FeedLocation, option: String, _ context: CommandContext
  ) throws(CommandFailure) -> FeedLocation {
    guard case .directory(let path) = feed else { return feed }
    do throws(StorageError) {
      _ = try Directory.open(context.absolutePath(path))
    } catch  where error.kind == .wrongKind {
      let found = try bytes(path, option: option, context)
      if found.starts(with: magic) { return .archive(try open(found, path, context)) }
      throw CommandFailure(error, of: option, hint: "give the path of a folder or of a release archive")
    } catch {
      // What is wrong with the folder is said in the words of a folder.
    }
    return try InputFolder.require(feed, option: option, context)
  }

  /// Whether bytes begin as an archive does.
  static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

  private static func open(
    _ bytes: [UInt8], _ path: String, _ context: CommandContext
  ) throws(CommandFailure) -> ReleaseArchive {
    do {
      return try ReleaseArchive(bytes, name: path == dash ? "standard input" : context.absolutePath(path))
    } catch {
      throw CommandFailure(error.keeping("everything as it was"))
    }
  }

  private static func bytes(
    _ path: String, option: String, _ context: CommandContext
  ) throws(CommandFailure) -> [UInt8] {
    do throws(StorageError) {
      guard path != dash else { return try readStandardInput(maxBytes: ReleaseArchive.maxBytes) }
      return try readInput(at: context.absolutePath(path), maxBytes: ReleaseArchive.maxBytes)
    } catch  where error.kind == .tooLarge {
      throw CommandFailure(.archiveTooLarge, "\(option): \(error.message)", hint: hint)
    } catch {
      throw CommandFailure(error, of: option, hint: hint)
    }
  }
}
