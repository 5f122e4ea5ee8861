package import OTAStorage
internal import Synchronization

/// Trusted metadata of one run: changes stay in memory, on top of what another store holds.
///
/// For a check, which writes nothing, and for a device that has no store yet.
package final class OverlayMetadataStore: TrustedMetadataStore {
  private let base: (any TrustedMetadataStore)?
  /// What was changed; a removed item is there as `nil`.
  private let changes = Mutex<[StoredMetadata: [UInt8]?]>([:])

  /// Starts with what `base` holds; `nil` for nothing.
  package init(over base: (any TrustedMetadataStore)? = nil) { self.base = base }

  /// The bytes as they were stored here, else below.
  package func load(_ item: StoredMetadata) throws(StorageError) -> [UInt8]? {
    let change = changes.withLock { $0[item] }
    if let change { return change }
    return try base?.load(item)
  }

  /// The newest metadata of a role that this run stored; `nil` when it stored none.
  package func loaded(role: String) -> [UInt8]? { changes.withLock { $0[.newest(role: role)] ?? nil } }

  /// Keeps the bytes until the end of the run.
  package func store(_ bytes: [UInt8], as item: StoredMetadata) {
    changes.withLock { $0[item] = .some(bytes) }
  }

  /// Hides the bytes, also those below.
  package func remove(_ item: StoredMetadata) { changes.withLock { $0[item] = .some(nil) } }
}
