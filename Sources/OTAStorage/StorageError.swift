import Glibc

/// What the local file system refused, with the full path and the system's own code.
public struct StorageError: Error, Equatable, Sendable {
  /// What a caller can tell apart and act on.
  public enum Kind: Sendable {
    /// Nothing has this name.
    case missing
    /// The name is taken, or a directory is not empty.
    case exists
    /// The owner or the mode forbids it.
    case notPermitted
    /// The file system is mounted read-only.
    case readOnly
    /// The disk, the quota or the size limit of this process is used up.
    case full
    /// Not a regular file, not a directory, or a symbolic link where none is followed.
    case wrongKind
    /// The name is empty, too long, a dot name, or holds a slash or a zero byte.
    case invalidName
    /// More bytes than the caller allowed.
    case tooLarge
    /// Another number of bytes than the caller demanded.
    case sizeDiffers
    /// Somebody else holds the lock.
    case busy
    /// The directory belongs to another user, or others can write to it.
    case untrustedOwner
    /// The file system lacks what is needed: modes, locks, flushing, or a rename that stays on one disk.
    case unsupported
    /// Anything else, such as a failing disk.
    case io
  }

  /// What went wrong, to decide on.
  public let kind: Kind
  /// What was tried, as a verb that fits into `cannot … <path>`, such as `open`, `write`, `sync` or `rename`.
  public let operation: String
  /// The full path that it was tried on, as far as the caller gave a full one.
  public let path: String
  /// The `errno` of the system call, or 0 when no call failed.
  public let systemCode: Int32
  /// The reason in words, without the path.
  public let reason: String

  /// Describes a refusal that no system call made.
  public init(_ kind: Kind, operation: String, path: String, reason: String) {
    self.kind = kind
    self.operation = operation
    self.path = path
    self.systemCode = 0
    self.reason = reason
  }

  /// Describes a failed system call by its `errno`.
  public init(operation: String, path: String, systemCode: Int32) {
    self.kind = Kind(systemCode: systemCode)
    self.operation = operation
    self.path = path
    self.systemCode = systemCode
    self.reason = Self.reason(of: systemCode)
  }

  /// A sentence for people, such as `cannot open /srv/state.json: No such file or directory`.
  public var message: String {
    let sentence = "cannot \(operation) \(path): \(reason)"
    guard let advice = kind.advice else { return sentence }
    return "\(sentence); \(advice)"
  }

  /// Whether this is about looking at something, as opposed to changing it.
  public var isReading: Bool { ["open", "read", "inspect", "list", "trust"].contains(operation) }

  /// Whether nothing can be said about what is there: it may be whole, damaged, or missing.
  ///
  /// `EACCES`, `EPERM`, `EIO` and whatever else keeps the system from looking. It is never damage and never absence.
  public var leavesUnknown: Bool {
    switch kind {
    case .notPermitted, .untrustedOwner, .io, .busy: true
    case .missing, .exists, .readOnly, .full, .wrongKind, .invalidName, .tooLarge, .sizeDiffers, .unsupported:
      false
    }
  }

  private static func reason(of systemCode: Int32) -> String {
    switch systemCode {
    // Where links are not followed, the system's words speak of too many of them.
    case ELOOP: return "it is a symbolic link, or one of too many"
    case EXDEV: return "the two names are on different file systems"
    case EDQUOT: return "the disk quota of this user is used up"
    case ESTALE: return "the network file system lost it meanwhile (stale handle)"
    case EOPNOTSUPP, ENOSYS: return "this file system cannot do that"
    default: break
    }
    // The text of `strerror` belongs to this thread in glibc 2.32 and later.
    guard let text = unsafe strerror(systemCode) else { return "error \(systemCode)" }
    return unsafe String(cString: text)
  }
}

extension StorageError: CustomStringConvertible {
  /// The same sentence as `message`.
  public var description: String { message }
}

extension StorageError.Kind {
  init(systemCode: Int32) {
    switch systemCode {
    case ENOENT: self = .missing
    case EEXIST, ENOTEMPTY: self = .exists
    case EACCES, EPERM: self = .notPermitted
    case EROFS: self = .readOnly
    case ENOSPC, EDQUOT, EFBIG: self = .full
    case ELOOP, ENOTDIR, EISDIR, ENXIO: self = .wrongKind
    case ENAMETOOLONG: self = .invalidName
    case EWOULDBLOCK: self = .busy
    case EXDEV, EOPNOTSUPP, ENOSYS: self = .unsupported
    default: self = .io
    }
  }

  /// What a person can do, where that is known.
  var advice: String? {
    switch self {
    case .notPermitted: "check its owner and mode"
    case .readOnly: "choose a directory that can be written"
    case .full: "free some space, then try again"
    case .untrustedOwner: "use a folder of this user that others cannot write to"
    default: nil
    }
  }
}
