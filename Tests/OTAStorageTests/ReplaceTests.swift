import Glibc
import OTAStorage
import TestSupport
import Testing

/// The one function that makes a file durable.
@Suite("Durable replacement")
struct ReplaceTests {
  @Test("B08: the slot has the new content and nothing else is left")
  func rightDirection() throws {
    try withTemporaryDirectory { folder in
      plant("OLD", at: folder.path("slot"))
      let directory = try Directory.open(folder.path)
      try directory.replace("slot", with: [UInt8]("NEW".utf8))
      #expect(content(folder.path("slot")) == "NEW")
      let names = try folder.names()
      #expect(names == ["slot"])
    }
  }

  @Test("an empty file and a large one arrive whole")
  func sizes() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      for size in [0, 1, 3_000_000] {
        let bytes = [UInt8](repeating: 9, count: size)
        try directory.replace("slot", with: bytes)
        let back = try directory.read("slot", exactly: size)
        #expect(back == bytes)
      }
    }
  }

  @Test(
    "B66: a thousand rewrites leave mode 0600 under every umask", arguments: ["000", "022", "077"],
    [nil, "/dev/shm"])
  func modes(umask: String, parent: String?) throws {
    try withTemporaryDirectory(in: parent) { folder in
      plant("OLD", at: folder.path("slot"))
      chmod(folder.path("slot"), 0o644)
      let shell = ["/bin/sh", "-c", "umask \(umask); exec \"$@\"", "sh"]
      let result = try probe("replace-repeatedly", folder.path, "slot", ["1000"], through: shell)
      #expect(result.output == "done\n")
      #expect(content(folder.path("slot")) == "999")
      #expect(mode(folder.path("slot")) == 0o600)
      let names = try folder.names()
      #expect(names == ["slot"])
    }
  }

  @Test("the mode asked for is the mode given", arguments: [0o600, 0o644, 0o666, 0o400])
  func otherModes(wanted: UInt32) throws {
    try withTemporaryDirectory { folder in
      try Directory.open(folder.path).replace("slot", with: [1], mode: wanted)
      #expect(mode(folder.path("slot")) == wanted)
    }
  }

  @Test("B69: a link planted in place of the name is replaced, and its target is untouched")
  func plantedLink() throws {
    try withTemporaryDirectory { folder in
      plant("VICTIM", at: folder.path("victim"))
      symlink(folder.path("victim"), folder.path("slot"))
      try Directory.open(folder.path).replace("slot", with: [UInt8]("NEW".utf8))
      #expect(content(folder.path("victim")) == "VICTIM")
      #expect(content(folder.path("slot")) == "NEW")
    }
  }

  @Test("B69: a directory planted in place of the name is an error that leaves nothing behind")
  func plantedDirectory() throws {
    try withTemporaryDirectory { folder in
      mkdir(folder.path("slot"), 0o700)
      let directory = try Directory.open(folder.path)
      #expect(
        kindOfError { try directory.replace("slot", with: [1]) } == .wrongKind)
      let names = try folder.names()
      #expect(names == ["slot"])
    }
  }

  @Test("B42: two processes that replace one name at once do not disturb each other")
  func twoWriters() throws {
    try withTemporaryDirectory(in: "/dev/shm") { folder in
      let program = try BuiltProducts.path(of: "storage-probe")
      let arguments = ["replace-repeatedly", folder.path, "slot", "500"]
      let other = try ChildProcess(program, arguments)
      #expect(try run(program, arguments).output == "done\n")
      #expect(try other.communicate([], within: .seconds(60)).output == "done\n")
      #expect(content(folder.path("slot")) == "499")
      let names = try folder.names()
      #expect(names == ["slot"])
    }
  }

  @Test("a file by its path: its directory is found, a bare slash is no name")
  func byPath() throws {
    try withTemporaryDirectory { folder in
      try durablyReplaceFile(at: folder.path("report"), with: [65], mode: 0o644)
      #expect(content(folder.path("report")) == "A")
      #expect(mode(folder.path("report")) == 0o644)
      let bad = kindOfError {
        try durablyReplaceFile(at: "\(folder.path)/", with: [])
      }
      #expect(bad == .invalidName)
      let lost = kindOfError {
        try durablyReplaceFile(at: folder.path("no/report"), with: [])
      }
      #expect(lost == .missing)
    }
  }
}
