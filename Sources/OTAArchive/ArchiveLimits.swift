/// Upper bounds on an archive that comes from outside; each names the attack that it stops.
package struct ArchiveLimits: Sendable {
  /// Bytes of the archive as it comes: it is held in memory.
  package var maxPackedBytes = 96 << 20
  /// Bytes that the archive may unpack to, headers and padding included: against bombs.
  package var maxUnpackedBytes = 112 << 20
  /// Files: against archives of empty ones without an end.
  package var maxEntries = 512
  /// Bytes of one file.
  package var maxEntryBytes = 64 << 20

  /// The bounds of this product.
  package init() {}
}
