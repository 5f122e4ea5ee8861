import OTAFeed
import OTAStorage
import TestSupport
import Testing

/// Trusted metadata as files.
@Suite("Stored metadata")
struct DirectoryMetadataStoreTests {
  @Test("B68: every role has a file of its own inside the folder, whatever its name")
  func names() throws {
    try withTemporaryDirectory { folder in
      let store = DirectoryMetadataStore(try Directory.open(folder.path))
      let roles = ["root", "timestamp", "../x", "/x", "?", "#", "a b", "é", "e\u{301}", "%2e", "."]
      for (index, role) in roles.enumerated() { try store.store([UInt8(index)], as: .newest(role: role)) }
      for (index, role) in roles.enumerated() {
        #expect(try store.load(.newest(role: role)) == [UInt8(index)])
      }
      #expect(try folder.names().count == roles.count)
    }
  }

  @Test("the digests of roots have a name that no role can have")
  func knownRoots() throws {
    try withTemporaryDirectory { folder in
      let store = DirectoryMetadataStore(try Directory.open(folder.path))
      try store.store([1], as: .roots)
      for role in ["roots", "known-roots", "known-roots.json"] {
        try store.store([2], as: .newest(role: role))
      }
      #expect(try store.load(.roots) == [1])
    }
  }

  @Test("S6: the roots that older versions kept one by one go once their digests are kept")
  func oldRoots() throws {
    try withTemporaryDirectory { folder in
      let store = DirectoryMetadataStore(try Directory.open(folder.path))
      try store.store([2], as: .root(version: 2))
      try store.removeTemporaries()
      #expect(try folder.names() == ["roots"])
      try store.store([1], as: .roots)
      try store.removeTemporaries()
      #expect(try folder.names() == ["known-roots"])
    }
  }

  @Test("roots of older versions are read in a folder of their own")
  func roots() throws {
    try withTemporaryDirectory { folder in
      let store = DirectoryMetadataStore(try Directory.open(folder.path))
      #expect(try store.load(.root(version: 2)) == nil)
      try store.remove(.root(version: 2))
      try store.store([2], as: .root(version: 2))
      try store.store([2], as: .newest(role: "root"))
      #expect(try folder.names() == ["root.json", "roots"])
      #expect(try store.load(.root(version: 2)) == [2])
      try store.remove(.root(version: 2))
      try store.remove(.newest(role: "root"))
      #expect(try store.load(.root(version: 2)) == nil)
      #expect(try folder.names() == ["roots"])
    }
  }

  @Test("a link or a folder in place of a file is like no file; removing it leaves what it pointed to")
  func links() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      let store = DirectoryMetadataStore(directory)
      try directory.replace("elsewhere", with: [1])
      #expect(try run("/bin/ln", ["-s", "elsewhere", folder.path("timestamp.json")]).status == .exited(0))
      #expect(try store.load(.newest(role: "timestamp")) == nil)
      try store.remove(.newest(role: "timestamp"))
      #expect(try directory.read("elsewhere", maxBytes: 10) == [1])
      _ = try directory.subdirectory(creating: "snapshot.json")
      #expect(try store.load(.newest(role: "snapshot")) == nil)
    }
  }

  @Test("a name that no file system takes is like no file")
  func longName() throws {
    try withTemporaryDirectory { folder in
      let store = DirectoryMetadataStore(try Directory.open(folder.path))
      #expect(try store.load(.newest(role: String(repeating: "x", count: 300))) == nil)
    }
  }
}
