package import OTAArchive
package import OTAManifest

extension Problem {
  /// An archive that is refused as a whole, by the name that messages give to it.
  package init(_ error: ArchiveError, in archive: String) {
    let code: ProblemCode
    var advice = "nothing of it was used; get the archive again from where it came"
    switch error {
    case .libraryMissing:
      (code, advice) = (.libraryMissing, "install libarchive (libarchive13)")
    case .noMemory: (code, advice) = (.storageFailed, "free some memory and try again")
    case .notAnArchive, .cutShort, .damaged, .strayEnd: code = .archiveDamaged
    case .tooLarge, .tooManyEntries, .entryTooLarge: code = .archiveTooLarge
    case .unsafeName, .duplicateName, .sameNameInOtherCase, .link, .notAFile, .specialMode, .sparse:
      (code, advice) = (.archiveUnsafe, "nothing of it was used; do not trust its source")
    }
    self.init(code, "\(archive.printable(maxCharacters: 200)) \(error.detail)", advice: advice)
  }

  /// An archive of plain files that is none of a release.
  init(noReleaseIn archive: String, _ detail: String) {
    self.init(
      .archiveInvalid, "\(archive.printable(maxCharacters: 200)) \(detail)",
      advice: "nothing of it was used; make archives with parser-ota export")
  }

  /// A file of an archive that is not what its name says.
  init(damagedIn archive: String, _ name: String) {
    self.init(
      .archiveDamaged,
      "\(archive.printable(maxCharacters: 200)) is damaged: \(name) is not what its name says",
      advice: "nothing of it was used; get the archive again from where it came")
  }
}
