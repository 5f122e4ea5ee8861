import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// A folder with inputs, and soon a feed, an embedded copy and a store; everything is made by the tool itself.
final class Playground: Sendable {
  let directory: TemporaryDirectory
  let tool: Tool

  static let ids = ["ALPHA", "BETA", "GAMMA"]

  init() throws {
    directory = try TemporaryDirectory()
    tool = Tool(directory: directory.path)
    for number in 1...4 {
      try write("bundle-\(number).js", Fixtures.bundle(marker: "number \(number)", bytes: 2000))
    }
    try write("sources.json", Fixtures.smallCatalog(ids: Self.ids))
  }

  /// The absolute path of something in the folder.
  func path(_ name: String) -> String { directory.path(name) }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    let url = URL(fileURLWithPath: path(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

  func read(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

  /// A copy beside the original, with everything in it.
  func copy(_ name: String, to other: String) throws {
    try FileManager.default.copyItem(atPath: path(name), toPath: path(other))
  }

  /// Runs a command line that must succeed.
  @discardableResult
  func must(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Answer {
    let answer = try tool(line, sourceLocation: sourceLocation)
    try #require(answer.code == 0, "\(answer)", sourceLocation: sourceLocation)
    return answer
  }

  // MARK: Scenes

  /// A feed with no release.
  func makeFeed(_ options: String = "") throws {
    try must("init --feed feed --checksums-only \(options)")
  }

  func publish(_ number: Int, _ options: String = "") throws {
    try must("publish --feed feed --bundle bundle-\(number).js --sources sources.json \(options)")
  }

  /// A feed with release 1, and the copy of it in `app`.
  func makeApp() throws {
    try copy(["feed", "app"], of: Self.freshApp.get())
  }

  /// A feed whose newest release is 2, an archive of it in `release.tar.zst`, and a store with release 1 embedded that has not heard of it; and a recording.
  func makeDevice() throws {
    try take(Self.freshDevice.get())
  }

  func initDevice(feed: String = "feed", _ options: String = "") throws {
    try must("device init --store store --feed \(feed) --checksums-only --embedded app \(options)")
    try keepLineage()
  }

  /// What a scene put into the store came from another address; in the story it always came from this one.
  private func keepLineage() throws {
    guard access(path("store/state.json"), F_OK) == 0 else { return }
    let settings = String(decoding: try read("store/device.json"), as: UTF8.self)
    guard let feed = settings.firstMatch(of: #/"feed": "([^"]*)"/#)?.output.1 else { return }
    let state = String(decoding: try read("store/state.json"), as: UTF8.self)
    try write(
      "store/state.json",
      state.replacing(#/("lineage": \{\s*"feed": )"[^"]*"/#) { match in "\(match.output.1)\"\(feed)\"" })
  }

  /// A device on which release 2 runs, confirmed.
  func makeConfirmedDevice() throws {
    try take(Self.confirmedDevice.get())
  }

  // Scenes that many tests begin with are played once, then copied.
  private static let freshApp = Result {
    let playground = try SharedPlaygrounds.make()
    try playground.makeFeed()
    try playground.publish(1)
    try playground.must("embed --feed feed --out app")
    return playground
  }
  private static let freshDevice = Result {
    let playground = try SharedPlaygrounds.make()
    try playground.makeApp()
    try playground.publish(2)
    try playground.must("export --feed feed --out release.tar.zst")
    try playground.initDevice()
    return playground
  }
  private static let confirmedDevice = Result {
    let playground = try SharedPlaygrounds.make()
    try playground.makeDevice()
    for verb in ["update", "activate", "confirm"] { try playground.must("device \(verb) --store store") }
    return playground
  }

  private func take(_ scene: Playground) throws {
    try copy(["feed", "app", "store", "release.tar.zst"], of: scene)
    // The settings name the feed and the embedded copy by absolute paths.
    let settings = String(decoding: try read("store/device.json"), as: UTF8.self)
    try write("store/device.json", settings.replacing(scene.directory.path, with: directory.path))
    try keepLineage()
    try makeRecording()
  }

  private func copy(_ names: [String], of scene: Playground) throws {
    for name in names { try FileManager.default.copyItem(atPath: scene.path(name), toPath: path(name)) }
  }

  /// Every file below a folder with its bytes, to prove that nothing changed.
  func snapshot(_ folder: String) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    let root = path(folder)
    for case let name as String in FileManager.default.enumerator(atPath: root) ?? .init() {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: "\(root)/\(name)", isDirectory: &isFolder),
        !isFolder.boolValue
      else { continue }
      files[name] = try read("\(folder)/\(name)")
    }
    return files
  }
}

/// Runs `body` in a fresh playground that is there until it returns.
func withPlayground(_ body: (Playground) throws -> Void) throws {
  let playground = try Playground()
  try withExtendedLifetime(playground) { try body(playground) }
}

/// Playgrounds that live as long as the test process, and go with it.
enum SharedPlaygrounds {
  private static let paths = Mutex<[String]>([])
  private static let removal: Void = {
    // The scenes are static, so nothing ends them: their folders are removed by hand when the process ends.
    _ = atexit {
      let paths = SharedPlaygrounds.paths.withLock { $0 }
      // What cannot be removed is left for the system to clean.
      _ = try? run("/bin/rm", ["-rf", "--"] + paths)
    }
  }()

  static func make() throws -> Playground {
    _ = removal
    let playground = try Playground()
    paths.withLock { $0.append(playground.directory.path) }
    return playground
  }
}
