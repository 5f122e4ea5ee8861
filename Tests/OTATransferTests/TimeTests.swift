import OTATransfer
import TestSupport
import Testing

@Suite("Slow, stalled and cancelled transfers")
struct TimeTests {
  private func impatient() -> CurlFetcher {
    loopbackFetcher { $0.stall = .init(bytesPerSecond: 1000, seconds: 1) }
  }

  @Test("B24: two bytes and then nothing is a stall")
  func stalledBody() async throws {
    try await withServer({ _ in .stalled(patterned(5000), after: 2) }) { server in
      let start = ContinuousClock.now
      let error = await impatient().failure(FetchRequest(url: server.url, maxBytes: 5000))
      #expect(error?.kind == .stalled)
      #expect(start.duration(to: .now) >= .seconds(1))
      #expect(start.duration(to: .now) < .seconds(8))
    }
  }

  @Test("B24: a server that accepts and never answers is a stall, and a later fetch works")
  func silentServer() async throws {
    let fetcher = impatient()
    try await withServer({ $0.path == "/silent" ? .silent : .ok([1]) }) { server in
      let start = ContinuousClock.now
      let error = await fetcher.failure(FetchRequest(url: server.url + "silent", maxBytes: 5000))
      #expect(error?.kind == .stalled)
      #expect(start.duration(to: .now) < .seconds(8))
      let arrived = try await fetcher.bytes(server.url)
      #expect(arrived == [1])
    }
  }

  @Test("a trickle under the limit is a stall as well")
  func trickle() async throws {
    try await withServer({ _ in .slow(patterned(5000), bytesPerStep: 10, every: 50) }) { server in
      let error = await impatient().failure(FetchRequest(url: server.url, maxBytes: 5000))
      #expect(error?.kind == .stalled)
    }
  }

  @Test("B73: a slow and steady transfer completes although it takes longer than the stall window")
  func slowAndSteady() async throws {
    let body = patterned(12_000)
    try await withServer({ _ in .slow(body, bytesPerStep: 200, every: 40) }) { server in
      let start = ContinuousClock.now
      let sink = MemorySink()
      _ = try await impatient().fetch(FetchRequest(url: server.url, maxBytes: 12_000), into: sink)
      #expect(sink.bytes == body)
      #expect(start.duration(to: .now) > .seconds(2))
    }
  }

  @Test("a cancelled transfer ends at once")
  func cancellation() async throws {
    let fetcher = loopbackFetcher()
    try await withServer({ _ in .silent }) { server in
      let task = Task { await fetcher.failure(FetchRequest(url: server.url, maxBytes: 10)) }
      try await until { server.requests.count == 1 }
      let start = ContinuousClock.now
      task.cancel()
      #expect(await task.value?.kind == .cancelled)
      #expect(start.duration(to: .now) < .seconds(2))
    }
  }

  @Test("a task that is cancelled already does not connect")
  func cancelledBeforehand() async throws {
    let fetcher = loopbackFetcher()
    try await withServer({ _ in .ok([1]) }) { server in
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await fetcher.failure(FetchRequest(url: server.url, maxBytes: 10))
      }
      #expect(await task.value?.kind == .cancelled)
      #expect(server.requests.isEmpty)
    }
  }

  @Test("forty transfers cancelled at different moments all end as cancelled")
  func manyCancellations() async throws {
    let fetcher = loopbackFetcher()
    try await withServer({ _ in .stalled(patterned(5000), after: 100) }) { server in
      let kinds = await withTaskGroup(of: TransferError.Kind?.self) { group in
        for number in 0..<40 {
          group.addTask {
            let task = Task { await fetcher.failure(FetchRequest(url: server.url, maxBytes: 5000)) }
            for _ in 0..<(number * 20) { await Task.yield() }
            task.cancel()
            return await task.value?.kind
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(kinds == Array(repeating: .cancelled, count: 40))
    }
  }

  @Test("a fetcher that is let go during a fetch finishes it")
  func releasedDuringFetch() async throws {
    try await withServer({ _ in .slow(patterned(1000), bytesPerStep: 500, every: 20) }) { server in
      let task = Task { [fetcher = loopbackFetcher()] in try await fetcher.bytes(server.url) }
      let arrived = try await task.value
      #expect(arrived == patterned(1000))
    }
  }
}

/// Waits for a condition that another thread brings about, for at most five seconds.
func until(_ condition: () async throws -> Bool) async throws {
  for _ in 0..<1000 {
    if try await condition() { return }
    try await Task.sleep(for: .milliseconds(5))
  }
  Issue.record("the condition did not come about")
}
