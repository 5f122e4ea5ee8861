import Glibc
import OTAStorage
import TestSupport
import Testing

/// Reading, writing in pieces, moving and removing.
@Suite("Files")
struct FileTests {
  @Test("a read within the limit gives all, one byte over the limit nothing")
  func limits() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      let bytes = randomBytes(200_000)
      try directory.replace("x", with: bytes)
      #expect(try directory.read("x", maxBytes: 200_000) == bytes)
      #expect(try directory.read("x", maxBytes: .max) == bytes)
      #expect(
        kindOfError { _ = try directory.read("x", maxBytes: 199_999) } == .tooLarge
      )
      #expect(try directory.read("x", exactly: 200_000) == bytes)
      for wrong in [0, 199_999, 200_001] {
        let kind = kindOfError { _ = try directory.read("x", exactly: wrong) }
        #expect(kind == .sizeDiffers)
      }
      try directory.replace("empty", with: [])
      #expect(try directory.read("empty", exactly: 0) == [])
      #expect(try directory.read("empty", maxBytes: 0) == [])
      #expect(kindOfError { _ = try directory.read("empty", maxBytes: -1) } == .tooLarge)
    }
  }

  @Test("a file whose size the system does not tell is read to its end, within the limit")
  func sizeless() throws {
    let status = try Directory.open("/proc/self").read("status", maxBytes: 100_000)
    #expect(String(decoding: status, as: UTF8.self).contains("VmRSS"))
    let kind = kindOfError {
      _ = try readFile(at: "/proc/self/status", maxBytes: 10)
    }
    #expect(kind == .tooLarge)
  }

  @Test("B69: pipes, directories and links are not read, and none of them hangs")
  func wrongKinds() throws {
    try withTemporaryDirectory { folder in
      mkdir(folder.path("directory"), 0o700)
      mkfifo(folder.path("pipe"), 0o600)
      plant("VICTIM", at: folder.path("victim"))
      symlink("victim", folder.path("link"))
      let directory = try Directory.open(folder.path)
      for name in ["directory", "pipe", "link"] {
        #expect(
          kindOfError { _ = try directory.read(name, maxBytes: 9) } == .wrongKind)
        #expect(
          kindOfError { _ = try directory.read(name, exactly: 6) } == .wrongKind)
        #expect(
          kindOfError { _ = try directory.openForReading(name) } == .wrongKind)
        #expect(kindOfError { _ = try directory.appendFile(name) } == .wrongKind)
        #expect(kindOfError { _ = try directory.createFile(name) } == .exists)
      }
      #expect(content(folder.path("victim")) == "VICTIM")
      #expect(
        kindOfError { _ = try directory.read("gone", maxBytes: 9) } == .missing)
    }
  }

  @Test("a file that a person named may be a link, not a directory, pipe or device")
  func byPath() throws {
    try withTemporaryDirectory { folder in
      plant("text", at: folder.path("file"))
      symlink("file", folder.path("link"))
      mkfifo(folder.path("pipe"), 0o600)
      let text = try readFile(at: folder.path("link"), maxBytes: 4)
      #expect(text == [UInt8]("text".utf8))
      for path in [folder.path, folder.path("pipe"), "/dev/zero"] {
        let kind = kindOfError { _ = try readFile(at: path, maxBytes: 9) }
        #expect(kind == .wrongKind, "\(path)")
      }
    }
  }

  @Test("a stream reads what a stream wrote")
  func streams() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      let bytes = randomBytes(200_000)
      var writer = try directory.createFile("x")
      for start in stride(from: 0, to: bytes.count, by: 70_000) {
        try writer.write(bytes.span.extracting(start..<min(start + 70_000, bytes.count)).bytes)
      }
      let written = writer.bytesWritten
      #expect(written == 200_000)
      try writer.finish()
      #expect(mode(folder.path("x")) == 0o600)
      var reader = try directory.openForReading("x")
      var pieces: [[UInt8]] = []
      while case let piece = try reader.read(), !piece.isEmpty { pieces.append(piece) }
      let size = reader.size
      #expect(size == 200_000)
      #expect(pieces.map(\.count) == [65_536, 65_536, 65_536, 3392])
      #expect(pieces.flatMap(\.self) == bytes)
      let again = kindOfError { _ = try directory.createFile("x") }
      #expect(again == .exists)
    }
  }

  @Test("a partial file goes on where it ended, or where it is cut")
  func appending() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      var first = try directory.appendFile("x", mode: 0o640)
      try first.write([UInt8]("abc".utf8))
      try first.finish()
      var second = try directory.appendFile("x")
      let before = second.size
      #expect(before == 3)
      try second.write([UInt8]("def".utf8))
      let (total, added) = (second.size, second.bytesWritten)
      #expect(total == 6)
      #expect(added == 3)
      try second.truncate(to: 2)
      try second.write([UInt8]("Z".utf8))
      try second.sync()
      try second.finish()
      #expect(content(folder.path("x")) == "abZ")
      #expect(mode(folder.path("x")) == 0o640)
    }
  }

  @Test("a name moves between directories; a taken one is replaced only where that was asked for")
  func renaming() throws {
    try withTemporaryDirectory { folder in
      let from = try Directory.create(folder.path("from"))
      let to = try Directory.create(folder.path("to"))
      for name in ["a", "b"] { try from.replace(name, with: [UInt8](name.utf8)) }
      try from.renameExclusively("a", to: "x", in: to)
      #expect(
        kindOfError { try from.renameExclusively("b", to: "x", in: to) } == .exists
      )
      #expect(content(folder.path("to/x")) == "a")
      try from.rename("b", to: "x", in: to)
      #expect(content(folder.path("to/x")) == "b")
      #expect(kindOfError { try from.rename("b", to: "x", in: to) } == .missing)
      #expect(
        kindOfError { try from.renameExclusively("b", to: "y", in: to) }
          == .missing)
      _ = try to.subdirectory(creating: "empty")
      _ = try to.subdirectory(creating: "new")
      let onto = kindOfError {
        try to.renameExclusively("new", to: "empty", in: to)
      }
      #expect(onto == .exists)
      try from.sync()
    }
  }

  @Test("two folders change places in one step, and both must be there")
  func exchanging() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      for name in ["old", "new"] {
        try directory.subdirectory(creating: name).replace("file", with: [UInt8](name.utf8))
      }
      try directory.exchange("new", with: "old")
      #expect(content(folder.path("old/file")) == "new" && content(folder.path("new/file")) == "old")
      #expect(kindOfError { try directory.exchange("new", with: "missing") } == .missing)
      let names = try folder.names()
      #expect(names == ["new", "old"])
    }
  }

  @Test("removing says whether there was something, and never follows a link")
  func removing() throws {
    try withTemporaryDirectory { folder in
      plant("VICTIM", at: folder.path("victim"))
      symlink("victim", folder.path("link"))
      mkdir(folder.path("directory"), 0o700)
      let directory = try Directory.open(folder.path)
      #expect(try directory.remove("link"))
      #expect(try directory.remove("link") == false)
      #expect(kindOfError { try directory.remove("directory") } == .wrongKind)
      #expect(content(folder.path("victim")) == "VICTIM")
    }
  }

  @Test("B69: removing a tree takes links away and leaves what they point to")
  func removingTrees() throws {
    try withTemporaryDirectory { folder in
      mkdir(folder.path("outside"), 0o700)
      plant("VICTIM", at: folder.path("outside/victim"))
      let tree = try Directory.create(folder.path("tree/a/b"))
      try tree.replace("file", with: [1])
      symlink("../../../outside", folder.path("tree/a/b/link"))
      mkfifo(folder.path("tree/a/pipe"), 0o600)
      // A name that is not UTF-8 must go as well.
      _ = try run("/bin/sh", ["-c", "touch \"$(printf '\\377\\376')\""], directory: folder.path("tree"))
      symlink("outside", folder.path("top"))
      let directory = try Directory.open(folder.path)
      try directory.removeTree("tree")
      try directory.removeTree("top")
      try directory.removeTree("gone")
      let names = try folder.names()
      #expect(names == ["outside"])
      #expect(content(folder.path("outside/victim")) == "VICTIM")
    }
  }

  @Test("a tree that is too deep is left with an error")
  func deepTrees() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      let path = (0..<Directory.maxTreeDepth).map { "d\($0)" }.joined(separator: "/")
      _ = try Directory.create(folder.path(path))
      try directory.removeTree("d0")
      _ = try Directory.create(folder.path(path + "/one/more"))
      #expect(kindOfError { try directory.removeTree("d0") } == .wrongKind)
    }
  }

  @Test("leftovers of killed replacements go, everything else stays")
  func temporaries() throws {
    try withTemporaryDirectory { folder in
      for name in [".tmp-0123", ".tmp-", "slot", "x.tmp-1"] { plant("x", at: folder.path(name)) }
      mkdir(folder.path(".tmp-directory"), 0o700)
      try Directory.open(folder.path).removeTemporaries()
      let names = try folder.names()
      #expect(names == [".tmp-directory", "slot", "x.tmp-1"])
    }
  }
}
