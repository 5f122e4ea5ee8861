import OTAArchive
import OTAFeed
import OTAManifest
import OTAStorage
import ParserPublisher
import ParserUpdater
import TestSupport
import UpdaterTestSupport

/// A feed with a copy of release 1 in an app, and devices that follow it: some ask it, some are handed archives.
final class ArchiveScene: Sendable {
  let feed: StoryFeed

  init(signed: Bool, start: Timestamp = TestFeed.date) async throws {
    feed = try await StoryFeed(signed: signed, start: start)
    try await feed.publish("one")
    _ = try await feed.publisher.embed(nil, channel: .stable, into: feed.folder.path("app"))
  }

  var app: String { feed.folder.path("app") }

  /// An archive of the live release, or of another one, as it is exported at this moment.
  func export(
    _ number: Int64? = nil, from location: FeedLocation? = nil,
    change: (inout ExportRequest) -> Void = { _ in }
  ) async throws -> [UInt8] {
    var request = ExportRequest(location ?? .directory(feed.feed))
    request.version = number.map(version)
    change(&request)
    return try await Publisher.export(request, now: feed.now).archive
  }

  /// A device that keeps its store in a folder of this name.
  func updater(
    _ name: String, trust: Trust? = nil, change: (inout UpdaterConfiguration) -> Void = { _ in }
  ) throws -> Updater {
    let shipped =
      feed.isSigned ? Trust.root(try readFile(at: "\(app)/root.json", maxBytes: 1 << 20)) : .checksumsOnly
    var configuration = UpdaterConfiguration(
      directory: feed.folder.path(name), feed: .directory(feed.feed), trust: trust ?? shipped,
      embedded: .directory(app))
    change(&configuration)
    return Updater(configuration, reader: FeedReader(.directory(feed.feed)), now: { [feed] in feed.now })
  }

  @discardableResult
  func hand(_ archive: [UInt8], to name: String) async throws -> UpdateResult {
    try await updater(name).update(from: ReleaseArchive(archive, name: "release.tar.zst"))
  }

  /// A launch that goes well; the number of the release that ran.
  @discardableResult
  func launch(_ name: String) throws -> Int64? {
    let updater = try updater(name)
    let active = updater.activate()
    updater.confirm(active)
    return active.version?.number
  }

  /// Every file of a store with its bytes, but for what may differ between two devices: who told them what, and when.
  func store(_ name: String) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for path in try listTree(feed.folder.path(name)) where !path.hasSuffix("/history.jsonl") {
      files[path] = try readFile(at: "\(feed.folder.path(name))/\(path)", maxBytes: 1 << 26)
    }
    return files
  }

  func history(_ name: String) throws -> [String] { try updater(name).history().map(\.text) }
}

/// The files of an archive, in their order.
func archivedFiles(_ archive: [UInt8]) throws -> [ArchivedFile] {
  var reader = try ArchiveReader(ArchiveBytes(archive))
  var files: [ArchivedFile] = []
  while let entry = try reader.next() {
    var bytes: [UInt8] = []
    while true {
      let chunk = try reader.read()
      if chunk.isEmpty { break }
      bytes += chunk
    }
    files.append((entry.name, bytes))
  }
  try reader.finish()
  return files
}
