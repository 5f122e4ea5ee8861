/// Where the texts of functions stand in a bundle, looked up in one pass for all that are asked for.
struct MethodPlaces {
  private static let headCount = 8

  private let offsets: [Int: Int]
  private let bundle: TextPosition
  private let bundleName: String

  /// - Parameter wanted: the numbers of the texts whose places will be asked for.
  init(_ wanted: Set<Int>, of texts: [[UInt8]], in bundle: TextPosition, named bundleName: String) {
    (self.bundle, self.bundleName) = (bundle, bundleName)
    var heads: [UInt64: [Int]] = [:]
    for number in wanted.sorted() where texts[number].count >= Self.headCount {
      heads[texts[number].prefix(Self.headCount).reduce(0) { $0 << 8 | UInt64($1) }, default: []].append(
        number)
    }
    var offsets: [Int: Int] = [:]
    var head: UInt64 = 0
    for (end, byte) in bundle.bytes.enumerated() where !heads.isEmpty {
      head = head << 8 | UInt64(byte)
      guard let numbers = heads[head], end >= Self.headCount - 1 else { continue }
      let start = end - Self.headCount + 1
      for number in numbers where offsets[number] == nil && bundle.bytes[start...].starts(with: texts[number])
      {
        offsets[number] = start
      }
    }
    self.offsets = offsets
  }

  /// The place of a byte of one of the texts; the file alone when the text stands nowhere in it.
  func place(_ text: Int, _ offset: Int) -> Finding.Place {
    guard let start = offsets[text] else { return Finding.Place(file: bundleName) }
    return bundle.place(of: start + offset, in: bundleName)
  }

  /// The place of a byte of the bundle.
  func place(_ offset: Int) -> Finding.Place { bundle.place(of: offset, in: bundleName) }
}
