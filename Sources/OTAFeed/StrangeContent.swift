internal import OTACrypto
public import OTAManifest

/// What a file of a feed holds in place of what belongs there: stray content, or its own bytes as a checkout or a disk left them.
public enum StrangeContent: Equatable, Sendable {
  /// Something that belongs to no feed.
  case stray(StrayContent)
  /// The right file with CRLF line ends.
  case changedLineEnds
  /// The beginning of the file, as it seems.
  case shortened(bytes: Int, of: Int64)

  /// Looks at the bytes alone; `nil` when they are nothing of the kind.
  public init?(_ bytes: [UInt8]) {
    guard let stray = StrayContent(bytes) else { return nil }
    self = .stray(stray)
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
    case .stray(let stray): stray.message
    case .changedLineEnds: "has other line ends (CRLF) than the file that was published"
    case .shortened(let bytes, let expected): "has \(bytes) bytes of \(expected)"
    }
  }

  /// Whether git left it there: then it is published so, whatever host serves it.
  var isFromVersionControl: Bool {
    if case .stray(let stray) = self { stray.isFromVersionControl } else { false }
  }

  /// How to get the right file.
  public var advice: String {
    switch self {
    case .stray(.empty), .stray(.page), .shortened: "restore the file from a backup or from the host"
    case .stray(.mergeConflict):
      "resolve the conflict: take one side whole, git checkout --theirs FILE or --ours FILE"
    case .stray(.lfsPointer):
      "fetch the file: git lfs pull; a feed is served as it is, so keep its files out of LFS"
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
}
