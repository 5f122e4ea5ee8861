import Glibc
import OTAStorage
import TestSupport
import Testing

/// What people read.
@Suite("Storage errors")
struct StorageErrorTests {
  @Test("name the full path and the reason, never a type")
  func messages() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      plant("12345", at: folder.path("x"))
      symlink("x", folder.path("link"))
      let attempts: [(() throws -> Void, String)] = [
        (
          { _ = try directory.read("state.json", maxBytes: 1) },
          "cannot open \(folder.path)/state.json: No such file or directory"
        ),
        (
          { _ = try directory.read("x", maxBytes: 3) },
          "cannot read \(folder.path)/x: it has 5 bytes, and at most 3 are allowed"
        ),
        (
          { _ = try directory.read("x", exactly: 9) },
          "cannot read \(folder.path)/x: it has 5 bytes instead of 9"
        ),
        (
          { _ = try directory.read("link", exactly: 5) },
          "cannot open \(folder.path)/link: it is a symbolic link, or one of too many"
        ),
        (
          { _ = try readFile(at: folder.path, maxBytes: 5) },
          "cannot open \(folder.path): it is not a regular file"
        ),
        (
          { try directory.remove("../x") },
          "cannot remove \(folder.path)/../x: its last part is not a file name"
        ),
      ]
      for (attempt, message) in attempts {
        let error = #expect(throws: StorageError.self) { try attempt() }
        #expect(error?.message == message)
        #expect(error.map { "\($0)" } == message)
      }
    }
  }

  @Test(
    "system codes map to what a caller can act on",
    arguments: [
      (ENOENT, .missing), (EEXIST, .exists), (ENOTEMPTY, .exists), (EACCES, .notPermitted),
      (EPERM, .notPermitted), (EROFS, .readOnly), (ENOSPC, .full), (EDQUOT, .full), (EFBIG, .full),
      (ELOOP, .wrongKind), (ENOTDIR, .wrongKind), (EISDIR, .wrongKind), (ENXIO, .wrongKind),
      (ENAMETOOLONG, .invalidName), (EWOULDBLOCK, .busy), (EIO, .io), (EXDEV, .unsupported), (EMFILE, .io),
    ] as [(Int32, StorageError.Kind)])
  func kinds(code: Int32, kind: StorageError.Kind) {
    let error = StorageError(operation: "open", path: "/x", systemCode: code)
    #expect(error.kind == kind)
    #expect(error.systemCode == code)
    #expect(error.message.hasPrefix("cannot open /x: "))
  }

  @Test("a lock in use is told as such")
  func busy() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      let held = try directory.lock("lock", .exclusive)
      let error = #expect(throws: StorageError.self) { try directory.lock("lock", .exclusive) }
      #expect(error?.message == "cannot lock \(folder.path)/lock: another process is using it")
      held.release()
    }
  }

  @Test("clocks go forward and random bytes differ")
  func clockAndRandomness() {
    let before = SystemClock.monotonicNanoseconds()
    #expect(SystemClock.monotonicNanoseconds() >= before)
    #expect(abs(SystemClock.wallSeconds() - Int64(time(nil))) <= 1)
    #expect(randomBytes(32).count == 32)
    #expect(randomBytes(32) != randomBytes(32))
    #expect(randomBytes(0) == [])
  }
}
