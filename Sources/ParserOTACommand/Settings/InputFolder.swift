internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// A folder that the command line names.
enum InputFolder {
  /// The path as an absolute one, of a folder that must be there; a failure names the option and the path.
  static func require(
    _ path: String, option: String, _ context: CommandContext,
    hint: String = "give the path of a folder that is there"
  ) throws(CommandFailure) -> String {
    let path = context.absolutePath(path)
    do {
      _ = try Directory.open(path)
      return path
    } catch {
      throw CommandFailure(error, of: option, hint: hint)
    }
  }

  /// A feed of which a folder must be there; the network is not asked.
  static func require(
    _ feed: FeedLocation, option: String, _ context: CommandContext
  ) throws(CommandFailure) -> FeedLocation {
    guard case .directory(let path) = feed else { return feed }
    return .directory(try require(path, option: option, context))
  }

  /// The path as an absolute one, of a folder that may be made: whatever else stands there is refused.
  static func requireOrMake(
    _ path: String, option: String, _ context: CommandContext
  ) throws(CommandFailure) -> String {
    let path = context.absolutePath(path)
    do {
      _ = try Directory.open(path)
    } catch  where error.kind == .missing {
      return path
    } catch {
      throw CommandFailure(error, of: option, hint: "give the path of a folder, or one that is free")
    }
    return path
  }
}
