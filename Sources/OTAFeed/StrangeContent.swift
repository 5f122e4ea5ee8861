internal import OTACrypto
public import OTAManifest

/// What a file holds in place of what belongs there: the usual accidents of version control, hosts and disks.
///
/// One classifier for the files of a feed and for inputs, so that each accident has the same name everywhere.
public enum StrangeContent: Equatable, Sendable {
  /// No byte.
  case empty
  /// Both sides of a merge; the line of the first marker.
  case mergeConflict(line: Int)
  /// The text that Git LFS puts in place of a file that was not fetched.
  case lfsPointer
  /// An HTML or XML page.
  case page
  /// The right file with CRLF line ends.
  case changedLineEnds
  /// The beginning of the file, as it seems.
  case shortened(bytes: Int, of: Int64)

  /// Looks at the bytes alone; `nil` when they are nothing of the kind.
  public init?(_ bytes: [UInt8]) {
    if bytes.isEmpty {
      self = .empty
    } else if bytes.starts(with: Self.lfsStart) {
      self = .lfsPointer
    } else if let line = Self.conflictLine(bytes) {
      self = .mergeConflict(line: line)
    } else if ReleaseContentCheck.looksLikeHTML(bytes) {
      self = .page
    } else {
      return nil
    }
  }

  /// Compares the bytes with the file that belongs there; `nil` when they are damaged in some other way.
  public init?(_ bytes: [UInt8], insteadOf digest: Digest, bytes expected: Int64) {
    if let strange = StrangeContent(bytes) {
      self = strange
    } else if Self.withPlainLineEnds(bytes, matching: digest, bytes: expected) != nil {
      self = .changedLineEnds
    } else if bytes.count < expected {
      self = .shortened(bytes: bytes.count, of: expected)
    } else {
      return nil
    }
  }

  /// The end of a sentence that begins with the file's name.
  public var message: String {
    switch self {
    case .empty: "is empty"
    case .mergeConflict(let line): "holds a merge conflict: line \(line) is a conflict marker"
    case .lfsPointer: "is a Git LFS pointer, not the file itself"
    case .page: "is an HTML page"
    case .changedLineEnds: "has other line ends (CRLF) than the file that was published"
    case .shortened(let bytes, let expected): "has \(bytes) bytes of \(expected)"
    }
  }

  /// Whether git left it there: then it is published so, whatever host serves it.
  var isFromVersionControl: Bool {
    switch self {
    case .mergeConflict, .lfsPointer: true
    case .empty, .page, .changedLineEnds, .shortened: false
    }
  }

  /// How to get the right file.
  public var advice: String {
    switch self {
    case .empty, .page, .shortened: "restore the file from a backup or from the host"
    case .mergeConflict:
      "resolve the conflict: take one side whole, git checkout --theirs FILE or --ours FILE"
    case .lfsPointer: "fetch the file: git lfs pull; a feed is served as it is, so keep its files out of LFS"
    case .changedLineEnds: "check out without changing line ends: add the line \"* -text\" to .gitattributes"
    }
  }

  /// The bytes without the carriage returns that a checkout added; `nil` when they are not the file then either.
  public static func withPlainLineEnds(
    _ bytes: [UInt8], matching digest: Digest, bytes expected: Int64?
  ) -> [UInt8]? {
    guard bytes.contains(0x0D), expected.map({ bytes.count > $0 }) ?? true else { return nil }
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    for (index, byte) in bytes.enumerated()
    where byte != 0x0D || index + 1 == bytes.count || bytes[index + 1] != 0x0A {
      plain.append(byte)
    }
    // Without SHA-256 nothing on a feed can be told from anything else: then this cannot, either.
    guard expected.map({ plain.count == $0 }) ?? true, (try? sha256(plain)) == digest else { return nil }
    return plain
  }

  private static let lfsStart = Array("version https://git-lfs.github.com/spec/".utf8)

  /// The number of the first line that begins with seven markers and a blank, as git writes them.
  private static func conflictLine(_ bytes: [UInt8]) -> Int? {
    var line = 1
    var rest = bytes[...]
    while let first = rest.first {
      if first == UInt8(ascii: "<") || first == UInt8(ascii: ">") || first == UInt8(ascii: "|"),
        rest.prefix(7).allSatisfy({ $0 == first }), rest.dropFirst(7).first == UInt8(ascii: " ")
      {
        return line
      }
      guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      rest = rest[(end + 1)...]
      line += 1
    }
    return nil
  }
}
