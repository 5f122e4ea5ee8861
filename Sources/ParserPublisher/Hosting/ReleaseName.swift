internal import OTAFeed
internal import OTAManifest

/// Which release a path is about; also written down while one is published, so that an interrupted one is never
/// taken for a release.
struct ReleaseName: Equatable {
  /// Its number.
  let version: ReleaseVersion
  /// The digest of its manifest.
  let manifest: Digest

  /// The path of its immutable manifest.
  var path: String { FeedLayout.manifest(manifest, of: version) }

  /// The content of `.parser-ota/pending.json`.
  func encoded() -> [UInt8] {
    JSONValue.object([
      JSONMember("format", .integer(1)), JSONMember("version", .integer(version.number)),
      JSONMember("manifest", .string(manifest.hex)),
    ]).encoded(indented: true)
  }

  init(version: ReleaseVersion, manifest: Digest) {
    self.version = version
    self.manifest = manifest
  }

  /// Reads `.parser-ota/pending.json`.
  init(decoding bytes: [UInt8]) throws(InputError) {
    let object = try JSONObject(JSONReader.read(bytes, maxBytes: 4096, maxDepth: 4))
    _ = try object.integer("format", in: 1...1)
    version = try object.version("version")
    manifest = try object.digest("manifest")
  }
}
