/// A tar that is put together byte by byte, so that it can hold what no writer would write.
public struct RawTar {
  /// The bytes so far, without the end.
  public private(set) var bytes: [UInt8] = []

  /// An empty tar.
  public init() {}

  /// A header and its content. `size` may contradict the content, and `type` is the letter of the format.
  public mutating func add(
    _ name: String, _ content: [UInt8] = [], type: Character = "0", link: String = "",
    mode: String = "0000644",
    size: Int? = nil, checksum: String? = nil
  ) {
    var header = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, at offset: Int) {
      for (index, byte) in text.utf8.enumerated() { header[offset + index] = byte }
    }
    func octal(_ value: Int, _ digits: Int) -> String {
      let text = String(value, radix: 8)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    let parts = Self.split(name)
    put(parts.name, at: 0)
    put(mode, at: 100)
    put("0000000", at: 108)
    put("0000000", at: 116)
    put(octal(size ?? content.count, 11), at: 124)
    put("00000000000", at: 136)
    put("        ", at: 148)
    put(String(type), at: 156)
    put(link, at: 157)
    put("ustar", at: 257)
    put("00", at: 263)
    put(parts.prefix, at: 345)
    let sum = header.reduce(0) { $0 + Int($1) }
    put(checksum ?? octal(sum, 6), at: 148)
    header[154] = 0
    bytes += header + content
    bytes += [UInt8](repeating: 0, count: (512 - content.count % 512) % 512)
  }

  /// A header of the extended format that says something of the next entry, such as its path.
  public mutating func addExtension(_ key: String, _ value: String) { addExtension([(key, value)]) }

  /// The same with several lines.
  public mutating func addExtension(_ lines: [(key: String, value: String)]) {
    var content: [UInt8] = []
    for line in lines {
      let body = " \(line.key)=\(line.value)\n"
      var length = body.utf8.count
      while "\(length)".count + body.utf8.count != length { length = "\(length)".count + body.utf8.count }
      content += Array("\(length)\(body)".utf8)
    }
    add("PaxHeader/x", content, type: "x")
  }

  /// Adds bytes as they are.
  public mutating func addRaw(_ more: [UInt8]) { bytes += more }

  /// The whole tar with its end.
  public var ended: [UInt8] { bytes + [UInt8](repeating: 0, count: 1024) }

  /// The tar with its end, in a stream that is not packed.
  public var packed: [UInt8] { rawZstandard(ended) }

  /// Names of more than 100 bytes have their first folders elsewhere.
  private static func split(_ name: String) -> (prefix: String, name: String) {
    guard name.utf8.count > 100 else { return ("", name) }
    let bytes = Array(name.utf8)
    let slash = bytes.indices.last { bytes[$0] == UInt8(ascii: "/") && $0 <= 155 && bytes.count - $0 <= 101 }
    guard let slash else { return ("", String(name.prefix(100))) }
    return (
      String(decoding: bytes[..<slash], as: UTF8.self), String(decoding: bytes[(slash + 1)...], as: UTF8.self)
    )
  }
}

/// A zstd stream of blocks that are not packed: its bytes are plain to see.
public func rawZstandard(_ bytes: [UInt8]) -> [UInt8] {
  var stream = zstandardStart
  var rest = bytes[...]
  repeat {
    let block = rest.prefix(100_000)
    rest = rest.dropFirst(block.count)
    stream += blockHeader(block.count, type: 0, isLast: rest.isEmpty) + block
  } while !rest.isEmpty
  return stream
}

/// A zstd stream that begins with these bytes and unpacks to 128 KiB of one byte for each of its blocks of four.
public func zstandardBomb(_ start: [UInt8], blocks: Int, byte: UInt8 = 0) -> [UInt8] {
  var stream = zstandardStart + blockHeader(start.count, type: 0, isLast: false) + start
  for block in 1...blocks {
    stream += blockHeader(128 << 10, type: 1, isLast: block == blocks) + [byte]
  }
  return stream
}

/// The magic number, no flags, and a window of 128 KiB.
private let zstandardStart: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38]

private func blockHeader(_ size: Int, type: Int, isLast: Bool) -> [UInt8] {
  let value = size << 3 | type << 1 | (isLast ? 1 : 0)
  return [UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value >> 16 & 0xFF)]
}
