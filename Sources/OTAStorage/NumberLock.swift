internal import CLinux
import Glibc

/// A share in one of the many locks that a file stands for; it ends with the last reference, or with the process in any way.
///
/// Each number is a lock of its own: the kernel keeps it for a byte that the file need not have, so nothing is written
/// and nothing is left over. The holder itself is seen by `lockedNumbers` too, through another opening of the file.
public final class NumberLock: Sendable {
  // Held by being open: the end of the process closes it.
  private let descriptor: Descriptor
  private let number: UInt64

  fileprivate init(_ descriptor: consuming Descriptor, _ number: UInt64) {
    self.descriptor = descriptor
    self.number = number
  }

  // Closing is not enough while a child that was just forked still shares the opening.
  deinit { _ = clinux_free_byte(descriptor.number, position(of: number)) }
}

extension Directory {
  /// Takes a share in lock `number` of the file `name`, which is created with mode 0600 where it is missing.
  ///
  /// Never waits: shares do not exclude each other, and nobody takes such a lock alone.
  public func lockNumber(_ number: UInt64, in name: String) throws(StorageError) -> NumberLock {
    let path = try self.path(of: name, for: "lock")
    let file = try openOrCreate(name, O_RDWR, mode: 0o600, path: path)
    _ = try file.statusOfRegularFile(path: path, operation: "lock")
    guard retrying({ clinux_share_byte(file.number, position(of: number)) }) == 0 else {
      throw StorageError(failedLockOf: path, systemCode: errno)
    }
    return NumberLock(file, number)
  }

  /// Those of `numbers` that somebody holds now in the file `name`; none when there is no such file.
  public func lockedNumbers(_ numbers: [UInt64], in name: String) throws(StorageError) -> Set<UInt64> {
    let path = try self.path(of: name, for: "lock")
    do {
      return try openRegular(name, path: path).lockedPositions(numbers, path: path)
    } catch  where error.kind == .missing {
      return []
    }
  }

}

extension Descriptor {
  fileprivate func lockedPositions(_ numbers: [UInt64], path: String) throws(StorageError) -> Set<UInt64> {
    _ = try statusOfRegularFile(path: path, operation: "lock")
    var locked: Set<UInt64> = []
    for wanted in numbers {
      let answer = retrying { clinux_is_byte_locked(number, position(of: wanted)) }
      guard answer >= 0 else { throw StorageError(failedLockOf: path, systemCode: errno) }
      if answer == 1 { locked.insert(wanted) }
    }
    return locked
  }
}

/// Positions are signed and end one before the largest: four numbers share one, which random ones never do.
private func position(of number: UInt64) -> off_t { off_t(number >> 2) }
