package import OTACrypto
package import OTAManifest
package import OTAStorage

extension Problem {
  /// A disk error, with what to do about it.
  package init(_ error: StorageError) {
    switch error.kind {
    case .full:
      self.init(.diskFull, error.message, advice: "free some space and try again")
    case .readOnly:
      self.init(.readOnly, error.message, advice: "use a folder that this user may write to")
    case .notPermitted:
      self.init(
        .noPermission, error.message,
        advice: error.isReading
          ? "let this user read it, or run as the user who owns it"
          : "use a folder that this user may write to")
    case .io where error.isReading:
      self.init(.cannotRead, error.message, advice: "try again; if it stays, check the disk and its mount")
    case .busy:
      self.init(.busy, error.message, advice: "another process is at work; try again when it has finished")
    case .unsupported:
      self.init(
        .storageFailed, error.message,
        advice: "use a folder on a local file system with modes and locks, such as ext4, xfs or btrfs")
    case .missing: self.init(.fileMissing, error.message)
    case .wrongKind:
      self.init(.wrongKind, error.message, advice: "move what stands in its place out of the way")
    case .untrustedOwner:
      self.init(
        .notPrivate, error.message,
        advice: "use a folder that belongs to this user and that others cannot write (chmod go-w)")
    case .tooLarge, .sizeDiffers, .exists, .invalidName, .io:
      self.init(.storageFailed, error.message)
    }
  }

  /// Why a file or folder that a person named cannot be used: missing and another kind are slips of the command line.
  package init(ofInput error: StorageError) {
    switch error.kind {
    case .missing:
      self.init(
        .inputMissing, error.systemCode == 0 ? error.message : "\(error.path) does not exist",
        advice: "check the path")
    case .wrongKind, .invalidName:
      self.init(.inputWrongKind, error.message, advice: "check the path")
    case .tooLarge: self.init(.tooLarge, error.message, advice: "check the path")
    default: self.init(error)
    }
  }

  /// OpenSSL cannot be used here, or refuses a key.
  package init(_ error: CryptoError) {
    switch error {
    case .cannotVerify: self.init(.trustCannotVerify, error.message, advice: "update OpenSSL (libssl3)")
    case .malformedKey, .weakKey, .wrongPassphrase: self.init(.keyUnusable, error.message)
    case .unavailable: self.init(.cryptoUnavailable, error.message)
    }
  }
}
