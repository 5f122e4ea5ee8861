import Glibc

extension Directory {
  /// How the names of unfinished replacements start. Those that a killed process left may be removed under a lock.
  public static let temporaryPrefix = ".tmp-"

  /// Puts `bytes` under `name` durably: whatever happens, the name stands for the whole old or the whole new content.
  ///
  /// The file has exactly this mode. A link of this name is replaced, not followed. When it throws, the old content is in
  /// place, except for a failed `sync` of the directory: then the new one is, but a power cut may bring the old one back.
  public func replace(_ name: String, with bytes: [UInt8], mode: UInt32 = 0o600) throws(StorageError) {
    let path = try self.path(of: name, for: "write")
    let temporary = try writeTemporary(bytes, mode: mode)
    let result = retrying {
      unsafe renameat(descriptor.number, temporary, descriptor.number, name)
    }
    guard result == 0 else {
      let failure = StorageError(operation: "replace", path: path, systemCode: errno)
      discard(temporary)
      throw failure
    }
    try sync()
  }

  /// Creates a file that must not exist, with exactly this mode.
  ///
  /// - Parameter isSecret: nobody else may read it, also on a file system that keeps no modes.
  public func createFile(
    _ name: String, mode: UInt32 = 0o600, isSecret: Bool = false
  ) throws(StorageError) -> FileWriter {
    let path = try self.path(of: name, for: "create")
    let file = try createExclusively(name, mode: mode, isSecret: isSecret, path: path)
    return FileWriter(file, path: path, size: 0)
  }

  /// Opens a regular file to write at its end, after creating it with exactly this mode where it is missing.
  public func appendFile(_ name: String, mode: UInt32 = 0o600) throws(StorageError) -> FileWriter {
    let path = try self.path(of: name, for: "open")
    let file = try openOrCreate(name, O_WRONLY | O_APPEND, mode: mode, path: path)
    let size = try file.statusOfRegularFile(path: path).size
    return FileWriter(file, path: path, size: size)
  }

  /// Opens without following links or waiting for the other end of a pipe; the kind is still to be checked.
  func openOrCreate(
    _ name: String, _ flags: Int32, mode: UInt32, path: String
  ) throws(StorageError) -> Descriptor {
    do {
      return try openExisting(name, flags, path: path)
    } catch  where error.kind == .missing {
      do {
        return try createExclusively(name, flags, mode: mode, path: path)
      } catch  where error.kind == .exists {
        // Somebody created it between the two calls.
        return try openExisting(name, flags, path: path)
      }
    }
  }

  private func openExisting(_ name: String, _ flags: Int32, path: String) throws(StorageError) -> Descriptor {
    try Descriptor(at: descriptor.number, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, path: path)
  }

  private func createExclusively(
    _ name: String, _ flags: Int32 = O_WRONLY, mode: UInt32, isSecret: Bool = false, path: String
  ) throws(StorageError) -> Descriptor {
    let file = try Descriptor(
      at: descriptor.number, name, flags | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode, path: path,
      operation: "create")
    do {
      try file.setMode(mode, isSecret: isSecret, path: path)
    } catch {
      discard(name)
      throw error
    }
    return file
  }

  /// A new file with these bytes on the disk, under a name that nobody can foresee; nothing is left when it throws.
  private func writeTemporary(_ bytes: [UInt8], mode: UInt32) throws(StorageError) -> String {
    let name = Self.temporaryPrefix + String(UInt64.random(in: .min ... .max), radix: 16)
    let path = "\(path)/\(name)"
    let file = try createExclusively(name, mode: mode, path: path)
    do {
      try unsafe file.write(bytes.span.bytes, path: path)
      try file.sync(path: path)
    } catch {
      discard(name)
      throw error
    }
    return name
  }

  /// Removes our own unfinished file after a failure. The failure is what counts: one here would only hide it.
  private func discard(_ name: String) {
    _ = unsafe unlinkat(descriptor.number, name, 0)
  }
}
