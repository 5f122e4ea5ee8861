internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

extension Manifest {
  /// The bytes that the release needs in a store, with some for folders and state.
  var bytesToStore: Int { Int(bundle.bytes + sources.bytes) + (64 << 10) }

  /// The names of partial downloads that a later run goes on with.
  var partialNames: Set<String> {
    let files = [bundle, sources]
    return Set(
      files.map(\.sha256.hex) + files.flatMap { $0.encodings + $0.patches }.map(\.sha256.hex))
  }
}

extension Problem {
  /// A disk error on the way to a stored release; a full disk tells how much is needed and how much is free.
  init(_ error: StorageError, needed: Int, in store: DeviceStore) {
    guard error.kind == .full else {
      self.init(error)
      return
    }
    var free = "an unknown number of"
    do {
      free = String(try store.root.freeBytes())
    } catch {
      // The sentence is true without the number.
    }
    self.init(
      .diskFull,
      "cannot \(error.operation) \(error.path): \(error.reason) (\(needed) bytes are needed, \(free) bytes are free)",
      advice: "free some space and try again")
  }
}
