import Glibc

extension Directory {
  /// Takes the lock that the file `name` stands for, and tries again until `wait` is over; then it is `.busy`.
  ///
  /// The file is created with mode 0600 where it is missing. Its content does not matter, and it is never deleted, so a
  /// file that a dead process left is no obstacle.
  public func lock(_ name: String, _ mode: LockMode, wait: Duration = .zero) throws(StorageError) -> FileLock
  {
    let path = try self.path(of: name, for: "lock")
    // To share, reading is enough: it works on a read-only file system. NFS wants write access for an exclusive lock.
    let access = mode == .shared ? O_RDONLY : O_RDWR
    let file = try openOrCreate(name, access, mode: 0o600, path: path)
    _ = try file.statusOfRegularFile(path: path, operation: "lock")
    return try FileLock(file, mode, wait: wait, path: path)
  }

  /// Takes a lock on this directory itself, without a file and without waiting; `.busy` at once.
  public func lockSelf(_ mode: LockMode) throws(StorageError) -> FileLock {
    let again = try Descriptor(
      at: descriptor.number, ".", O_RDONLY | O_DIRECTORY, path: path, operation: "lock")
    return try FileLock(again, mode, wait: .zero, path: path)
  }
}
