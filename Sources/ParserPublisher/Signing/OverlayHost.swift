internal import OTAManifest

/// A feed as it will be once some files are written; nothing can be written to it.
struct OverlayHost: FeedHost {
  let host: any FeedHost
  let planned: [String: [UInt8]]

  init(_ host: any FeedHost, _ writes: [FeedWrite]) {
    self.host = host
    planned = Dictionary(writes.map { ($0.path, $0.bytes) }) { $1 }
  }

  func read(_ path: String, maxBytes: Int) async throws(Problem) -> [UInt8]? {
    guard let bytes = planned[path] else { return try await host.read(path, maxBytes: maxBytes) }
    guard bytes.count <= maxBytes else {
      throw Problem(.tooLarge, "\(path) has \(bytes.count) bytes, more than \(maxBytes)")
    }
    return bytes
  }

  func list(_ folder: String) async throws(Problem) -> [String] {
    let prefix = folder + "/"
    let names = planned.keys.filter { $0.hasPrefix(prefix) }
      .map { String($0.dropFirst(prefix.count).prefix { $0 != "/" }) }
    return Set(try await host.list(folder) + names).sorted()
  }

  func put(_ path: String, _ bytes: [UInt8]) throws(Problem) -> Bool { throw Self.readOnly }
  func replace(_ path: String, with bytes: [UInt8]) throws(Problem) { throw Self.readOnly }
  func remove(_ paths: [String]) throws(Problem) { throw Self.readOnly }
  func lock(wait: Duration) throws(Problem) -> any FeedLock { throw Self.readOnly }

  private static var readOnly: Problem { Problem(.misuse, "a planned feed cannot be written to") }
}
