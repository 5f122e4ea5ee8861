internal import CArchive

/// A tar archive in zstd, written in memory: the same files give the same bytes on every machine and at every time.
@safe package struct ArchiveWriter: ~Copyable {
  /// The best level that is bearable for bundles of the usual size, and one twenty times as fast for huge ones.
  private static let levels = (usual: "19", huge: "12")
  private static let hugeBytes = 8 << 20
  private let writer: OpaquePointer
  private let date: Int64
  private var names = EntryNames()

  /// Begins an archive.
  ///
  /// - Parameters:
  ///   - date: the date of every file, in seconds after 1970.
  ///   - totalBytes: the bytes of all files together, which decides how hard to pack.
  package init(date: Int64, totalBytes: Int) throws(ArchiveError) {
    try ArchiveLibrary.load()
    let level = totalBytes > Self.hugeBytes ? Self.levels.huge : Self.levels.usual
    guard let writer = unsafe carchive_writer_new(level) else { throw .noMemory }
    unsafe self.writer = unsafe writer
    self.date = max(0, date)
  }

  deinit { unsafe carchive_writer_free(writer) }

  /// Adds a file under a name that a reader will take.
  package mutating func add(_ name: String, _ bytes: [UInt8]) throws(ArchiveError) {
    try names.add(name)
    let result = unsafe carchive_writer_add(writer, name, date, bytes, bytes.count)
    guard result == CARCHIVE_OK else { throw failure(result) }
  }

  /// Ends the archive and returns it.
  package consuming func finish() throws(ArchiveError) -> [UInt8] {
    var bytes: UnsafeRawPointer?
    var count = 0
    let result = unsafe carchive_writer_finish(writer, &bytes, &count)
    guard result == CARCHIVE_OK, let start = unsafe bytes else { throw failure(result) }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  private func failure(_ result: carchive_result) -> ArchiveError {
    guard result != CARCHIVE_NO_MEMORY else { return .noMemory }
    return .damaged(unsafe carchive_writer_error(writer).map { unsafe String(cString: $0) } ?? "")
  }
}
