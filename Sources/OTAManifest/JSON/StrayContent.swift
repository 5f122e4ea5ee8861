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
    case .page: "begins with \"<\", as an HTML page does"
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

  private static let pointerHead = Array("version https://git-lfs.github.com/spec/".utf8)
  private static let markers = ["<<<<<<< ", "=======", ">>>>>>> "].map { Array($0.utf8) }

  /// The line of the first of three markers that stand in their order at the beginnings of lines.
  private static func conflictLine(_ bytes: [UInt8]) -> Int? {
    var found = 0
    var first: Int?
    var line = 1
    var rest = bytes[...]
    while found < markers.count, !rest.isEmpty {
      if rest.starts(with: markers[found]) {
        first = first ?? line
        found += 1
      }
      guard let end = rest.firstIndex(of: 0x0A) else { break }
      rest = rest[(end + 1)...]
      line += 1
    }
    return found == markers.count ? first : nil
  }
}
