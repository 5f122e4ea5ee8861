internal import OTAManifest

/// A bundle whose blocks say that they ran and whose `catch` clauses say what they caught, with the way back to the places
/// of its own text.
///
/// No line moves. What the scanner takes for a block and is none would break the text, so the text is only used when the
/// engine parses it; until then everything else here is right for the bundle as it is.
struct InstrumentedBundle {
  /// A stretch of code that runs as a whole, and the number under which it says so.
  struct Block: Equatable {
    let range: Range<Int>
    /// The class around it; `nil` outside of classes.
    let className: String?
  }

  /// A literal that is handed to a method that takes selectors.
  struct SelectorLiteral: Equatable {
    let text: String
    let offset: Int
  }

  /// A class that stands in no other, from its first word to its last brace.
  struct OuterClass: Equatable {
    let name: String?
    let range: Range<Int>
  }

  /// A place where a class is used by its name.
  struct ClassUse: Equatable {
    let name: String
    /// The class around it; `nil` outside of classes.
    let user: String?
  }

  private struct Insertion {
    /// Where in the text of the bundle it stands.
    let offset: Int
    let text: String
  }

  let blocks: [Block]
  let selectors: [SelectorLiteral]
  /// Classes in the order of the text.
  let classes: [OuterClass]
  /// Uses of these classes by other code, other than where they are listed or made.
  let classUses: [ClassUse]
  /// Names that the code may give a value to in some way, other than as a method of a class.
  let settableNames: Set<String>
  /// Those of them that are assigned as members, or stand in the code as texts: any object may get them.
  let assignedNames: Set<String>
  /// The places where text is evaluated as code.
  private let evaluations: [Int]
  private let insertions: [Insertion]
  let positions: TextPosition

  init(_ bundle: TextPosition) {
    var reader = InstrumentReader(bundle.bytes)
    reader.read()
    positions = bundle
    blocks = reader.blocks
    selectors = reader.selectors
    classes = reader.classes
    classUses = reader.classUses
    settableNames = reader.settable
    assignedNames = reader.assigned
    evaluations = reader.evaluations
    insertions = reader.insertions.map { Insertion(offset: $0.offset, text: $0.text) }
  }

  /// The bundle with everything put in.
  var text: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(positions.bytes.count + insertions.count * 24)
    var start = 0
    for insertion in insertions {
      bytes += positions.bytes[start..<insertion.offset]
      bytes += Array(insertion.text.utf8)
      start = insertion.offset
    }
    bytes += positions.bytes[start...]
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The column in the bundle of a column in the text with everything put in; both from 1.
  func column(_ column: Int, inLine line: Int) -> Int {
    guard line >= 1, line <= positions.lineStarts.count else { return column }
    let start = positions.lineStarts[line - 1]
    let end = line < positions.lineStarts.count ? positions.lineStarts[line] : positions.bytes.count + 1
    var shift = 0
    var index = firstInsertion(from: start)
    while index < insertions.count, insertions[index].offset < end {
      let insertion = insertions[index]
      let before = String(decoding: positions.bytes[start..<insertion.offset], as: UTF8.self).utf16.count
      guard before + shift < column - 1 else { break }
      shift += insertion.text.utf8.count
      index += 1
    }
    return max(1, column - shift)
  }

  /// The class around an offset that stands in no other class.
  func outerClass(at offset: Int) -> OuterClass? {
    var (low, high) = (0, classes.count)
    while low < high {
      let middle = (low + high) / 2
      if classes[middle].range.upperBound <= offset { low = middle + 1 } else { high = middle }
    }
    return low < classes.count && classes[low].range.contains(offset) ? classes[low] : nil
  }

  private func firstInsertion(from offset: Int) -> Int {
    var (low, high) = (0, insertions.count)
    while low < high {
      let middle = (low + high) / 2
      if insertions[middle].offset < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Whether anything in it evaluates text as code.
  var evaluatesAnything: Bool { !evaluations.isEmpty }

  /// Whether code that stands at a line, or the class around it, evaluates text as code.
  func evaluatesText(aroundLine line: Int) -> Bool {
    guard !evaluations.isEmpty, line >= 1, line <= positions.lineStarts.count else { return false }
    let start = positions.lineStarts[line - 1]
    let around = blocks.filter { $0.range.contains(start) }
    // The code of a class works together; outside of classes the outermost function does.
    let name = around.last?.className
    return evaluations.contains { offset in
      around.contains { $0.range.contains(offset) }
        || name.map { name in blocks.contains { $0.className == name && $0.range.contains(offset) } } == true
    }
  }

  func place(of offset: Int, in file: String) -> Finding.Place { positions.place(of: offset, in: file) }
}
