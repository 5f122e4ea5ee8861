import OTAArchive
import OTACrypto
import TestSupport
import Testing

/// Compressed forms and patches: what comes back, and what is refused before it costs anything.
@Suite("Packed files")
struct ZstdTests {
  private static let old = Fixtures.bundle(marker: "old", bytes: 200_000)
  private static let new: [UInt8] = {
    var bytes = Fixtures.bundle(marker: "old", bytes: 200_000)
    bytes.replaceSubrange(60_000..<60_010, with: Array("chapters()".utf8))
    return bytes + Array("// more".utf8)
  }()

  private func unpack(
    _ packed: [UInt8], expecting count: Int, base: [UInt8] = [], maxMemory: Int = 16 << 20, piece: Int = 1000
  ) throws -> [UInt8] {
    var rest = packed[...]
    var plain: [UInt8] = []
    try Zstd.unpack(
      expecting: count, base: base, maxMemory: maxMemory,
      read: {
        defer { rest = rest.dropFirst(piece) }
        return Array(rest.prefix(piece))
      },
      write: { span in span.withUnsafeBytes { plain += Array($0) } })
    return plain
  }

  @Test("a file and a patch come back whole, in pieces of any size", arguments: [1, 7, 1000, 1 << 20])
  func roundTrip(piece: Int) throws {
    let whole = try Zstd.pack(Self.new)
    #expect(try unpack(whole.bytes, expecting: Self.new.count, piece: piece) == Self.new)
    let patch = try Zstd.pack(Self.new, base: Self.old)
    #expect(patch.bytes.count < 200, "\(patch.bytes.count)")
    #expect(patch.memory <= Self.new.count + Self.old.count)
    #expect(try unpack(patch.bytes, expecting: Self.new.count, base: Self.old, piece: piece) == Self.new)
  }

  @Test("the same files give the same bytes")
  func deterministic() throws {
    #expect(try Zstd.pack(Self.new, base: Self.old) == Zstd.pack(Self.new, base: Self.old))
  }

  @Test("an empty file and one of a single byte come back")
  func tiny() throws {
    for bytes in [[], [UInt8(7)]] {
      #expect(try unpack(Zstd.pack(bytes).bytes, expecting: bytes.count) == bytes)
    }
  }

  @Test("a patch on another base is refused, whatever the library makes of it")
  func wrongBase() throws {
    let patch = try Zstd.pack(Self.new, base: Self.old).bytes
    var other = Self.old
    for index in stride(from: 0, to: other.count, by: 3) { other[index] ^= 1 }
    #expect(throws: ZstdError.self) { try unpack(patch, expecting: Self.new.count, base: other) }
    #expect(throws: ZstdError.self) { try unpack(patch, expecting: Self.new.count) }
  }

  @Test("every cut and every changed byte is refused or gives other bytes, and nothing crashes")
  func damage() throws {
    let patch = try Zstd.pack(Self.new, base: Self.old).bytes
    for count in 0..<patch.count {
      #expect(throws: (any Error).self, "cut at \(count)") {
        try unpack(Array(patch[..<count]), expecting: Self.new.count, base: Self.old)
      }
    }
    for index in patch.indices {
      var damaged = patch
      damaged[index] ^= 0x55
      let result = try? unpack(damaged, expecting: Self.new.count, base: Self.old)
      #expect(result != Self.new || result == nil, "byte \(index)")
    }
  }

  @Test("a bomb is refused by its head: by its size, by its window, and when it says neither")
  func bombs() throws {
    let bomb = try Zstd.pack([UInt8](repeating: 0, count: 32 << 20)).bytes
    #expect(bomb.count < 8000)
    #expect(throws: ZstdError.sizeDiffers(32 << 20, expected: 1000)) { try unpack(bomb, expecting: 1000) }
    #expect(throws: ZstdError.self) { try unpack(bomb, expecting: 32 << 20, maxMemory: 1 << 20) }
    #expect(throws: ZstdError.tooLarge(maxBytes: 1 << 20)) { try Zstd.unpack(bomb, maxBytes: 1 << 20) }
    // A window of 2 GiB and no size.
    let wide: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xA8, 0x01, 0x00, 0x00]
    #expect(throws: ZstdError.noSize) { try unpack(wide, expecting: 10) }
    // The same with a size of 300.
    let sized: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x40, 0xA8, 0x2C, 0x00, 0x01, 0x00, 0x00]
    #expect(throws: ZstdError.self) { try unpack(sized, expecting: 300) }
    #expect(throws: ZstdError.notAFrame) { try unpack(Array("<!doctype html>".utf8), expecting: 10) }
  }

  @Test("what follows a frame is refused")
  func strayEnd() throws {
    let packed = try Zstd.pack(Self.new).bytes
    #expect(throws: ZstdError.strayEnd) { try unpack(packed + [0], expecting: Self.new.count) }
    #expect(throws: ZstdError.strayEnd) { try unpack(packed + packed, expecting: Self.new.count) }
  }
}

/// The small tar of the express file.
@Suite("The small tar")
struct PlainTarTests {
  private static let entries = [
    PlainTar.Entry(name: "metadata/timestamp.json", bytes: Array("{}".utf8)),
    PlainTar.Entry(
      name: "files/releases/38/\(String(repeating: "a", count: 64)).parsers.bundle.js.1a2b3c4d.zst",
      bytes: [UInt8](repeating: 1, count: 512)),
    PlainTar.Entry(name: "empty", bytes: []),
  ]

  @Test("tar lists what was written, and reads it back")
  func peer() throws {
    let bytes = try PlainTar.encoded(Self.entries)
    #expect(try PlainTar.read(bytes) == Self.entries)
    let listed = try run("/usr/bin/env", ["tar", "tf", "-"], stdin: bytes)
    #expect(listed.output.split(separator: "\n").map(String.init) == Self.entries.map(\.name), "\(listed)")
  }

  @Test("a tar that was cut, has a broken header, a link, a name twice or an unsafe one is refused")
  func refusals() throws {
    let bytes = try PlainTar.encoded(Self.entries)
    for count in stride(from: 0, to: bytes.count - 1, by: 256) {
      #expect(throws: ArchiveError.self) { try PlainTar.read(Array(bytes[..<count])) }
    }
    // The two bytes after the digits of the sum say nothing.
    for index in 0..<263 where ![154, 155].contains(index) {
      var damaged = bytes
      damaged[index] ^= 0x20
      #expect(throws: ArchiveError.self, "byte \(index)") { try PlainTar.read(damaged) }
    }
    for name in ["../x", "/etc/passwd", "a//b", "a b", String(repeating: "n", count: 300)] {
      #expect(throws: ArchiveError.self) { try PlainTar.encoded([.init(name: name, bytes: [])]) }
    }
    #expect(throws: ArchiveError.self) { try PlainTar.encoded([Self.entries[0], Self.entries[0]]) }
    #expect(throws: ArchiveError.strayEnd) { try PlainTar.read(bytes + [1]) }
  }
}
