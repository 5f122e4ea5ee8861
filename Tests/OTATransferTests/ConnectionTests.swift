import Foundation
import OTATransfer
import TestSupport
import Testing

@Suite("Connections and threads")
struct ConnectionTests {
  @Test("two fetches of one fetcher use one connection")
  func reuse() async throws {
    let fetcher = loopbackFetcher()
    try await withServer({ _ in .ok(patterned(100_000)) }) { server in
      for _ in 0..<5 {
        let arrived = try await fetcher.bytes(server.url)
        #expect(arrived == patterned(100_000))
      }
      #expect(server.requests.map(\.connection) == [1, 1, 1, 1, 1])
    }
  }

  @Test("a missing file does not cost the connection")
  func reuseAfterError() async throws {
    let fetcher = loopbackFetcher()
    try await withServer({ $0.path == "/" ? .ok([1]) : .notFound }) { server in
      #expect(
        await fetcher.failure(FetchRequest(url: server.url + "2.root.json", maxBytes: 100))?.kind == .notFound
      )
      let arrived = try await fetcher.bytes(server.url)
      #expect(arrived == [1])
      #expect(server.requests.map(\.connection) == [1, 1])
    }
  }

  @Test("fifty fetches at once bring fifty right bodies")
  func parallel() async throws {
    let fetcher = loopbackFetcher()
    try await withServer({ .ok(patterned(Int($0.path.dropFirst()) ?? 0)) }) { server in
      let right = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 1...50 {
          let size = number * 1000
          group.addTask { try await fetcher.bytes(server.url + "\(size)") == patterned(size) }
        }
        return try await group.reduce(into: 0) { if $1 { $0 += 1 } }
      }
      #expect(right == 50)
    }
  }

  @Test("released fetchers leave no thread and no descriptor behind")
  func noLeaks() async throws {
    try await withServer({ _ in .ok([1]) }) { server in
      for _ in 0..<30 {
        let fetcher = loopbackFetcher()
        let arrived = try await fetcher.bytes(server.url)
        #expect(arrived == [1])
      }
      // Other tests run beside this one, so that only the size of the rest can be judged.
      try await until { try transferThreads() < 25 }
    }
  }

  private func transferThreads() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").filter { task in
      (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8))?.hasPrefix(
        "ota-transfer") == true
    }.count
  }
}
