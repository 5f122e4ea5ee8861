/// What stands in the place of a file when a checkout, a merge or a host went wrong.
///
/// Recognised by the bytes alone, so that a message can name the mistake and not its consequence.
public enum StrayContent: Equatable, Sendable {
  /// There are no bytes, or only blanks.
  case empty
  /// A Git LFS pointer: the file itself was not checked out.
  case lfsPointer
  /// A merge that nobody resolved; the line of the first marker, from 1.
  case mergeConflict(line: Int)
  /// An HTML or XML page.
  case page

  /// What the bytes are, when they are one of these; `nil` says nothing about whether they are right.
  public init?(_ bytes: [UInt8]) {
    if bytes.starts(with: Self.pointerHead) {
      self = .lfsPointer
    } else if let line = Self.conflictLine(bytes) {
      self = .mergeConflict(line: line)
    } else if ReleaseContentCheck.looksLikeHTML(bytes.prefix(512)) {
      self = .page
    } else if bytes.allSatisfy({ $0 == 0x20 || (0x09...0x0D).contains($0) }) {
      self = .empty
    } else {
      return nil
    }
  }

  /// The rest of a sentence that begins with the name of the file.
  public var message: String {
    switch self {
    case .empty: "is empty"
    case .lfsPointer: "is a Git LFS pointer, not the file itself"
    case .mergeConflict(let line): "has a merge conflict: line \(line) is a conflict marker"
    case .page: "is an HTML page"
    }
  }

  /// What to do about it.
  public var advice: String {
    switch self {
    case .empty: "build the file again"
    case .lfsPointer: "check the file out: git lfs pull"
    case .mergeConflict: "resolve the merge and commit the file"
    case .page: "a login or error page was saved in its place: get the file again"
    }
  }

  /// Whether git left it there: then whoever serves the file has it so, too.
  public var isFromVersionControl: Bool {
    switch self {
    case .mergeConflict, .lfsPointer: true
    case .empty, .page: false
    }
  }

  private static let pointerHead = Array("version https://git-lfs.github.com/spec/".utf8)
  private static let markers = ["<<<<<<< ", "=======", ">>>>>>> "].map { Array($0.utf8) }
  private static let ancestor = Array("||||||| ".utf8)

  /// The line of the first marker of a conflict.
  ///
  /// In a script three markers in their order make one, since its strings may go over lines. In JSON, or in a file that
  /// begins with a marker, one that was forgotten is enough.
  private static func conflictLine(_ bytes: [UInt8]) -> Int? {
    let first = bytes.first { !($0 == 0x20 || (0x09...0x0D).contains($0)) }
    let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    var (found, line) = (0, 1)
    var begin: Int?
    var rest = bytes[...]
    while !rest.isEmpty {
      if isJSON || line == 1, isMarker(rest) { return line }
      if rest.starts(with: markers[found]) {
        begin = begin ?? line
        found += 1
        if found == markers.count { return begin }
      }
      guard let end = rest.firstIndex(of: 0x0A) else { break }
      rest = rest[(end + 1)...]
      line += 1
    }
    return nil
  }

  private static func isMarker(_ line: ArraySlice<UInt8>) -> Bool {
    [markers[0], markers[2], ancestor].contains { line.starts(with: $0) }
  }
}
