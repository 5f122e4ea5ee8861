internal import CArchive

/// One pass over a tar archive in zstd, entry by entry, from memory and into memory.
///
/// Entries are plain files with safe names, each name once; anything else ends the pass. Nothing may be used before `finish`
/// has returned: only then is the archive whole. Nothing is ever written to a disk.
@safe package struct ArchiveReader: ~Copyable {
  /// What a header says of a file.
  package struct Entry: Equatable, Sendable {
    /// The path, with `/` between plain names.
    package let name: String
    /// The size in bytes.
    package let bytes: Int
  }

  private static let chunkBytes = 64 << 10
  private let reader: OpaquePointer
  private let archive: ArchiveBytes
  private let limits: ArchiveLimits
  private var names = EntryNames()
  private var entries = 0
  private var current: (entry: Entry, left: Int)?

  /// Begins before the first entry.
  package init(_ archive: ArchiveBytes, limits: ArchiveLimits = ArchiveLimits()) throws(ArchiveError) {
    try ArchiveLibrary.load()
    let plain = UInt64(limits.maxUnpackedBytes)
    let bytes = unsafe archive.buffer
    guard let reader = unsafe carchive_reader_new(bytes.baseAddress, bytes.count, plain) else {
      throw .noMemory
    }
    unsafe self.reader = unsafe reader
    self.archive = archive
    self.limits = limits
  }

  deinit { unsafe carchive_reader_free(reader) }

  /// Goes to the next entry; `nil` after the last one. What was not read of the one before is passed over.
  package mutating func next() throws(ArchiveError) -> Entry? {
    current = nil
    var found = unsafe carchive_entry()
    let result = unsafe carchive_reader_next(reader, &found)
    if result == CARCHIVE_END { return nil }
    if result == CARCHIVE_BAD_NAME { throw .unsafeName("") }
    guard result == CARCHIVE_OK else { throw failure(result) }
    entries += 1
    guard entries <= limits.maxEntries else { throw .tooManyEntries(max: limits.maxEntries) }
    let entry = try unsafe checked(found)
    current = (entry, entry.bytes)
    return entry
  }

  /// The next bytes of the entry; none at its end, which is where its header put it.
  package mutating func read() throws(ArchiveError) -> [UInt8] {
    guard let (entry, left) = current else { return [] }
    var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
    var count = 0
    let result = unsafe carchive_reader_data(reader, &chunk, chunk.count, &count)
    guard result == CARCHIVE_OK else { throw failure(result) }
    guard count <= left, count > 0 || left == 0 else { throw .damaged("\(entry.name) has another size") }
    current = (entry, left - count)
    chunk.removeLast(chunk.count - count)
    return chunk
  }

  /// Ends the pass after the last entry: the archive must be whole, and hold nothing more.
  package consuming func finish() throws(ArchiveError) {
    let result = unsafe carchive_reader_finish(reader)
    guard result == CARCHIVE_OK else { throw failure(result) }
  }

  /// An entry that may be looked at; its kind comes first, so that a link is called a link.
  private mutating func checked(_ found: carchive_entry) throws(ArchiveError) -> Entry {
    let name = unsafe found.name.map { unsafe String(cString: $0) } ?? ""
    switch unsafe found.kind {
    case CARCHIVE_FILE: break
    case CARCHIVE_SYMBOLIC_LINK, CARCHIVE_HARD_LINK: throw .link(name)
    default: throw .notAFile(name)
    }
    try names.add(name)
    if unsafe found.has_special_mode != 0 { throw .specialMode(name) }
    if unsafe found.is_sparse != 0 { throw .sparse(name) }
    let size = unsafe found.size
    guard size >= 0, unsafe found.is_doubtful == 0 else { throw .damaged("\(name) has a broken header") }
    guard size <= limits.maxEntryBytes else {
      throw .entryTooLarge(name: name, maxBytes: limits.maxEntryBytes)
    }
    return Entry(name: name, bytes: Int(size))
  }

  private func failure(_ result: carchive_result) -> ArchiveError {
    switch result {
    case CARCHIVE_FOREIGN: .notAnArchive
    case CARCHIVE_CUT: .cutShort
    case CARCHIVE_TOO_LARGE: .tooLarge(maxBytes: limits.maxUnpackedBytes)
    case CARCHIVE_TRAILING: .strayEnd
    case CARCHIVE_NO_MEMORY: .noMemory
    default: .damaged(unsafe carchive_reader_error(reader).map { unsafe String(cString: $0) } ?? "")
    }
  }
}
