public import OTAManifest

/// The two files of a release before it goes out, read once: what is checked is what is published.
public struct GateCandidate: Sendable {
  /// What findings call the bundle.
  public let bundleName: String
  /// What findings call the catalog.
  public let sourcesName: String
  /// The bytes of the bundle: UTF-8 without a byte-order mark.
  public let bundle: [UInt8]
  /// The bytes of the catalog.
  public let sources: [UInt8]
  /// The catalog.
  public let catalog: SourceCatalog
  /// Renamed sources, those of the live release among them.
  public let aliases: [SourceAlias]
  let pair: ContentPair
  /// Whether the release says something new beside its files, such as another contract.
  var changesDescription = false
  /// The text of the source map that stands beside the bundle and that it names; `nil` when there is none.
  var sourceMap: [UInt8]?
  /// The number that the release gets; `nil` where nothing is published.
  var version: ReleaseVersion?
  /// What is known of withdrawn releases with the same two files.
  var withdrawn = WithdrawnTwins.notCompared

  init(_ inputs: ReleaseInputs, bundleName: String, sourcesName: String, aliases: [SourceAlias]) {
    (self.bundleName, self.sourcesName, self.aliases) = (bundleName, sourcesName, aliases)
    (bundle, sources, catalog, pair) = (inputs.bundle, inputs.sources, inputs.catalog, inputs.pair)
  }
}

/// What is known of withdrawn releases that have the files of a candidate.
enum WithdrawnTwins {
  /// There is no feed to compare with.
  case notCompared
  /// These; none when the content was never withdrawn.
  case releases([ReleaseVersion])
  /// The manifests could not be read; the text is the rest of a sentence.
  case unknown(String)
}

/// The live release that a new one is compared with.
public struct GateBaseline: Sendable {
  /// Its number.
  public let version: ReleaseVersion
  /// Its catalog, verified.
  public let catalog: SourceCatalog
  let manifest: Manifest
  /// Reads its bundle, verified; only some comparisons need it.
  let bundle: @Sendable () async throws(Problem) -> [UInt8]

  init(
    _ manifest: Manifest, catalog: SourceCatalog,
    bundle: @escaping @Sendable () async throws(Problem) -> [UInt8]
  ) {
    version = manifest.version
    (self.manifest, self.catalog, self.bundle) = (manifest, catalog, bundle)
  }
  /// The same release with its bundle being read, so that all who ask for it share one reading.
  func readingBundle() -> GateBaseline {
    let bundle = bundle
    let reading = Task { () async -> Result<[UInt8], Problem> in
      do throws(Problem) { return .success(try await bundle()) } catch { return .failure(error) }
    }
    return GateBaseline(manifest, catalog: catalog) { () async throws(Problem) in
      try await reading.value.get()
    }
  }
}
