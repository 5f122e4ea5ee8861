/// How a run of the tool ended, one number per kind of answer to "who must act".
///
/// A run that a signal interrupts ends with 128 plus the number of the signal instead.
enum ExitStatus: Int32, Sendable, CaseIterable {
  /// The verb did what it was asked, "nothing to do" included.
  case done = 0
  /// The verb ran, and the answer is no: a gate refused, a question was answered with no, nothing fits.
  case notAchieved = 1
  /// The command line is wrong, or names a file or folder that is missing or of another kind; nothing was started.
  case usage = 2
  /// What arrived from outside is not trusted: a signature, digest, version or format was refused.
  case untrustedContent = 3
  /// A network or a host did not answer as it should; the same command may work later.
  case tryLater = 4
  /// The local disk failed: full, read-only, or damaged.
  case localDisk = 5
  /// Somebody else changed the same feed or directory meanwhile.
  case conflict = 6
  /// Another process holds the lock.
  case busy = 7
  /// A host or the file system denies access with these credentials, so the answer may be unknown; nothing was changed.
  case notPermitted = 8

  /// One phrase for help pages and the reference.
  var explanation: String {
    switch self {
    case .done: "done, or nothing to do"
    case .notAchieved: "not achieved: the verb ran and the answer is no"
    case .usage: "the command line is wrong or names what is not there, nothing was started"
    case .untrustedContent: "content was refused, what was there is kept"
    case .tryLater: "a network or host failed, try again later"
    case .localDisk: "the local disk is full, read-only or damaged"
    case .conflict: "the same thing was published or changed by others meanwhile"
    case .busy: "another process holds the lock"
    case .notPermitted: "access was denied, or the answer cannot be known"
    }
  }
}
