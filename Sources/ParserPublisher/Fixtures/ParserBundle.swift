public import OTAManifest
internal import ParserEngine

/// A bundle with its catalog, read once and fit to be run.
public struct ParserBundle: Sendable {
  /// What people call it, such as its path.
  public let name: String
  /// The name under which the bundle defines itself.
  public var globalName = ParserCall.defaultGlobalName
  /// The catalog that belongs to it.
  public let catalog: SourceCatalog
  /// The digest of the bundle.
  public let digest: Digest
  let text: String

  /// Reads exactly these two files.
  ///
  /// - Parameter name: what people call it; its path when left out.
  public init(bundlePath: String, sourcesPath: String, name: String? = nil) throws(Problem) {
    let inputs = try ReleaseInputs(bundlePath: bundlePath, sourcesPath: sourcesPath)
    self.init(name ?? bundlePath, inputs.bundle, digest: inputs.bundleDigest, catalog: inputs.catalog)
  }

  /// Takes the verified files of a release.
  init(_ name: String, _ bytes: [UInt8], digest: Digest, catalog: SourceCatalog) {
    self.name = name
    self.catalog = catalog
    self.digest = digest
    // Clients refuse a bundle that is not UTF-8 before anything of it runs.
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// As the engine knows it: what it calls the bundle does not depend on a path.
  var script: EngineScript { EngineScript(name: EngineExamination.scriptName, text: text) }
}
