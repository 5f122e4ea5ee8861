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

  /// Whether another process holds the lock that the file `name` stands for, without a change on the disk.
  ///
  /// Shares the lock for a moment: whoever asks for it just then and does not wait is refused.
  public func isLocked(_ name: String) throws(StorageError) -> Bool {
    let path = try self.path(of: name, for: "lock")
    do {
      let file = try openRegular(name, path: path)
      _ = try file.statusOfRegularFile(path: path, operation: "lock")
      _ = try FileLock(file, .shared, wait: .zero, path: path)
      return false
    } catch {
      switch error.kind {
      case .missing: return false
      case .busy: return true
      default: throw error
      }
    }
  }

  /// Whether somebody holds a lock on this directory itself; takes it for a moment when nobody does.
  public func isSelfLocked() throws(StorageError) -> Bool {
    do {
      _ = try lockSelf(.exclusive)
      return false
    } catch  where error.kind == .busy {
      return true
    }
  }

  /// Takes a lock on this directory itself, without a file and without waiting; `.busy` at once.
  public func lockSelf(_ mode: LockMode) throws(StorageError) -> FileLock {
    let again = try Descriptor(
      at: descriptor.number, ".", O_RDONLY | O_DIRECTORY, path: path, operation: "lock")
    return try FileLock(again, mode, wait: .zero, path: path)
  }
}
