public import OTAManifest

/// What `Publisher.embed` wrote.
public struct EmbedReport: Equatable, Sendable {
  /// The release that was copied.
  public let version: ReleaseVersion
  /// The release whose copy was replaced; `nil` when there was none that could be read.
  public let replaced: ReleaseVersion?
  /// The folder, as it was given.
  public let directory: String
  /// The names in the folder, in the order in which they were written.
  public let files: [String]
  /// What a person should know, each a sentence.
  public internal(set) var warnings: [String] = []
}
