internal import OTAManifest

/// Why an archive is refused as a whole, or could not be written.
package enum ArchiveError: Error, Equatable, Sendable {
  /// libarchive cannot be loaded, or has no zstd.
  case libraryMissing(String)
  case noMemory
  /// The bytes are not a zstd stream, or are one in another.
  case notAnArchive
  /// The bytes end before the archive does.
  case cutShort
  /// The stream or the tar in it is broken; what the library says about it.
  case damaged(String)
  /// Something follows the end of the archive, or it has none.
  case strayEnd
  /// More bytes than any archive may have, packed or unpacked.
  case tooLarge(maxBytes: Int)
  case tooManyEntries(max: Int)
  case entryTooLarge(name: String, maxBytes: Int)
  /// A name that is absolute, leads upwards, or has other characters than a file of a feed.
  case unsafeName(String)
  case duplicateName(String)
  /// Two names that are one on file systems that ignore case.
  case sameNameInOtherCase(String, String)
  /// A symbolic or a hard link.
  case link(String)
  /// A folder, device, pipe or socket.
  case notAFile(String)
  /// A file that runs with the rights of another user.
  case specialMode(String)
  /// A file with holes.
  case sparse(String)
}

extension ArchiveError {
  /// The rest of a sentence that begins with the name of the archive.
  package var detail: String {
    switch self {
    case .libraryMissing(let text): "cannot be opened: \(text)"
    case .noMemory: "cannot be opened: out of memory"
    case .notAnArchive: "is not a release archive: it is not a single zstd stream"
    case .cutShort: "is cut short"
    case .damaged(let text): "is damaged" + (text.isEmpty ? "" : ": \(text.printable(maxCharacters: 120))")
    case .strayEnd: "is damaged: it does not end where its tar ends"
    case .tooLarge(let maxBytes): "has more than \(maxBytes) bytes"
    case .tooManyEntries(let max): "has more than \(max) files"
    case .entryTooLarge(let name, let maxBytes):
      "holds \(Self.shown(name)) with more than \(maxBytes) bytes"
    case .unsafeName(""): "holds a file whose name is not plain text"
    case .unsafeName(let name): "holds a file with an unsafe name: \(Self.shown(name))"
    case .duplicateName(let name): "holds \(Self.shown(name)) twice"
    case .sameNameInOtherCase(let first, let second):
      "holds two names that differ in case only: \(Self.shown(first)) and \(Self.shown(second))"
    case .link(let name): "holds a link: \(Self.shown(name))"
    case .notAFile(let name): "holds something other than a file: \(Self.shown(name))"
    case .specialMode(let name): "holds a file with a special mode: \(Self.shown(name))"
    case .sparse(let name): "holds a sparse file: \(Self.shown(name))"
    }
  }

  private static func shown(_ name: String) -> String { "\"\(name.printable(maxCharacters: 100))\"" }
}
