internal import OTAManifest

/// What people write about a release.
enum ReleaseNotes {
  /// The text, or `nil` when there is nothing in it but white space, as the subject of an empty commit.
  static func meant(_ text: String) -> String? {
    text.unicodeScalars.allSatisfy(\.properties.isWhitespace) ? nil : text
  }

  static func check(_ notes: String?) throws(Problem) {
    guard let notes, notes.utf8.count > Limits.standard.maxNotesBytes else { return }
    throw Problem(
      .inputRefused,
      "the notes have \(notes.utf8.count) bytes, more than the \(Limits.standard.maxNotesBytes) allowed",
      advice: "shorten them, and link to the rest")
  }
}
