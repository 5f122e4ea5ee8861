import Glibc
import OTAManifest
import TestSupport
import Testing
import UpdaterTestSupport

/// What makes a device believe a feed, as the tool says and shows it.
@Suite("Trust on the command line") struct DeviceTrustTests {
  /// A signed feed in a folder, the copy inside an app, and its root beside it.
  private struct Place {
    let home: TemporaryDirectory
    let feed: MemoryFeed

    init() throws {
      home = try TemporaryDirectory()
      feed = MemoryFeed(signer: FeedSigner(now: Timestamp(secondsSinceEpoch: Int64(time(nil)))))
      try SampleRelease(30).write(to: home.path("app"))
      try feed.publish(31)
      feed.write(to: home.path("feed"))
    }

    var root: [UInt8] { feed.signer?.root() ?? [] }

    func tool(_ arguments: String...) throws -> (status: Int32?, output: String, errors: String) {
      let result = try run(BuiltProducts.path(of: "parser-ota"), arguments)
      guard case .exited(let status) = result.status else { return (nil, result.output, result.errors) }
      return (status, result.output, result.errors)
    }

    func initialise(_ options: String...) throws -> (status: Int32?, output: String, errors: String) {
      let usual = [
        "device", "init", "--store", home.path("store"), "--feed", home.path("feed"), "--embedded",
        home.path("app"), "--json",
      ]
      let result = try run(BuiltProducts.path(of: "parser-ota"), usual + options)
      guard case .exited(let status) = result.status else { return (nil, result.output, result.errors) }
      return (status, result.output, result.errors)
    }
  }

  @Test("a store is signed unless the opposite is said; without a root both ways out are named")
  func neither() throws {
    let place = try Place()
    let result = try place.initialise()
    #expect(result.status == 2 && result.output.contains("\"code\":\"missing-option\""))
    #expect(result.output.contains("--root FILE") && result.output.contains("--checksums-only"))
    plant(place.root, at: place.home.path("r.json"))
    let both = try place.initialise("--checksums-only", "--root", place.home.path("r.json"))
    #expect(both.status == 2 && both.output.contains("conflicting-options"))
    #expect(!tree(place.home.path).contains("store/"))
  }

  @Test("root.json beside the copy inside the app is taken, and status shows versions and expiries")
  func besideEmbedded() throws {
    let place = try Place()
    plant(place.root, at: place.home.path("app/root.json"))
    let made = try place.initialise()
    #expect(made.status == 0 && made.output.contains("\"trust\":\"root\""))
    #expect(made.output.contains("\"rootVersion\":1"))
    let store = place.home.path("store")
    #expect(try place.tool("device", "update", "--store", store).status == 0)
    let status = try place.tool("device", "status", "--store", store, "--json")
    for role in ["root", "timestamp", "snapshot", "targets"] {
      #expect(status.output.contains("\"role\":\"\(role)\",\"version\":1,\"expires\":\""))
    }
    #expect(status.output.contains("\"stale\":null") && status.output.contains("\"clockDoubt\":null"))
    #expect(try place.tool("device", "status", "--store", store).output.contains("signed, root version 1"))
    #expect(
      try place.tool("device", "explain", "--store", store).output.contains("trust: signed, root version 1"))
    #expect(try place.tool("device", "activate", "--store", store).output.contains("release 31"))
  }

  @Test("a root that nobody should trust is refused, with the id of the weak key, and no store is made")
  func weakRoot() throws {
    let place = try Place()
    let (root, id) = try WeakRoot.make()
    plant(root, at: place.home.path("weak.json"))
    let result = try place.initialise("--root", place.home.path("weak.json"))
    #expect(result.status == 3 && result.output.contains("trust-weak-key") && result.output.contains(id))
    plant("{}", at: place.home.path("app/root.json"))
    #expect(try place.initialise().status == 3)
    #expect(!tree(place.home.path).contains("store/"))
  }

  @Test("a store of an older version is read as what it was, and init may change its trust")
  func olderSettings() throws {
    let place = try Place()
    let store = place.home.path("store")
    plant(
      """
      {"format":1,"feed":"\(place.home.path("feed"))","trust":"checksums-only","embedded":"\(place.home.path("app"))",
      "channel":"stable","contracts":[],"unconfirmedLaunches":2,"allowHTTPLoopback":false}
      """, at: "\(store)/device.json")
    let status = try place.tool("device", "status", "--store", store, "--json")
    #expect(status.status == 0 && status.output.contains("\"trust\":\"checksums-only\""))
    plant(place.root, at: place.home.path("app/root.json"))
    #expect(try place.initialise().output.contains("\"code\":\"updated\""))
    #expect(try place.tool("device", "check", "--store", store).status == 0)
  }

  @Test("verify looks at signatures with the root that it is given, else with the one of the folder")
  func verify() throws {
    let place = try Place()
    let feed = place.home.path("feed")
    let own = try place.tool("verify", "--feed", feed, "--json")
    #expect(
      own.status == 0 && own.output.contains("root-of-feed") && own.output.contains("\"trust\":\"root\""))
    plant(place.root, at: place.home.path("root.json"))
    let given = try place.tool("verify", "--feed", feed, "--root", place.home.path("root.json"), "--json")
    #expect(given.status == 0 && given.output.contains("\"findings\":[]"))
    plant(FeedSigner(seed: 100).root(), at: place.home.path("other.json"))
    let other = try place.tool("verify", "--feed", feed, "--root", place.home.path("other.json"), "--json")
    #expect(other.status == 3 && other.output.contains("trust-signature"))
  }
}
