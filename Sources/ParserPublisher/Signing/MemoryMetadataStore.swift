internal import OTAManifest
internal import OTAFeed
internal import OTAStorage
internal import Synchronization

/// Trusted metadata of a client that exists for one run.
final class MemoryMetadataStore: TrustedMetadataStore {
  private let items = Mutex<[StoredMetadata: [UInt8]]>([:])

  /// A client that knows nothing yet.
  init() {}

  /// A client that has seen everything that is live.
  init(having state: MetadataState) {
    items.withLock { items in
      for (index, bytes) in state.chain.files.enumerated() { items[.root(version: Int64(index + 1))] = bytes }
      items[.newest(role: "root")] = state.chain.newestFile
      items[.newest(role: "timestamp")] = state.timestamp.bytes
      items[.newest(role: "snapshot")] = state.snapshot.bytes
      items[.newest(role: "targets")] = state.targets.bytes
    }
  }

  func load(_ item: StoredMetadata) -> [UInt8]? { items.withLock { $0[item] } }
  func store(_ bytes: [UInt8], as item: StoredMetadata) { items.withLock { $0[item] = bytes } }
  func remove(_ item: StoredMetadata) { items.withLock { $0[item] = nil } }
}
