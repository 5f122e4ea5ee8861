import OTAFeed
import OTAManifest
import OTAStorage
import OTATransfer
import TestSupport
import Testing

@testable import ParserPublisher

/// What only a real object store can show.
@Suite(.enabled(if: SeaweedServer.program != nil, "SeaweedFS is not in .build/peers: run ci/setup"))
struct SeaweedTests {
  private func store() async throws -> ObjectStore {
    let server = try SeaweedServer.shared.get()
    let settings = try ObjectStoreSettings(
      "s3://large\(UInt32.random(in: 1...UInt32.max))/feed", server.environment
    ) { _ in nil }
    let store = ObjectStore(settings, TestHost.requests(HostConnection())) {
      Timestamp(secondsSinceEpoch: SystemClock.wallSeconds())
    }
    try #require(try await store.makeBucket() == 200)
    return store
  }

  @Test("a file that goes up in parts comes back as it was, and nobody sees it before its last part")
  func parts() async throws {
    let store = try await store()
    let bytes = (0..<(11 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
    let path = "files/releases/1/\(String(repeating: "cd", count: 32)).parsers.bundle.js"
    #expect(
      try await MultipartUpload(store: store, path: path, partBytes: 5 << 20).run(bytes)
        == .written(mark: nil))
    #expect(try await store.size(of: path) == bytes.count)
    #expect(try await store.get(path, maxBytes: bytes.count)?.bytes == bytes)
    #expect(try await store.list("files/releases/1").count == 1)
  }

  @Test("conditions hold: what is there is not made again, and what changed is not replaced")
  func conditions() async throws {
    let store = try await store()
    #expect(try await store.put("a+b=c@d é~'()!*.json", [1], when: .absent) != .refused)
    #expect(try await store.put("a+b=c@d é~'()!*.json", [2], when: .absent) == .refused)
    let mark = try #require(try await store.get("a+b=c@d é~'()!*.json", maxBytes: 10)?.mark)
    #expect(try await store.put("a+b=c@d é~'()!*.json", [3], when: .unchanged(mark)) != .refused)
    #expect(try await store.put("a+b=c@d é~'()!*.json", [4], when: .unchanged(mark)) == .refused)
    #expect(try await store.get("a+b=c@d é~'()!*.json", maxBytes: 10)?.bytes == [3])
    #expect(try await store.list("") == ["a+b=c@d é~'()!*.json"])
    #expect(await problem { _ = try await store.get("a+b=c@d é~'()!*.json", maxBytes: 0) }?.code == .tooLarge)
    try await store.remove("a+b=c@d é~'()!*.json")
    #expect(try await store.get("a+b=c@d é~'()!*.json", maxBytes: 10) == nil)
  }

  @Test("wrong credentials and a bucket that is not there are told apart, without a secret in the words")
  func refusals() async throws {
    let server = try SeaweedServer.shared.get()
    for (change, code) in [("AWS_SECRET_ACCESS_KEY", ProblemCode.forbidden), ("BUCKET", .notFound)] {
      var environment = server.environment
      environment[change] = "wr0ng-s3cr3t"
      let settings = try ObjectStoreSettings("s3://nowhere/feed", environment) { _ in nil }
      let store = ObjectStore(settings, TestHost.requests(HostConnection())) {
        Timestamp(secondsSinceEpoch: SystemClock.wallSeconds())
      }
      let found = await problem { _ = try await store.get("manifest.json", maxBytes: 10) }
      #expect(found?.code == code, "\(String(describing: found))")
      #expect(found.map { "\($0)".contains("wr0ng-s3cr3t") } == false)
    }
  }
}
