internal import CArchive

/// libarchive, loaded on first use.
enum ArchiveLibrary {
  static func load() throws(ArchiveError) {
    var error: UnsafePointer<CChar>?
    guard unsafe carchive_load(&error) != 0 else { return }
    throw .libraryMissing(unsafe error.map { unsafe String(cString: $0) } ?? "libarchive cannot be loaded")
  }
}
