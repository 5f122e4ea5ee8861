package import OTAStorage

/// One file of trusted metadata.
package enum StoredMetadata: Hashable, Sendable {
  /// The newest of a role, such as `root`, `timestamp`, or a delegated role with any name.
  case newest(role: String)
  /// The digests of the roots that were passed, as `TrustedRoots`.
  case roots
  /// A root by its version, as stores kept them before there was `roots`; only read.
  case root(version: Int64)
  /// A small target by its path, so that a check does not fetch what it has seen; believed only with its digest.
  case target(path: String)
  /// What is remembered of the feed's express file.
  case express
}

/// Keeps the bytes of verified metadata between runs; what it returns is verified again, so it need not be believed.
///
/// One run at a time uses a store: the caller holds the lock.
package protocol TrustedMetadataStore: Sendable {
  /// The bytes as they were stored; `nil` when there are none, or none that can be metadata.
  func load(_ item: StoredMetadata) throws(StorageError) -> [UInt8]?

  /// Replaces the bytes durably; when it throws, the old ones are in place.
  func store(_ bytes: [UInt8], as item: StoredMetadata) throws(StorageError)

  /// Forgets the bytes; missing is fine.
  func remove(_ item: StoredMetadata) throws(StorageError)
}
