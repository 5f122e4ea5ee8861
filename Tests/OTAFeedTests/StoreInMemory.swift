import OTAFeed
import OTAStorage
import Synchronization

/// A store that remembers every write, and can fail at one of them as a full disk does.
final class StoreInMemory: TrustedMetadataStore {
  private struct State {
    var items: [StoredMetadata: [UInt8]] = [:]
    var writes: [StoredMetadata] = []
    var failingAfter: Int?
  }

  private let state = Mutex(State())

  /// What was stored or removed since the last call, in order.
  func takeWrites() -> [StoredMetadata] {
    state.withLock { state in
      defer { state.writes = [] }
      return state.writes
    }
  }

  /// Lets this many changes pass; all later ones fail. `nil` ends that.
  func fail(after changes: Int?) { state.withLock { $0.failingAfter = changes } }

  subscript(_ item: StoredMetadata) -> [UInt8]? {
    get { state.withLock { $0.items[item] } }
    set { state.withLock { $0.items[item] = newValue } }
  }

  func load(_ item: StoredMetadata) throws(StorageError) -> [UInt8]? { self[item] }

  func store(_ bytes: [UInt8], as item: StoredMetadata) throws(StorageError) {
    try change(item, to: bytes)
  }

  func remove(_ item: StoredMetadata) throws(StorageError) { try change(item, to: nil) }

  private func change(_ item: StoredMetadata, to bytes: [UInt8]?) throws(StorageError) {
    let isFull = state.withLock { state in
      if state.failingAfter == 0 { return true }
      state.failingAfter = state.failingAfter.map { $0 - 1 }
      state.items[item] = bytes
      state.writes.append(item)
      return false
    }
    if isFull { throw StorageError(.full, operation: "write", path: "\(item)", reason: "no space") }
  }
}
