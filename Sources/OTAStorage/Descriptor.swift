import Glibc

/// An open file descriptor with one owner, closed when the owner goes.
struct Descriptor: ~Copyable, Sendable {
  let number: Int32

  /// Takes over an open descriptor.
  init(owning number: Int32) { self.number = number }

  /// Opens a path, as `openat` does; every descriptor is closed in children.
  init(
    at directory: Int32 = AT_FDCWD, _ name: String, _ flags: Int32, mode: UInt32 = 0, path: String,
    operation: String = "open"
  ) throws(StorageError) {
    let opened = retrying { unsafe openat(directory, name, flags | O_CLOEXEC, mode) }
    guard opened >= 0 else { throw StorageError(operation: operation, path: path, systemCode: errno) }
    number = opened
  }

  /// Closing can only report what an earlier fsync did not: whoever needs the data on disk has called that.
  deinit { close(number) }

  /// The metadata of what is open.
  func status(path: String) throws(StorageError) -> FileStatus {
    var raw = stat()
    guard retrying({ unsafe fstat(number, &raw) }) == 0 else {
      throw StorageError(operation: "inspect", path: path, systemCode: errno)
    }
    return FileStatus(raw)
  }

  /// The metadata of what is open, which must be a regular file.
  func statusOfRegularFile(path: String, operation: String = "open") throws(StorageError) -> FileStatus {
    let status = try status(path: path)
    guard status.kind == .file else {
      throw StorageError(.wrongKind, operation: operation, path: path, reason: "it is not a regular file")
    }
    return status
  }

  /// Waits until the data of what is open is on the disk.
  func sync(path: String) throws(StorageError) {
    guard retrying({ fsync(number) }) == 0 else {
      throw StorageError(operation: "sync", path: path, systemCode: errno)
    }
  }

  /// Sets the mode, whatever the umask was.
  ///
  /// A file system without modes (FAT, SMB, FUSE) gives every file one of its own: it will do when it lets in whom the
  /// mode is meant for and nobody else; `.unsupported` otherwise.
  func setMode(_ mode: UInt32, isSecret: Bool = false, path: String) throws(StorageError) {
    guard retrying({ fchmod(number, mode) }) != 0 else { return }
    let code = errno
    guard [EPERM, EACCES, EOPNOTSUPP, EINVAL, ENOSYS].contains(code) else {
      throw StorageError(operation: "create", path: path, systemCode: code)
    }
    guard let fault = try status(path: path).fault(forWanted: mode, isSecret: isSecret) else { return }
    throw StorageError(
      .unsupported, operation: "create", path: path,
      reason: "this file system keeps no file modes, and \(fault)")
  }

  /// Writes every byte, however few the system takes at a time.
  func write(_ bytes: RawSpan, path: String) throws(StorageError) {
    let failure = unsafe bytes.withUnsafeBytes { buffer -> Int32 in
      var rest = unsafe buffer[...]
      while unsafe !rest.isEmpty {
        let chunk = unsafe UnsafeRawBufferPointer(rebasing: rest)
        let count = retrying { unsafe Glibc.write(number, chunk.baseAddress, chunk.count) }
        // A regular file never takes 0 of many bytes; should it, that is an error and no reason to spin.
        guard count > 0 else { return count < 0 ? errno : EIO }
        unsafe rest = unsafe rest.dropFirst(count)
      }
      return 0
    }
    guard failure == 0 else { throw StorageError(operation: "write", path: path, systemCode: failure) }
  }

  /// Reads until `count` bytes are there or the file ends: one system call when the file has them.
  func read(upTo count: Int, path: String) throws(StorageError) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[filled..<count])
        let added = retrying { unsafe Glibc.read(number, rest.baseAddress, rest.count) }
        if added < 0 { failure = errno }
        guard added > 0 else { break }
        filled += added
      }
    }
    guard failure == 0 else { throw StorageError(operation: "read", path: path, systemCode: failure) }
    return bytes
  }
}

/// Repeats a system call that a signal interrupted.
func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}
