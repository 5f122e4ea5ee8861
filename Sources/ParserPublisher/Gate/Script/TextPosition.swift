/// Turns offsets into lines and columns as people and tools count them.
struct TextPosition {
  let bytes: [UInt8]
  /// The offsets at which lines begin.
  let lineStarts: [Int]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var starts = [0]
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 0x0A) {
      starts.append(end + 1)
      rest = rest[(end + 1)...]
    }
    lineStarts = starts
  }

  /// The place of a byte: its line from 1, its column in UTF-16 units from 1.
  func place(of offset: Int, in file: String) -> Finding.Place {
    var (low, high) = (0, lineStarts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    let before = String(decoding: bytes[lineStarts[low]..<min(offset, bytes.count)], as: UTF8.self)
    return Finding.Place(file: file, line: low + 1, column: before.utf16.count + 1)
  }

  /// The text of a line, counted from 1; empty when there is none.
  func line(_ number: Int) -> String {
    guard lineStarts.indices.contains(number - 1) else { return "" }
    let end = number < lineStarts.count ? lineStarts[number] : bytes.count
    return String(decoding: bytes[lineStarts[number - 1]..<end], as: UTF8.self)
  }

  /// The offset at which a text first stands; `nil` when it stands nowhere.
  func offset(of text: [UInt8], from start: Int = 0) -> Int? {
    guard let first = text.first, text.count <= bytes.count else { return nil }
    var rest = bytes[start...]
    while let candidate = rest.firstIndex(of: first), candidate + text.count <= bytes.count {
      if bytes[candidate..<(candidate + text.count)].elementsEqual(text) { return candidate }
      rest = rest[(candidate + 1)...]
    }
    return nil
  }
}
