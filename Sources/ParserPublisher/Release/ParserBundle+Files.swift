public import OTAManifest
public import ParserWorkbench

extension ParserBundle {
  /// Reads exactly these two files.
  ///
  /// - Parameter name: what people call it; its path when left out.
  /// - Throws: what `publish` throws for files that clients do not accept.
  public init(bundlePath: String, sourcesPath: String, name: String? = nil) throws(Problem) {
    let inputs = try ReleaseInputs(bundlePath: bundlePath, sourcesPath: sourcesPath)
    self.init(name ?? bundlePath, inputs.bundle, digest: inputs.bundleDigest, catalog: inputs.catalog)
  }
}
