/// A tar of a few small files in memory, as `tar tf` lists it: fixed modes, no owners, no dates.
///
/// For what is read at every check, where loading libarchive would cost more than the file is worth.
package enum PlainTar {
  /// One file.
  package struct Entry: Equatable, Sendable {
    package let name: String
    package let bytes: [UInt8]

    /// Names a file.
    package init(name: String, bytes: [UInt8]) {
      self.name = name
      self.bytes = bytes
    }
  }

  private static let blockBytes = 512
  private static let maxEntries = 256
  /// The places of the fields of a header that are used.
  private enum Field {
    static let name = 0..<100
    static let mode = 100..<108
    static let owner = 108..<116
    static let group = 116..<124
    static let size = 124..<136
    static let date = 136..<148
    static let sum = 148..<156
    static let kind = 156
    static let magic = 257..<265
    static let prefix = 345..<500
  }
  private static let magic = Array("ustar\u{0}00".utf8)

  // MARK: Writing

  /// The tar of these files; the same files give the same bytes.
  ///
  /// - Throws: `unsafeName` or `duplicateName` for a name that a reader would refuse, also for one that is too long.
  package static func encoded(_ entries: [Entry]) throws(ArchiveError) -> [UInt8] {
    var names = EntryNames()
    var bytes: [UInt8] = []
    for entry in entries {
      try names.add(entry.name)
      bytes += try header(entry)
      bytes += entry.bytes
      bytes += [UInt8](repeating: 0, count: padding(entry.bytes.count))
    }
    return bytes + [UInt8](repeating: 0, count: 2 * blockBytes)
  }

  private static func padding(_ count: Int) -> Int { (blockBytes - count % blockBytes) % blockBytes }

  private static func header(_ entry: Entry) throws(ArchiveError) -> [UInt8] {
    var block = [UInt8](repeating: 0, count: blockBytes)
    func put(_ text: [UInt8], _ field: Range<Int>) {
      block.replaceSubrange(field.lowerBound..<field.lowerBound + text.count, with: text)
    }
    let (prefix, name) = try split(Array(entry.name.utf8))
    put(name, Field.name)
    put(prefix, Field.prefix)
    put(octal(0o644, 7), Field.mode)
    put(octal(0, 7), Field.owner)
    put(octal(0, 7), Field.group)
    put(octal(entry.bytes.count, 11), Field.size)
    put(octal(0, 11), Field.date)
    put(magic, Field.magic)
    block[Field.kind] = UInt8(ascii: "0")
    put(octal(sum(block), 6) + [0, UInt8(ascii: " ")], Field.sum)
    return block
  }

  /// A long name goes into two fields, at a slash.
  private static func split(_ name: [UInt8]) throws(ArchiveError) -> (prefix: [UInt8], name: [UInt8]) {
    guard name.count > Field.name.count else { return ([], name) }
    guard let slash = name.lastIndex(of: UInt8(ascii: "/")), slash <= Field.prefix.count,
      name.count - slash - 1 <= Field.name.count
    else { throw .unsafeName(String(decoding: name, as: UTF8.self)) }
    return (Array(name[..<slash]), Array(name[(slash + 1)...]))
  }

  private static func octal(_ value: Int, _ digits: Int) -> [UInt8] {
    let text = String(value, radix: 8)
    return Array((String(repeating: "0", count: max(0, digits - text.count)) + text).utf8)
  }

  /// The sum of a header's bytes, with its own field taken for spaces.
  private static func sum(_ block: some Collection<UInt8>) -> Int {
    var sum = 0
    for (index, byte) in block.enumerated() { sum += Field.sum.contains(index) ? 0x20 : Int(byte) }
    return sum
  }

  // MARK: Reading

  /// Reads a tar that holds plain files alone, each name once.
  ///
  /// - Throws: `ArchiveError` that says why the tar is refused as a whole.
  package static func read(_ bytes: [UInt8]) throws(ArchiveError) -> [Entry] {
    var names = EntryNames()
    var entries: [Entry] = []
    var at = 0
    while true {
      guard at + blockBytes <= bytes.count else { throw .cutShort }
      let block = Array(bytes[at..<at + blockBytes])
      at += blockBytes
      if block.allSatisfy({ $0 == 0 }) { break }
      let (name, size) = try head(block)
      try names.add(name)
      guard entries.count < maxEntries else { throw .tooManyEntries(max: maxEntries) }
      guard size <= bytes.count - at else { throw .cutShort }
      entries.append(Entry(name: name, bytes: Array(bytes[at..<at + size])))
      at += size + padding(size)
    }
    // A tar ends with two blocks of zeros: one that was cut between two files has none.
    guard at + blockBytes <= bytes.count else { throw .cutShort }
    guard bytes[at...].allSatisfy({ $0 == 0 }) else { throw .strayEnd }
    return entries
  }

  private static func head(_ block: [UInt8]) throws(ArchiveError) -> (name: String, size: Int) {
    guard Array(block[Field.magic]) == magic, number(block[Field.sum]) == sum(block) else {
      throw .damaged("a header is broken")
    }
    let prefix = text(block[Field.prefix])
    let name = (prefix.isEmpty ? "" : prefix + "/") + text(block[Field.name])
    switch block[Field.kind] {
    case UInt8(ascii: "0"): break
    case UInt8(ascii: "1"), UInt8(ascii: "2"): throw .link(name)
    default: throw .notAFile(name)
    }
    guard let size = number(block[Field.size]) else { throw .damaged("\(name) has no size") }
    return (name, size)
  }

  private static func text(_ field: ArraySlice<UInt8>) -> String {
    String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Octal digits up to a zero byte or a space.
  private static func number(_ field: ArraySlice<UInt8>) -> Int? {
    let digits = field.prefix { $0 != 0 && $0 != 0x20 }
    guard !digits.isEmpty, digits.count <= 11 else { return nil }
    var value = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) else { return nil }
      value = value << 3 | Int(digit & 7)
    }
    return value
  }
}
