/// The bracket that most likely lacks its other half, judged by how lines are indented.
///
/// A parser notices a missing bracket where nothing fits any more, which may be the end of the file.
struct BracketSuspect: Equatable {
  /// Whether it was opened and not closed, rather than closed once too often.
  let isOpen: Bool
  /// Where it stands, in bytes.
  let offset: Int

  /// The first suspect of a script; `nil` when every bracket has its other half where the lines say.
  init?(in script: [UInt8]) {
    var scanner = ScriptScanner(script)
    var lines = Lines(script)
    var open: [(sign: UInt8, offset: Int, indent: Int)] = []
    while let token = scanner.next() {
      let start = token.range.lowerBound
      guard case .punctuator(let sign) = token.kind else { continue }
      if let closing = Self.pairs[sign] {
        open.append((closing, start, lines.indent(at: start).columns))
        continue
      }
      guard Self.pairs.values.contains(sign) else { continue }
      guard let last = open.last else {
        (isOpen, offset) = (false, start)
        return
      }
      let (columns, isFirst) = lines.indent(at: start)
      if last.sign != sign || isFirst && columns < last.indent {
        (isOpen, offset) = (true, last.offset)
        return
      }
      if isFirst, columns > last.indent {
        (isOpen, offset) = (false, start)
        return
      }
      open.removeLast()
    }
    guard let last = open.last else { return nil }
    (isOpen, offset) = (true, last.offset)
  }

  private static let pairs: [UInt8: UInt8] = [
    UInt8(ascii: "("): UInt8(ascii: ")"), UInt8(ascii: "["): UInt8(ascii: "]"),
    UInt8(ascii: "{"): UInt8(ascii: "}"),
  ]

  /// The indentation of the lines of a script, asked for from its beginning on.
  private struct Lines {
    private let script: [UInt8]
    private var start = 0
    private var next = 0

    init(_ script: [UInt8]) { self.script = script }

    /// How far the line of a byte is indented, and whether the byte is the first of it.
    mutating func indent(at offset: Int) -> (columns: Int, isFirst: Bool) {
      while next < offset {
        if script[next] == 0x0A { start = next + 1 }
        next += 1
      }
      let columns = script[start..<offset].prefix { $0 == 0x20 || $0 == 0x09 }.count
      return (columns, start + columns == offset)
    }
  }
}
