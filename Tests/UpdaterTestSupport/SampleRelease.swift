import OTACrypto
import OTAManifest
import TestSupport

/// A release with its three files, made up from its number and a marker.
package struct SampleRelease: Sendable {
  /// The decoded manifest.
  package let manifest: Manifest
  /// The bytes of the manifest.
  package let bytes: [UInt8]
  /// The parser bundle.
  package let bundle: [UInt8]
  /// The source catalog.
  package let sources: [UInt8]

  /// What differs from a plain release.
  package struct Content: Sendable {
    /// The bundle.
    package var bundle: [UInt8]
    /// The catalog.
    package var sources: [UInt8]

    /// The content that a release of this number has when nothing else is said.
    package init(of version: Int64) {
      bundle = Fixtures.bundle(marker: "b\(version)", bytes: 3000)
      sources = Fixtures.smallCatalog(ids: ["ABC", "S\(version)"])
    }

    /// This very content.
    package init(bundle: [UInt8], sources: [UInt8]) {
      self.bundle = bundle
      self.sources = sources
    }
  }

  /// Makes a release; `edit` changes its manifest before it is encoded.
  package init(
    _ version: Int64, _ content: Content? = nil, _ edit: (inout Manifest) throws -> Void = { _ in }
  ) throws {
    let content = content ?? Content(of: version)
    let (bundleDigest, sourcesDigest) = (try sha256(content.bundle), try sha256(content.sources))
    let folder = "files/releases/\(version)"
    var manifest = Manifest(
      version: .number(version),
      bundle: Artifact(
        location: try ArtifactLocation("\(folder)/\(bundleDigest).parsers.bundle.js"), sha256: bundleDigest,
        bytes: Int64(content.bundle.count)),
      sources: Artifact(
        location: try ArtifactLocation("\(folder)/\(sourcesDigest).sources.json"), sha256: sourcesDigest,
        bytes: Int64(content.sources.count)))
    try edit(&manifest)
    self.manifest = manifest
    bytes = manifest.encoded()
    bundle = content.bundle
    sources = content.sources
  }

  /// Writes the three files into a folder, as the copy inside an app has them.
  package func write(to folder: String) {
    plant(bytes, at: "\(folder)/manifest.json")
    plant(bundle, at: "\(folder)/parsers.bundle.js")
    plant(sources, at: "\(folder)/sources.json")
  }

  /// The digest of the manifest.
  package var digest: Digest {
    do { return try sha256(bytes) } catch { preconditionFailure("\(error)") }
  }

  /// The content without the number, for another release.
  package var content: Content { Content(bundle: bundle, sources: sources) }
  /// The path of the bundle on the feed.
  package var bundlePath: String { manifest.bundle.location.text }
  /// The path of the catalog on the feed.
  package var sourcesPath: String { manifest.sources.location.text }
}

extension ReleaseVersion {
  /// A version that a test writes as a number.
  package static func number(_ number: Int64) -> ReleaseVersion {
    guard let version = ReleaseVersion(number) else { preconditionFailure("\(number) is no version") }
    return version
  }
}
