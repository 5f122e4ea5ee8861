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

/// The files of a release that was withdrawn, as a later manifest remembers them.
public struct WithdrawnContent: Equatable, Sendable {
  /// The release that was withdrawn.
  public let version: ReleaseVersion
  /// Its two files.
  public let pair: ContentPair

  static let fields = ["version", "bundle", "sources"]

  /// Remembers a release.
  public init(version: ReleaseVersion, pair: ContentPair) {
    self.version = version
    self.pair = pair
  }

  init(_ object: JSONObject) throws(InputError) {
    version = try object.version("version")
    pair = ContentPair(bundle: try object.digest("bundle"), sources: try object.digest("sources"))
  }

  var json: JSONValue {
    .object([
      JSONMember("version", .integer(version.number)), JSONMember("bundle", .string(pair.bundle.hex)),
      JSONMember("sources", .string(pair.sources.hex)),
    ])
  }
}
