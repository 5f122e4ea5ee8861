import TestSupport
import Testing

@testable import OTAArchive

@Suite("An archive that we write is read as it was written")
struct WrittenArchiveTests {
  private static let files: [(String, [UInt8])] = [
    ("metadata/1.root.json", Array("{}".utf8)), ("empty", []),
    ("files/releases/9007199254740991/\(String(repeating: "a", count: 64)).parsers.bundle.js", [1, 2, 3]),
    ("large", (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }),
  ]

  static func written(_ files: [(String, [UInt8])], date: Int64 = 1_800_000_000) throws -> [UInt8] {
    var writer = try ArchiveWriter(date: date, totalBytes: files.map(\.1.count).reduce(0, +))
    for (name, bytes) in files { try writer.add(name, bytes) }
    return try writer.finish()
  }

  @Test("The files come back, in their order, with their bytes")
  func roundTrip() throws {
    let found = try contents(of: Self.written(Self.files))
    #expect(found.map(\.name) == Self.files.map(\.0))
    #expect(found.map(\.bytes) == Self.files.map(\.1))
  }

  @Test("The same files are the same bytes; another date is seen")
  func sameBytes() throws {
    #expect(try Self.written(Self.files) == Self.written(Self.files))
    #expect(try Self.written(Self.files) != Self.written(Self.files, date: 0))
    #expect(try Self.written(Self.files, date: -5) == Self.written(Self.files, date: 0), "a date before 1970")
  }

  @Test("A huge file takes another level, and comes back too")
  func huge() throws {
    let huge = [UInt8](repeating: 0x20, count: 9 << 20)
    let found = try contents(of: Self.written([("huge", huge)]))
    #expect(found.first?.bytes == huge)
  }

  @Test("A name that a reader refuses is not written", arguments: ["../x", "/x", "", "a//b", "é"])
  func unsafeName(name: String) throws {
    var writer = try ArchiveWriter(date: 0, totalBytes: 0)
    #expect(throws: ArchiveError.unsafeName(name)) { try writer.add(name, []) }
    try writer.add("a", [])
    #expect(throws: ArchiveError.duplicateName("a")) { try writer.add("a", []) }
  }

  @Test("An archive that is cut anywhere is refused")
  func cut() throws {
    let whole = try Self.written([("a.js", Array("let a = 1".utf8)), ("b.json", Array("[]".utf8))])
    for count in 0..<whole.count {
      #expect(throws: ArchiveError.self, "cut to \(count) bytes") {
        try contents(of: Array(whole.prefix(count)))
      }
    }
    #expect(try contents(of: whole).count == 2)
    #expect(throws: ArchiveError.cutShort) { try contents(of: Array(whole.dropLast())) }
  }

  @Test("An archive with anything behind it is refused")
  func behind() throws {
    let whole = try Self.written([("a.js", [1])])
    for more in [[0], [0x50], Array("garbage".utf8), whole] {
      #expect(throws: ArchiveError.self, "\(more.count) bytes more") { try contents(of: whole + more) }
    }
  }
}

@Suite("A hostile archive is refused, and it is said why")
struct HostileArchiveTests {
  struct Evil: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let error: ArchiveError
    let archive: [UInt8]

    init(_ what: String, _ error: ArchiveError, _ build: (inout RawTar) -> Void) {
      var tar = RawTar()
      tar.add("good.json", Array("[]".utf8))
      build(&tar)
      self.init(what, error, packed: tar.packed)
    }

    init(_ what: String, _ error: ArchiveError, packed: [UInt8]) {
      (testDescription, self.error, archive) = (what, error, packed)
    }
  }

  private static let long = String(repeating: "a", count: 60) + "/" + String(repeating: "b", count: 200)

  static let names =
    [
      "/etc/passwd", "../x", "a/../../x", "a/..", "./a.js", ".", "..", "a//b", "a\\b", "a b", "a\nb",
      "a:b", "é", "C:\\x",
    ].map { name in Evil("the name \(name.debugDescription)", .unsafeName(name)) { $0.add(name, [1]) } }
    + [
      Evil("a path from an extension", .unsafeName("../../x")) {
        $0.addExtension("path", "../../x")
        $0.add("fine", [1])
      },
      Evil("a path that is too long", .unsafeName(long)) {
        $0.addExtension("path", long)
        $0.add("fine", [1])
      },
      Evil("a zero byte in a name", .unsafeName("")) { $0.add("a\0b", [1]) },
      Evil("a zero byte in a path from an extension", .unsafeName("")) {
        $0.addExtension("path", "a.js\0../../x")
        $0.add("fine", [1])
      },
      Evil("one name twice", .duplicateName("a.js")) {
        $0.add("a.js", [1])
        $0.add("a.js", [2])
      },
      Evil("one name twice, as a dot path", .unsafeName("./good.json")) { $0.add("./good.json", [1]) },
      Evil("names that differ in case", .sameNameInOtherCase("good.json", "Good.JSON")) {
        $0.add("Good.JSON", [1])
      },
    ]

  static let kinds = [
    Evil("a symbolic link", .link("a")) { $0.add("a", type: "2", link: "/etc") },
    Evil("a link and a file through it", .link("a")) {
      $0.add("a", type: "2", link: "/tmp")
      $0.add("a/x", [1])
    },
    Evil("a hard link out", .link("a")) { $0.add("a", type: "1", link: "/etc/passwd") },
    Evil("a hard link to a file of the archive", .link("a")) { $0.add("a", type: "1", link: "good.json") },
    Evil("a hard link with an unsafe name", .link("../a")) { $0.add("../a", type: "1", link: "x") },
    Evil("a link with a path from an extension", .link("a")) {
      $0.addExtension("linkpath", "/etc/passwd")
      $0.add("a", type: "2")
    },
    Evil("a folder", .notAFile("a/")) { $0.add("a/", type: "5") },
    Evil("a character device", .notAFile("a")) { $0.add("a", type: "3") },
    Evil("a block device", .notAFile("a")) { $0.add("a", type: "4") },
    Evil("a pipe", .notAFile("a")) { $0.add("a", type: "6") },
    Evil("a file that sets its user", .specialMode("a")) { $0.add("a", [1], mode: "0004755") },
    Evil("a file that sets its group", .specialMode("a")) { $0.add("a", [1], mode: "0002755") },
    Evil("a sparse file", .sparse("a")) {
      $0.addExtension([("GNU.sparse.map", "0,1,1048576,0"), ("GNU.sparse.size", "1048576")])
      $0.add("a", [1])
    },
  ]

  static let sizes = [
    Evil("more files than any release has", .tooManyEntries(max: 512)) {
      for number in 0..<600 { $0.add("f\(number)") }
    },
    Evil("a file that says it is huge", .entryTooLarge(name: "a", maxBytes: 64 << 20)) {
      $0.add("a", size: 65 << 20)
    },
    Evil(
      "a bomb in its last file", .entryTooLarge(name: "a", maxBytes: 64 << 20), packed: bomb("a", 200 << 20)),
    Evil(
      "zeros without an end", .tooLarge(maxBytes: 112 << 20), packed: zstandardBomb(good.ended, blocks: 2000)),
    Evil("a header without an end", .damaged(""), packed: endlessHeader),
    Evil("a stream in a stream", .notAnArchive, packed: rawZstandard(good.packed)),
    Evil("nothing", .notAnArchive, packed: []),
    Evil("a tar that is not packed", .notAnArchive, packed: good.ended),
    Evil(
      "another packing", .notAnArchive,
      packed: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
  ]

  static let broken = [
    Evil("a header with a wrong sum", .damaged("")) { $0.add("a", [1], checksum: "000000") },
    Evil("no end", .strayEnd, packed: rawZstandard(good.bytes)),
    Evil("bytes behind the end", .strayEnd, packed: rawZstandard(good.ended + [1])),
    Evil("a file behind the end", .strayEnd, packed: rawZstandard(good.ended + good.ended)),
    Evil("a file that is cut", .damaged(""), packed: rawZstandard(Array(good.bytes.prefix(512 + 1)))),
    Evil("a size that is too small", .damaged("")) {
      $0.add("a", [UInt8](repeating: 0x41, count: 2000), size: 10)
    },
    Evil("text in the place of a tar", .damaged(""), packed: rawZstandard(Array("hello".utf8))),
  ]

  private static var good: RawTar {
    var tar = RawTar()
    tar.add("good.json", Array("[]".utf8))
    return tar
  }

  private static func bomb(_ name: String, _ bytes: Int) -> [UInt8] {
    var tar = RawTar()
    tar.add(name, size: bytes)
    return zstandardBomb(tar.bytes, blocks: bytes >> 17)
  }

  /// An extension of many megabytes, as a place to hide a bomb in.
  private static var endlessHeader: [UInt8] {
    var tar = RawTar()
    tar.add("x", type: "x", size: 200 << 20)
    return zstandardBomb(tar.bytes, blocks: 1600, byte: 0x41)
  }

  @Test("B68: unsafe names", arguments: names) func name(evil: Evil) { expectRefused(evil) }
  @Test("B68: links, devices and special modes", arguments: kinds) func kind(evil: Evil) {
    expectRefused(evil)
  }
  @Test("B68: too many, too large, too deep", arguments: sizes) func size(evil: Evil) { expectRefused(evil) }
  @Test("B68: broken tars", arguments: broken) func damage(evil: Evil) { expectRefused(evil) }

  private func expectRefused(_ evil: Evil) {
    do {
      _ = try contents(of: evil.archive)
      Issue.record("it was read")
    } catch ArchiveError.damaged(let text) {
      // The words are those of the library.
      if case .damaged = evil.error { return }
      Issue.record("damaged: \(text)")
    } catch {
      #expect(error == evil.error)
    }
  }

  @Test("An archive larger than any is not even looked at")
  func packedSize() {
    var limits = ArchiveLimits()
    limits.maxPackedBytes = 10
    #expect(throws: ArchiveError.tooLarge(maxBytes: 10)) {
      try ArchiveBytes([UInt8](repeating: 0, count: 11), limits: limits)
    }
  }

  @Test("What is passed over counts as much as what is read")
  func skipped() throws {
    var tar = RawTar()
    tar.add("a", [UInt8](repeating: 1, count: 5000))
    tar.add("b", [2])
    var reader = try ArchiveReader(ArchiveBytes(tar.packed))
    #expect(try reader.next()?.bytes == 5000)
    #expect(try reader.next()?.name == "b")
    #expect(try reader.read() == [2])
    #expect(try reader.read() == [])
    #expect(try reader.next() == nil)
    try reader.finish()
  }
}

/// Everything in an archive, which is to be whole.
func contents(of archive: [UInt8]) throws(ArchiveError) -> [(name: String, bytes: [UInt8])] {
  var reader = try ArchiveReader(ArchiveBytes(archive))
  var found: [(name: String, bytes: [UInt8])] = []
  while let entry = try reader.next() {
    var bytes: [UInt8] = []
    while true {
      let chunk = try reader.read()
      if chunk.isEmpty { break }
      bytes += chunk
    }
    found.append((entry.name, bytes))
  }
  try reader.finish()
  return found
}
