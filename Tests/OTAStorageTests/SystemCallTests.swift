import Glibc
import OTAStorage
import TestSupport
import Testing

/// What the system sees, and what remains when it refuses at each step.
@Suite("System calls of the durable replacement", .enabled(if: Machine.traces, "needs strace"))
struct SystemCallTests {
  private static let calls =
    "openat,write,fsync,fdatasync,rename,renameat,renameat2,unlinkat,read,fstat,newfstatat"

  @Test("B09: the file is on the disk before the rename, the directory after it")
  func order() throws {
    try withTemporaryDirectory { folder in
      plant("OLD", at: folder.path("slot"))
      let seen = try trace("replace", folder.path, "slot", ["NEW"])
      #expect(seen.map(\.call) == ["openat", "openat", "write", "fsync", "renameat", "fsync"])
      try #require(seen.count == 6)
      #expect(seen[1].line.contains("O_EXCL") && seen[1].line.contains("O_NOFOLLOW"))
      #expect(seen[3].line.contains("\(folder.path)/.tmp-"))
      #expect(seen[5].line.contains("<\(folder.path)>"))
      #expect(seen.filter { $0.call == "openat" }.allSatisfy { $0.line.contains("O_CLOEXEC") })
    }
  }

  @Test("an exact read is one open, one look and one read")
  func exactRead() throws {
    try withTemporaryDirectory { folder in
      plant("12345", at: folder.path("slot"))
      let seen = try trace("read-exactly", folder.path, "slot", ["5"])
      // The same look has another name on other processors.
      let calls = seen.map { $0.call == "newfstatat" ? "fstat" : $0.call }
      #expect(calls == ["openat", "openat", "fstat", "read"])
    }
  }

  @Test(
    "B08, B43: a refused call leaves the old content and no temporary",
    arguments: [
      ("openat:error=ENOSPC", ".tmp-", "full"), ("fchmod:error=EIO:when=1", nil, "io"),
      ("write:error=ENOSPC:when=1", nil, "full"), ("write:error=EDQUOT:when=1", nil, "full"),
      ("write:error=EIO:when=1", nil, "io"), ("fsync:error=EIO:when=1", nil, "io"),
      ("renameat:error=ENOSPC:when=1", nil, "full"), ("renameat:error=EROFS:when=1", nil, "readOnly"),
      ("renameat:error=EDQUOT:when=1", nil, "full"), ("renameat:error=EXDEV:when=1", nil, "unsupported"),
      ("fsync:error=EOPNOTSUPP:when=1", nil, "unsupported"), ("write:error=ESTALE:when=1", nil, "io"),
    ] as [(String, String?, String)])
  func refused(fault: String, only: String?, kind: String) throws {
    try withTemporaryDirectory { folder in
      plant("OLD", at: folder.path("slot"))
      // Start-up opens many files: only the creation of the temporary is told by its ordinal among those calls.
      let fault = only == nil ? fault : "\(fault):when=\(try ordinalOfCreation(folder.path))"
      let result = try inject(fault, folder.path)
      #expect(result.output.hasPrefix("\(kind): cannot "), "\(result.output)")
      #expect(content(folder.path("slot")) == "OLD")
      let names = try folder.names()
      #expect(names == ["slot"])
    }
  }

  @Test(
    "N37: a file system without modes will do when the mode it gives lets in the right ones",
    arguments: ["EPERM", "EOPNOTSUPP", "EINVAL", "ENOSYS", "EACCES"])
  func noModes(code: String) throws {
    try withTemporaryDirectory { folder in
      let strace = [
        "/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=fchmod:error=\(code)",
      ]
      func create(_ name: String, _ rest: String..., umask: String) throws -> String {
        let shell = ["/bin/sh", "-c", "umask \(umask); exec \"$@\"", "sh"]
        return try probe("create", folder.path, name, rest, through: shell + strace).output
      }
      let prefix = "unsupported: cannot create \(folder.path)/"
      let said = "this file system keeps no file modes, and "
      // A feed's file, for everybody.
      #expect(try create("page", "644", umask: "022") == "done\n")
      #expect(
        try create("hidden", "644", umask: "077").hasPrefix("\(prefix)hidden: \(said)others cannot read"))
      // A store's file, for its owner.
      #expect(try create("state", "600", umask: "077") == "done\n")
      // A key, for nobody else.
      #expect(try create("key", "600", "secret", umask: "077") == "done\n")
      let names = try folder.names()
      #expect(names == ["key", "page", "state"])
    }
  }

  @Test(
    "N37: folders that cannot be flushed keep their names without it",
    arguments: ["EINVAL", "EOPNOTSUPP", "ENOSYS"])
  func noFolderSync(code: String) throws {
    try withTemporaryDirectory { folder in
      plant("OLD", at: folder.path("slot"))
      let result = try inject("fsync:error=\(code):when=2", folder.path)
      #expect(result.output == "done\n" && content(folder.path("slot")) == "NEW")
    }
  }

  @Test("N37: a file system without locks is called that", arguments: ["ENOLCK", "EOPNOTSUPP", "ENOSYS"])
  func noLocks(code: String) throws {
    try withTemporaryDirectory { folder in
      for (verb, call) in [("lock", "flock"), ("lock-number", "fcntl")] {
        let strace = [
          "/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=\(call):error=\(code)",
        ]
        let result = try probe(verb, folder.path, "lock", ["7"], through: strace)
        #expect(
          result.output == "unsupported: cannot lock \(folder.path)/lock: this file system has no locks\n")
      }
    }
  }

  @Test(
    "interrupted calls are repeated", arguments: ["write", "fsync", "openat", "renameat", "fchmod"])
  func interrupted(call: String) throws {
    try withTemporaryDirectory { folder in
      plant("OLD", at: folder.path("slot"))
      let ordinal = call == "openat" ? try ordinalOfCreation(folder.path) : 1
      let result = try inject("\(call):error=EINTR:when=\(ordinal)", folder.path)
      #expect(result.output == "done\n")
      #expect(content(folder.path("slot")) == "NEW")
    }
  }

  @Test("a directory that cannot be flushed is an error, and the new content is whole")
  func unflushedDirectory() throws {
    try withTemporaryDirectory { folder in
      plant("OLD", at: folder.path("slot"))
      let result = try inject("fsync:error=EIO:when=2", folder.path)
      #expect(result.output == "io: cannot sync \(folder.path): Input/output error\n")
      #expect(content(folder.path("slot")) == "NEW")
      let names = try folder.names()
      #expect(names == ["slot"])
    }
  }

  @Test(
    "B09: killed before any of its calls, the slot is the whole old or the whole new one",
    arguments: ["openat", "write", "fsync:1", "renameat", "fsync:2"])
  func killed(point: String) throws {
    try withTemporaryDirectory { folder in
      plant("OLD", at: folder.path("slot"))
      let parts = point.split(separator: ":")
      let ordinal =
        point == "openat" ? try ordinalOfCreation(folder.path) : parts.count > 1 ? Int(parts[1])! : 1
      let result = try inject("\(parts[0]):signal=KILL:when=\(ordinal)", folder.path)
      #expect(result.status == .signalled(SIGKILL))
      #expect(content(folder.path("slot")) == (point == "fsync:2" ? "NEW" : "OLD"))
      let directory = try Directory.open(folder.path)
      try directory.removeTemporaries()
      let names = try folder.names()
      #expect(names == ["slot"])
    }
  }

  @Test(
    "N37: a file system without exclusive rename still refuses a taken name",
    arguments: ["EINVAL", "ENOSYS", "EOPNOTSUPP"])
  func noExclusiveRename(code: String) throws {
    try withTemporaryDirectory { folder in
      plant("1", at: folder.path("a"))
      plant("2", at: folder.path("b"))
      let strace = [
        "/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=renameat2:error=\(code)",
      ]
      let taken = try probe("rename-exclusively", folder.path, "a", ["b"], through: strace)
      #expect(taken.output == "exists: cannot rename \(folder.path)/b: File exists\n")
      #expect(content(folder.path("b")) == "2")
      let free = try probe("rename-exclusively", folder.path, "a", ["c"], through: strace)
      #expect(free.output == "done\n")
      #expect(content(folder.path("c")) == "1")
    }
  }

  private func inject(_ fault: String, _ folder: String) throws -> ChildResult {
    let strace = ["/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=\(fault)"]
    return try probe("replace", folder, "slot", ["NEW"], through: strace)
  }

  /// Which of all `openat` calls of the probe makes the temporary.
  private func ordinalOfCreation(_ folder: String) throws -> Int {
    try withTemporaryDirectory { logs in
      let log = logs.path("log")
      let strace = ["/usr/bin/strace", "-f", "-qq", "-e", "trace=openat", "-o", log]
      _ = try probe("replace", folder, "slot", ["OLD"], through: strace)
      let lines = String(decoding: try readFile(at: log, maxBytes: 1 << 20), as: UTF8.self)
        .split(separator: "\n").filter { $0.contains("openat(") }
      return try #require(lines.firstIndex { $0.contains(".tmp-") }) + 1
    }
  }

  /// The calls on `folder` and what is in it, in order.
  private func trace(
    _ verb: String, _ folder: String, _ name: String, _ rest: [String]
  ) throws -> [(call: String, line: String)] {
    try withTemporaryDirectory { logs in
      let log = logs.path("log")
      let strace = ["/usr/bin/strace", "-f", "-qq", "-y", "-e", "trace=\(Self.calls)", "-o", log]
      let result = try probe(verb, folder, name, rest, through: strace)
      #expect(result.output == "done\n")
      let text = String(decoding: try readFile(at: log, maxBytes: 1 << 20), as: UTF8.self)
      return text.split(separator: "\n").filter { $0.contains(folder) }.map { line in
        let call = line.drop { $0 != " " }.drop { $0 == " " }.prefix { $0 != "(" }
        return (String(call), String(line))
      }
    }
  }
}
