/// Upper bounds on everything that comes from outside; each names the attack that it stops.
public struct Limits: Sendable {
  /// The bounds of this product.
  public static let standard = Limits()

  /// Bytes of a manifest: an endless or padded one costs at most this much memory.
  public let maxManifestBytes = 64 << 10
  /// Bytes of a parser bundle: a manifest cannot make a device fill its disk.
  public let maxBundleBytes: Int64 = 64 << 20
  /// Bytes of a source catalog.
  public let maxSourcesBytes: Int64 = 16 << 20
  /// Bytes of memory for unpacking a file, its window and what a patch is made against: against bombs.
  public let maxUnpackMemory: Int64 = 16 << 20
  /// Bytes of a device's state file.
  public let maxStateBytes = 256 << 10
  /// Nested arrays and objects in a manifest or state file.
  public let maxDepth = 16
  /// Characters of a URL in a manifest, counted as bytes.
  public let maxURLBytes = 2048
  /// Bytes of release notes.
  public let maxNotesBytes = 4096
  /// Withdrawn versions in one manifest.
  public let maxWithdrawn = 1024
  /// Releases that one manifest may withdraw anew: a stolen release key cannot take back more at once.
  public let maxNewlyWithdrawn = 64
  /// Renamed source ids in one manifest.
  public let maxAliases = 1024
  /// Feature names in one manifest.
  public let maxRequires = 64
  /// What was let through, in one manifest.
  public let maxAllowed = 128
  /// Bytes of one thing that was let through.
  public let maxAllowedBytes = 320
}
