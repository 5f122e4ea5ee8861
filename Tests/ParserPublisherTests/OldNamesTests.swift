import OTAFeed
import OTAManifest
import OTAStorage
import TestSupport
import Testing

@testable import ParserPublisher

/// The old names of an adopted feed: served as long as promised, then gone for good.
@Suite("Old names of an adopted feed")
struct OldNamesTests {
  @Test(
    "D1: old names go with the fourth release, and only while they are exactly what was put there",
    arguments: AdoptedTrust.allCases)
  func oldNamesEnd(trust: AdoptedTrust) async throws {
    let scene = try TakeOver(trust)
    try await scene.adopt()
    for marker in ["a", "b", "c"] {
      _ = try await scene.publish(marker)
      #expect(try scene.read("sources.json") == scene.old.sources)
    }
    try durablyReplaceFile(at: "\(scene.path)/sources.json", with: Array("mine".utf8))
    _ = try await scene.publish("d")
    let tree = try listTree(scene.path)
    #expect(!tree.contains("./parsers.bundle.js"))
    #expect(try scene.read("sources.json") == Array("mine".utf8))
    #expect(!String(decoding: try scene.read(".parser-ota/feed.json"), as: UTF8.self).contains("oldNames"))
    try scene.deploy()
    try await scene.checkWhole()
  }

  @Test(
    "D1: a publisher killed while it removed the old names blocks no roll back, and a repair brings them not back",
    arguments: AdoptedTrust.allCases)
  func oldNamesHalfGone(trust: AdoptedTrust) async throws {
    let scene = try TakeOver(trust)
    try await scene.adopt()
    for marker in ["a", "b", "c"] { _ = try await scene.publish(marker) }
    let settings = try scene.read(".parser-ota/feed.json")
    _ = try await scene.publish("d")
    // The files were removed, and the settings that say so were not written any more.
    try durablyReplaceFile(at: "\(scene.path)/.parser-ota/feed.json", with: settings)
    var request = RepairRequest()
    request.signers = try trust.keys()
    #expect(try await scene.publisher.repair(request).outcome == .nothingToRepair)
    let back = try await scene.publisher.rollback(
      RollbackRequest(to: version(37), signers: try trust.keys()))
    #expect(back.manifest.content == version(37))
    try scene.deploy()
    try await scene.checkWhole()
  }

  @Test(
    "D1: --keep-old-names 0 drops them at once, also in the folder that was the old feed",
    arguments: AdoptionSource.allCases)
  func dropped(source: AdoptionSource) async throws {
    let scene = try TakeOver(.checksumsOnly)
    let report = try await scene.adopt(source) { $0.keepOldNames = 0 }
    #expect(report.oldNames.isEmpty && report.oldNamesUntil == nil)
    let tree = try listTree(scene.path)
    #expect(!tree.contains("./parsers.bundle.js") && !tree.contains("./sources.json"))
    try scene.deploy()
    try await scene.checkWhole()
  }
}
