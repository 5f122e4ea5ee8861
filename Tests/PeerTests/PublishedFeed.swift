import Foundation
import OTACrypto
import OTAManifest
import TestSupport
import Testing

/// A signed feed that the tool makes and changes, and what ought to be in it.
struct PublishedFeed {
  let directory: TemporaryDirectory
  /// The private keys that sign now.
  private(set) var rootKeys = ["root-1"]
  private(set) var releaseKey = "release-1"
  /// The digest of the bundle of each release so far, by number.
  private(set) var bundles: [String] = []

  var path: String { directory.path("feed") }
  /// The root that a client was shipped with long ago.
  var firstRoot: String { "\(path)/metadata/1.root.json" }
  /// The number of the newest release.
  var newest: Int { bundles.count }

  init(_ directory: TemporaryDirectory) throws {
    self.directory = directory
    try Data(Fixtures.smallCatalog(ids: ["ALPHA", "BETA"]))
      .write(to: URL(fileURLWithPath: directory.path("sources.json")))
    for name in ["root-1", "root-2", "release-1", "release-2", "timestamp"] {
      try must(["key", "generate", "--out", file(name)])
    }
    try must([
      "init", "--feed", path, "--root-key", file("root-1"), "--release-key", file("release-1"),
      "--release-key", file("timestamp"),
    ])
  }

  // MARK: What the tool does

  mutating func publish(_ count: Int) throws {
    for _ in 0..<count {
      let bundle = Fixtures.bundle(marker: "release \(newest + 1)", bytes: 6000)
      try Data(bundle).write(to: URL(fileURLWithPath: directory.path("bundle.js")))
      try change([
        "publish", "--bundle", directory.path("bundle.js"), "--sources", directory.path("sources.json"),
      ])
      bundles.append(try sha256(bundle).hex)
    }
  }

  mutating func rollBack(to version: Int) throws {
    try change(["rollback", "--to", "\(version)", "--yes"])
    bundles.append(bundles[version - 1])
  }

  func refresh() throws { try change(["refresh", "--force"]) }

  mutating func rotateRelease(to name: String) throws {
    let old = try id(releaseKey)
    releaseKey = name
    try changeRoot(["rotate", "--role", "release", "--from", old, "--to-public", file(name) + ".pub"])
  }

  mutating func rotateRoot(to name: String) throws {
    rootKeys.append(name)
    let old = try id(rootKeys[0])
    try changeRoot(["rotate", "--role", "root", "--from", old, "--to-public", file(name) + ".pub"])
    rootKeys.removeFirst()
  }

  /// From now on two keys must sign a root.
  mutating func demandTwoRootKeys(with name: String) throws {
    rootKeys.append(name)
    try changeRoot(["add", "--role", "root", "--public", file(name) + ".pub"])
    try changeRoot(["threshold", "--role", "root", "--threshold", "2"])
  }

  func removeKey(_ name: String, from role: String) throws {
    try changeRoot(["remove", "--role", role, "--key-id", id(name)])
  }

  /// Lets a tenth of all devices have a release, and says something of a source.
  func beginRollout() throws {
    try Data(Fixtures.bundle(marker: "candidate", bytes: 600))
      .write(to: URL(fileURLWithPath: directory.path("bundle.js")))
    try change([
      "publish", "--bundle", directory.path("bundle.js"), "--sources", directory.path("sources.json"),
      "--rollout", "10%",
    ])
    try must([
      "advise", "ALPHA", "--state", "broken", "--text", "no chapters", "--feed", path, "--release-key",
      file(releaseKey),
    ])
  }

  private func change(_ words: [String]) throws {
    try must([words[0], "--feed", path] + words.dropFirst() + ["--release-key", file(releaseKey)])
  }

  private func changeRoot(_ words: [String]) throws {
    let keys = rootKeys.flatMap { ["--root-key", file($0)] } + ["--release-key", file(releaseKey)]
    try must(["key", words[0], "--feed", path] + words.dropFirst() + keys)
  }

  /// The number of the release that a device has after an update; its store is made at the first one.
  func update(store name: String, from url: String) throws -> Int {
    let (store, app) = (directory.path("store \(name)"), directory.path("app"))
    if !FileManager.default.fileExists(atPath: app) { try must(["embed", "--feed", path, "--out", app]) }
    if !FileManager.default.fileExists(atPath: store) {
      try must([
        "device", "init", "--store", store, "--feed", url, "--allow-http-loopback", "--embedded", app,
        "--root", "\(app)/root.json",
      ])
    }
    try must(["device", "update", "--store", store])
    let launched = try must(["device", "activate", "--store", store, "--json"])
    try must(["device", "confirm", "--store", store])
    let object = try JSONSerialization.jsonObject(with: Data(launched.utf8)) as? [String: Any]
    return try #require(object?["version"] as? Int, "\(launched)")
  }

  @discardableResult
  private func must(_ words: [String]) throws -> String {
    let result = try run(
      BuiltProducts.path(of: "parser-ota"), WithoutEngine.arguments(words),
      environment: ["PATH": "/usr/bin:/bin", "HOME": "/"].merging(WithoutEngine.environment) { $1 })
    try #require(result.status == .exited(0), "\(words): \(result.output)\(result.errors)")
    return result.output
  }

  private func file(_ key: String) -> String { directory.path("\(key).pem") }

  private func id(_ key: String) throws -> String {
    let result = try run(
      BuiltProducts.path(of: "parser-ota"), ["key", "public", "--key", file(key), "--json"],
      environment: ["PATH": "/usr/bin:/bin"])
    let object = try JSONSerialization.jsonObject(with: Data(result.stdout)) as? [String: Any]
    return try #require(object?["keyID"] as? String, "\(result.output)\(result.errors)")
  }
}
