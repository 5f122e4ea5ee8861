/// The two digests that make up what a release *is*, whatever its number: a bundle and a catalog that belong together.
public struct ContentPair: Hashable, Sendable {
  /// The digest of the parser bundle.
  public let bundle: Digest
  /// The digest of the source catalog.
  public let sources: Digest

  /// Makes a pair.
  public init(bundle: Digest, sources: Digest) {
    self.bundle = bundle
    self.sources = sources
  }
}
