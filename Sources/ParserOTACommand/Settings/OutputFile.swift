internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// A file that the command line names and that a verb writes.
enum OutputFile {
  /// Why it cannot be written; names the option and the path, and says what to do.
  static func failure(_ error: StorageError, option: String) -> CommandFailure {
    CommandFailure(
      error, of: option, hint: "give a path in a folder that is there and that this user may write to")
  }

  /// A file that is not overwritten, because it may be a key or whatever else cannot be made again.
  static func taken(_ path: String, _ what: String, option: String = "--out") -> CommandFailure {
    CommandFailure(
      .notAchieved, code: "file-exists", message: "\(path) exists already, \(what)",
      kept: "all files are as they were", hint: "choose another name with \(option)")
  }
}
