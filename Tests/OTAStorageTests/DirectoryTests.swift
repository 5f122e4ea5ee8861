import Glibc
import OTAStorage
import TestSupport
import Testing

/// Opening, making and looking at directories.
@Suite("Directories")
struct DirectoryTests {
  @Test(
    "B67: a name is one path component",
    arguments: ["", ".", "..", "a/b", "/etc", "../x", "a\u{0}b", String(repeating: "n", count: 256)])
  func badNames(name: String) throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      let attempts: [() throws -> Void] = [
        { _ = try directory.read(name, maxBytes: 1) },
        { _ = try directory.read(name, exactly: 1) },
        { _ = try directory.openForReading(name) },
        { try directory.replace(name, with: []) },
        { _ = try directory.createFile(name) },
        { _ = try directory.appendFile(name) },
        { _ = try directory.subdirectory(name) },
        { _ = try directory.subdirectory(creating: name) },
        { _ = try directory.kind(of: name) },
        { _ = try directory.size(of: name) },
        { try directory.remove(name) },
        { try directory.removeTree(name) },
        { try directory.rename(name, to: "x", in: directory) },
        { try directory.rename("x", to: name, in: directory) },
        { try directory.renameExclusively(name, to: "x", in: directory) },
        { try directory.renameExclusively("x", to: name, in: directory) },
        { try directory.exchange(name, with: "x") },
        { try directory.exchange("x", with: name) },
        { _ = try directory.lock(name, .shared) },
      ]
      for attempt in attempts { #expect(kindOfError(attempt) == .invalidName) }
      let names = try folder.names()
      #expect(names == [])
    }
  }

  @Test("names of 255 bytes and unusual letters are names")
  func goodNames() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      for name in [String(repeating: "n", count: 255), "...", " ", "-rf", "é", "a\\b", "a\nb"] {
        try directory.replace(name, with: [1])
        #expect(try directory.size(of: name) == 1)
      }
    }
  }

  @Test("makes missing parents with the mode asked for, and takes what exists as it is")
  func create() throws {
    try withTemporaryDirectory { folder in
      mkdir(folder.path("old"), 0o755)
      let made = try Directory.create(folder.path("old/./new/deep"), mode: 0o750)
      #expect(made.path == folder.path("old/./new/deep"))
      #expect(mode(folder.path("old")) == 0o755)
      #expect(mode(folder.path("old/new")) == 0o750)
      #expect(mode(folder.path("old/new/deep")) == 0o750)
      try made.replace("x", with: [1])
      _ = try Directory.create(folder.path("old/new/deep"), mode: 0o700)
      #expect(mode(folder.path("old/new/deep")) == 0o750)
      #expect(content(folder.path("old/new/deep/x")) == "\u{1}")
    }
  }

  @Test("a file or a dangling link where a directory should be is an error")
  func createOverOthers() throws {
    try withTemporaryDirectory { folder in
      plant("x", at: folder.path("file"))
      symlink("nowhere", folder.path("dangling"))
      #expect(
        kindOfError { _ = try Directory.open(folder.path("file")) } == .wrongKind)
      let below = kindOfError { _ = try Directory.create(folder.path("file/sub")) }
      #expect(below == .wrongKind)
      let dangling = kindOfError {
        _ = try Directory.create(folder.path("dangling"))
      }
      #expect(dangling == .missing)
      #expect(
        kindOfError { _ = try Directory.open(folder.path("gone")) } == .missing)
      #expect(kindOfError { _ = try Directory.open("") } == .missing)
      #expect(kindOfError { _ = try Directory.create("") } == .missing)
      #expect(kindOfError { _ = try Directory.open("/tmp\u{0}x") } == .invalidName)
    }
  }

  @Test("B45: a store behind a symbolic link works, a subdirectory that is one does not")
  func links() throws {
    try withTemporaryDirectory { folder in
      mkdir(folder.path("real"), 0o700)
      symlink("real", folder.path("store"))
      try Directory.open(folder.path("store")).replace("slot", with: [65])
      try Directory.create(folder.path("store/sub")).replace("slot", with: [66])
      #expect(content(folder.path("real/slot")) == "A")
      #expect(content(folder.path("real/sub/slot")) == "B")
      let root = try Directory.open(folder.path)
      #expect(kindOfError { _ = try root.subdirectory("store") } == .wrongKind)
      #expect(
        kindOfError { _ = try root.subdirectory(creating: "store") } == .wrongKind)
    }
  }

  @Test("subdirectories are made once, with the mode asked for")
  func subdirectories() throws {
    try withTemporaryDirectory { folder in
      let root = try Directory.open(folder.path)
      #expect(kindOfError { _ = try root.subdirectory("sub") } == .missing)
      let made = try root.subdirectory(creating: "sub", mode: 0o755)
      try made.replace("x", with: [1])
      #expect(made.path == folder.path("sub"))
      #expect(try root.subdirectory(creating: "sub").entries().map(\.name) == ["x"])
      #expect(mode(folder.path("sub")) == 0o755)
    }
  }

  @Test("entries come in byte order with their kinds")
  func entries() throws {
    try withTemporaryDirectory { folder in
      for name in ["b", "B", "10", "9", "é", ".hidden"] { plant("x", at: folder.path(name)) }
      mkdir(folder.path("directory"), 0o700)
      symlink("/etc", folder.path("link"))
      mkfifo(folder.path("pipe"), 0o600)
      let directory = try Directory.open(folder.path)
      for _ in 0..<2 {
        let entries = try directory.entries()
        #expect(entries.map(\.name) == [".hidden", "10", "9", "B", "b", "directory", "link", "pipe", "é"])
        #expect(entries[5].kind == .directory && entries[6].kind == .symlink)
        #expect(entries[7].kind == .other && entries[0].kind == .file)
      }
      #expect(try directory.kind(of: "link") == .symlink)
      #expect(try directory.kind(of: "pipe") == .other)
      #expect(try directory.kind(of: "directory") == .directory)
      #expect(try directory.kind(of: "gone") == nil)
      #expect(try directory.size(of: "b") == 1)
      #expect(try directory.size(of: "gone") == nil)
      #expect(kindOfError { _ = try directory.size(of: "link") } == .wrongKind)
    }
  }

  @Test("a directory stays the same one when its path is taken over")
  func movedAway() throws {
    try withTemporaryDirectory { folder in
      let store = try Directory.create(folder.path("store"))
      rename(folder.path("store"), folder.path("moved"))
      mkdir(folder.path("store"), 0o700)
      try store.replace("slot", with: [65])
      #expect(content(folder.path("moved/slot")) == "A")
      #expect(content(folder.path("store/slot")) == nil)
    }
  }

  @Test(
    "B69: a directory in which others can plant names is refused",
    arguments: [(0o700, true), (0o755, true), (0o770, false), (0o707, false), (0o1777, false)]
      as [(UInt32, Bool)])
  func privateModes(permissions: UInt32, accepted: Bool) throws {
    try withTemporaryDirectory { folder in
      chmod(folder.path, permissions)
      let directory = try Directory.open(folder.path)
      let kind = kindOfError { try directory.checkPrivate() }
      #expect(kind == (accepted ? nil : .untrustedOwner))
    }
  }

  @Test(
    "B69: a directory of another user is refused", .enabled(if: geteuid() == 0, "needs root to give one away")
  )
  func foreignOwner() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.create(folder.path("store"))
      chown(folder.path("store"), 65_534, 65_534)
      #expect(kindOfError { try directory.checkPrivate() } == .untrustedOwner)
    }
  }

  @Test("free space is what the system says")
  func freeBytes() throws {
    let free = try Directory.open("/dev/shm").freeBytes()
    let told = try run("/bin/df", ["--output=avail", "-B1", "/dev/shm"]).output
    let number = try #require(told.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) })
    // Other programs use the same space between the two looks.
    #expect(abs(free - number) < number / 2)
  }
}
