internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// A folder that the command line names and that must be there.
enum InputFolder {
  /// The path as an absolute one; a failure names the option and the path.
  static func require(
    _ path: String, option: String, _ context: CommandContext
  ) throws(CommandFailure) -> String {
    let path = context.absolutePath(path)
    do {
      _ = try Directory.open(path)
      return path
    } catch {
      let code = Problem(error).code
      throw CommandFailure(
        .localDisk, code: code.rawValue, message: "\(option): \(error.message)",
        hint: "give the path of a folder that this user may read")
    }
  }

  /// A feed of which a folder must be there; the network is not asked.
  static func require(
    _ feed: FeedLocation, option: String, _ context: CommandContext
  ) throws(CommandFailure) -> FeedLocation {
    guard case .directory(let path) = feed else { return feed }
    return .directory(try require(path, option: option, context))
  }
}
