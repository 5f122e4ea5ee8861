import OTAFeed
import Glibc
import OTAManifest
import OTAStorage
import TestSupport
import Testing
import UpdaterTestSupport

@testable import ParserUpdater

/// Each name of a store taken by something else: launches go on, updates work or say why, nothing outside is touched.
///
/// Everything runs in processes of its own, so that one that waits for ever fails here instead of stopping the tests.
@Suite("Foreign objects in place of our names", .enabled(if: access("/bin/cp", X_OK) == 0))
struct PlantedNamesTests {
  /// What a store is made of; `42` stands for the folder of the release that runs.
  static let names = [
    "state.json", "state.json.damaged", "lock", "launches", "history.jsonl", "releases", "releases/42",
    "releases/42/manifest.json", "releases/42/parsers.bundle.js", "releases/42/sources.json", "incoming",
    "partial",
    "metadata", "metadata/roots", "metadata/roots/1.root.json", "metadata/timestamp.json",
    "metadata/snapshot.json", "metadata/targets.json",
  ]

  /// What may stand there; each gets the path of the victims, and the place to take.
  private static let objects: [(String, @Sendable (_ victims: String, _ place: String) -> Void)] = [
    ("a link to a file", { symlink("\($0)/file", $1) }),
    ("a dangling link", { symlink("\($0)/new", $1) }),
    ("a file", { plant("not ours", at: $1) }),
    ("a link to a folder", { symlink("\($0)/folder", $1) }),
    ("a pipe", { mkfifo($1, 0o600) }),
    (
      "a folder",
      {
        mkdir($1, 0o700); plant("x", at: "\($1)/inside")
      }
    ),
  ]

  /// A pipe, a folder and a link to one for each name, a link to a file where we write into files, and the rest in turn.
  private static func objects(for name: String) -> [(String, @Sendable (String, String) -> Void)] {
    let writtenTo = ["lock", "launches", "history.jsonl"].contains(name)
    let place = writtenTo ? 0 : (names.firstIndex(of: name) ?? 0)
    return Array(objects[3...]) + [objects[place % 3]]
  }

  /// A signed device that runs 42 and may go back to 41, with 43 on its feed in a folder.
  private func makeDevice() async throws -> Device {
    let signer = FeedSigner(now: Timestamp(secondsSinceEpoch: SystemClock.wallSeconds()))
    let device = try Device(embedded: nil, feed: MemoryFeed(signer: signer))
    device.embed(try SampleRelease(30, .init(marked: 30)))
    plant(signer.root(), at: device.home.path("app/root.json"))
    for version in 41...42 as ClosedRange<Int64> {
      try device.feed.publish(version, .init(marked: version))
      try await device.update()
      device.launchAndConfirm()
    }
    try device.feed.publish(43, .init(marked: 43))
    device.feed.write(to: device.home.path("feed"))
    mkdir(device.home.path("victims"), 0o700)
    plant("precious", at: device.home.path("victims/file"))
    plant("precious", at: device.home.path("victims/folder/inside"))
    return device
  }

  private func probe(_ device: Device, _ verb: String, _ store: String) throws -> [String] {
    let result = try run(
      BuiltProducts.path(of: "activate-probe"),
      [verb, store, device.home.path("app"), device.home.path("feed")],
      timeout: .seconds(20))
    #expect(result.status == .exited(0) && result.errors == "", "\(verb): \(result.status) \(result.errors)")
    return result.output.split(separator: "\n").map(String.init)
  }

  @Test(
    "B69: whatever stands in place of a name, launch and update end, tell, and touch nothing outside",
    arguments: names)
  func planted(name: String) async throws {
    let device = try await makeDevice()
    let folder = try #require(try device.folder(of: 42).split(separator: "/").last)
    let path = name.replacing("releases/42", with: "releases/\(folder)")
    let mayBeMissing = ["state.json.damaged", "launches", "metadata/roots", "metadata/roots/1.root.json"]
    #expect(mayBeMissing.contains(name) || access("\(device.store)/\(path)", F_OK) == 0)
    let victims = Inventory(device.home.path("victims"))
    for (number, object) in Self.objects(for: name).enumerated() {
      let store = device.home.path("store-\(number)")
      #expect(try run("/bin/cp", ["-a", device.store, store]).status == .exited(0))
      let place = "\(store)/\(path)"
      if name.hasPrefix("metadata/roots/") { mkdir("\(store)/metadata/roots", 0o700) }
      try clear(place)
      object.1(device.home.path("victims"), place)
      let told = try probe(device, "meet", store)
      let what = "\(object.0) in place of \(name): \(told)"
      check(told, place, what)
      #expect(Inventory(device.home.path("victims")) == victims, "\(what)")
      try clear(place)
      #expect(try probe(device, "settle", store).first?.hasPrefix("runs 43 ") == true, "\(what)")
    }
  }

  private func clear(_ place: String) throws {
    if unlink(place) != 0 { try removeTree(place) }
  }

  /// Three lines matter: what ran before the update, what became of the update, and what ran after it.
  private func check(_ told: [String], _ place: String, _ what: String) {
    #expect(!told.contains { $0.hasPrefix("violation") }, "\(what)")
    let runs = told.filter { $0.hasPrefix("runs ") }.compactMap { Int($0.split(separator: " ")[1]) }
    #expect(
      runs.count == 2 && [30, 41, 42].contains(runs[0]) && [30, 41, 42, 43].contains(runs[1]), "\(what)")
    let update = told.first { !$0.hasPrefix("runs ") && !$0.hasPrefix("note ") }
    if update == "staged 43" {
      #expect(runs.last == 43, "\(what)")
    } else {
      #expect(update?.contains(place) == true, "the trouble is not named: \(what)")
    }
  }

  @Test("B69: a file swapped after it was verified and before it is used is not used")
  func swappedWhileStaging() async throws {
    let device = try Device(embedded: 30)
    try await device.take(41)
    let release = try device.feed.publish(42)
    let partial = "\(device.store)/partial/\(release.manifest.bundle.sha256.hex)"
    // The bundle was verified when the catalog is asked for.
    device.feed.whenRequested(release.sourcesPath) { flipByte(in: partial) }
    #expect(try await device.update() == .staged(.number(42)))
    let launch = device.launch()
    #expect(launch.version == 41 && launch.release.passedOver.map(\.code) == ["not-whole"])
    device.feed.whenRequested(release.sourcesPath, nil)
    #expect(try await device.update() == .staged(.number(42)))
    #expect(device.launch().release.bundle == release.bundle)
  }
}
