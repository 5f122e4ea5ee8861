import Foundation
@testable import OTAFeed
import OTAManifest
import OTATransfer
import OTATrust
import Synchronization
import TestSupport

/// A signed feed in a folder, made and changed by the tool alone.
struct SignedFeed {
  let directory: TemporaryDirectory
  var tool = Tool()
  var path: String { directory.path("feed") }

  init(_ directory: TemporaryDirectory, roots: [KeyPair], rootThreshold: Int = 1, release: KeyPair) throws {
    self.directory = directory
    let bundle = String(decoding: Fixtures.bundle(marker: "one", bytes: 2000), as: UTF8.self)
    try KeyPair.write(bundle, to: directory.path("bundle.js"), mode: 0o644)
    let catalog = String(decoding: Fixtures.smallCatalog(ids: ["ALPHA", "BETA"]), as: UTF8.self)
    try KeyPair.write(catalog, to: directory.path("sources.json"), mode: 0o644)
    let keys = roots.flatMap { ["--root-key", $0.path] } + ["--release-key", release.path]
    try expectDone(
      call(["init", "--feed", path] + keys + ["--root-threshold", "\(rootThreshold)"]))
  }

  func call(_ words: [String], stdin: [UInt8] = []) throws -> ChildResult {
    try run(
      BuiltProducts.path(of: "parser-ota"), WithoutEngine.arguments(words), environment: tool.environment,
      stdin: stdin, timeout: .seconds(120))
  }

  func publish(_ release: KeyPair, bundle: String? = nil) throws -> ChildResult {
    if let bundle { try KeyPair.write(bundle, to: directory.path("bundle.js"), mode: 0o644) }
    return try call([
      "publish", "--feed", path, "--bundle", directory.path("bundle.js"), "--sources",
      directory.path("sources.json"),
      "--release-key", release.path,
    ])
  }

  /// Everything in the feed's folder but the lock, by path.
  func content() throws -> [String: Data] {
    var content: [String: Data] = [:]
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    for name in names where !name.hasSuffix("/lock") {
      var isFolder: ObjCBool = false
      let whole = "\(path)/\(name)"
      if FileManager.default.fileExists(atPath: whole, isDirectory: &isFolder), !isFolder.boolValue {
        content[name] = try Data(contentsOf: URL(fileURLWithPath: whole))
      }
    }
    return content
  }

  /// What a client finds that was shipped with the first root and never saw the feed: the bytes of the live manifest.
  func manifestForOldestClient() async throws -> [UInt8] {
    let root = try Array(Data(contentsOf: URL(fileURLWithPath: "\(path)/metadata/1.root.json")))
    let repository = TUFRepository(
      fetcher: DirectoryFetcher(root: path), metadataBase: "\(DirectoryFetcher.prefix)metadata",
      targetsBase: "\(DirectoryFetcher.prefix)files")
    var client = try TUFClient(
      repository: repository, store: EmptyStore(), shippedRoot: root,
      now: Timestamp(secondsSinceEpoch: Int64(Date().timeIntervalSince1970)))
    try await client.refresh()
    guard let target = try await client.targetInfo("manifest.json") else { return [] }
    let sink = MemorySink()
    try await client.download(target, into: sink)
    return sink.bytes
  }
}

struct UnexpectedResult: Error, CustomStringConvertible {
  let description: String
}

/// Hands back the result of a call that must have worked.
@discardableResult
func expectDone(_ result: ChildResult) throws -> ChildResult {
  guard result.status == .exited(0) else {
    throw UnexpectedResult(description: "\(result.status): \(result.output)\(result.errors)")
  }
  return result
}

/// A client that knows nothing yet, for one run.
final class EmptyStore: TrustedMetadataStore {
  private let items = Mutex<[StoredMetadata: [UInt8]]>([:])

  func load(_ item: StoredMetadata) -> [UInt8]? { items.withLock { $0[item] } }
  func store(_ bytes: [UInt8], as item: StoredMetadata) { items.withLock { $0[item] = bytes } }
  func remove(_ item: StoredMetadata) { items.withLock { $0[item] = nil } }
}
