public import OTAManifest
public import OTAStorage

/// Why a recording cannot be read or written.
public enum FixtureError: Error, Equatable, Sendable {
  /// The disk refused.
  case storage(StorageError)
  /// A file is not what it must be; carries its path.
  case malformed(path: String, InputError)
  /// There is no recording of this source in the folder.
  case missing(path: String, SourceID)
  /// The folder holds other things, and no recording.
  case foreignFolder(path: String, names: [String])
  /// The recording holds more than it may, or no digest can be made of it.
  case unusable(String)

  /// One sentence that names the file.
  public var message: String {
    switch self {
    case .storage(let error): error.message
    case .malformed(let path, let error): "\(path): \(error.message)"
    case .missing(let path, let source): "\(path) has no recording of \(source)"
    case .foreignFolder(let path, let names):
      "\(path) holds other things: "
        + names.prefix(5).map { $0.printable(maxCharacters: 60) }.joined(separator: ", ")
        + (names.count > 5 ? " and \(names.count - 5) more" : "")
    case .unusable(let reason): reason
    }
  }
}
