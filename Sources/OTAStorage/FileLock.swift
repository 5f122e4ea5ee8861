import Glibc

/// Whether others may hold the same lock.
public enum LockMode: Sendable {
  /// With others that share.
  case shared
  /// Alone.
  case exclusive

  var operation: Int32 { self == .shared ? LOCK_SH : LOCK_EX }
}

/// A lock that is held until `release`, the last reference goes, or the process ends in any way.
///
/// It excludes other holders in the same process too.
public final class FileLock: Sendable {
  // Immutable after creation: releasing changes the kernel's state only, so sharing needs no guard here.
  private let descriptor: Descriptor

  /// Takes the lock or throws `.busy` at the deadline; nothing is asked again after it.
  init(
    _ descriptor: consuming Descriptor, _ mode: LockMode, wait: Duration, path: String
  ) throws(StorageError) {
    let deadline = SystemClock.monotonicNanoseconds() &+ wait.wholeNanoseconds
    while retrying({ flock(descriptor.number, mode.operation | LOCK_NB) }) != 0 {
      guard errno == EWOULDBLOCK else { throw StorageError(failedLockOf: path, systemCode: errno) }
      let now = SystemClock.monotonicNanoseconds()
      guard now < deadline else {
        throw StorageError(.busy, operation: "lock", path: path, reason: "another process is using it")
      }
      Self.pause(min(deadline - now, 5_000_000))
    }
    self.descriptor = descriptor
  }

  /// Lets others have the lock; a second call does nothing.
  public func release() {
    // Unlocking an open descriptor cannot fail.
    _ = flock(descriptor.number, LOCK_UN)
  }

  // Also when a child that was just forked still shares the descriptor.
  deinit { release() }

  private static func pause(_ nanoseconds: UInt64) {
    var pause = timespec(tv_sec: 0, tv_nsec: Int(nanoseconds))
    // A signal may end the pause early: the loop looks at the clock again.
    _ = unsafe nanosleep(&pause, nil)
  }
}

extension StorageError {
  /// A lock that the file system does not have: some network and FUSE file systems say so in one of four ways.
  init(failedLockOf path: String, systemCode: Int32) {
    guard [ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL].contains(systemCode) else {
      self.init(operation: "lock", path: path, systemCode: systemCode)
      return
    }
    self.init(.unsupported, operation: "lock", path: path, reason: "this file system has no locks")
  }
}

extension Duration {
  /// At least 0, at most some centuries.
  fileprivate var wholeNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return UInt64(min(seconds, 4_000_000_000)) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}
