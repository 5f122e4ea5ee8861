import Glibc

extension Directory {
  /// What is in the directory, in the order of the names' bytes, without `.` and `..`.
  public func entries() throws(StorageError) -> [DirectoryEntry] {
    var entries: [DirectoryEntry] = []
    for raw in try rawEntries() {
      let bytes = raw.name.dropLast().map(UInt8.init(bitPattern:))
      entries.append(DirectoryEntry(name: String(decoding: bytes, as: UTF8.self), kind: raw.kind))
    }
    return entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// Names as the system has them, each with its ending zero, in any order.
  func rawEntries() throws(StorageError) -> [(name: [CChar], kind: EntryKind)] {
    // A descriptor of its own: a listing position is shared by all that use one descriptor.
    let opened = retrying { unsafe openat(descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard opened >= 0 else { throw StorageError(operation: "list", path: path, systemCode: errno) }
    guard let stream = unsafe fdopendir(opened) else {
      let failure = StorageError(operation: "list", path: path, systemCode: errno)
      close(opened)
      throw failure
    }
    defer { unsafe closedir(stream) }
    var entries: [(name: [CChar], kind: EntryKind)] = []
    errno = 0
    while let entry = unsafe readdir(stream) {
      let name = unsafe Self.name(of: entry)
      let isDotName = name == [46, 0] || name == [46, 46, 0]
      if !isDotName, let kind = try kind(ofRaw: name, listedAs: unsafe Int(entry.pointee.d_type)) {
        entries.append((name, kind))
      }
      errno = 0
    }
    guard errno == 0 else { throw StorageError(operation: "list", path: path, systemCode: errno) }
    return entries
  }

  private static func name(of entry: UnsafeMutablePointer<dirent>) -> [CChar] {
    let size = unsafe MemoryLayout.size(ofValue: entry.pointee.d_name)
    return unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
      unsafe field.withMemoryRebound(to: CChar.self, capacity: size) { text in
        unsafe Array(UnsafeBufferPointer(start: text, count: strlen(text) + 1))
      }
    }
  }

  /// The kind of a listed name; `nil` when it is gone by now. Some file systems do not say it in the listing.
  private func kind(ofRaw name: [CChar], listedAs type: Int) throws(StorageError) -> EntryKind? {
    switch type {
    case Int(DT_REG): return .file
    case Int(DT_DIR): return .directory
    case Int(DT_LNK): return .symlink
    case Int(DT_UNKNOWN): break
    default: return .other
    }
    var raw = stat()
    if unsafe fstatat(descriptor.number, name, &raw, AT_SYMLINK_NOFOLLOW) == 0 { return FileStatus(raw).kind }
    guard errno != ENOENT else { return nil }
    throw StorageError(operation: "list", path: path, systemCode: errno)
  }
}
