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
  package let text: String

  /// What the engine calls each bundle, so that positions do not depend on a path.
  package static let scriptName = "parsers.bundle.js"

  /// Takes files that were read and checked.
  package init(_ name: String, _ bytes: [UInt8], digest: Digest, catalog: SourceCatalog) {
    self.name = name
    self.catalog = catalog
    self.digest = digest
    // Clients refuse a bundle that is not UTF-8 before anything of it runs.
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// As the engine knows it.
  var script: EngineScript { EngineScript(name: Self.scriptName, text: text) }
}
