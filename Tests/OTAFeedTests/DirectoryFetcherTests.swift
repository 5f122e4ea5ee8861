import Glibc
import OTAManifest
import OTATransfer
import Synchronization
import TestSupport
import Testing
import UpdaterTestSupport

@testable import OTAFeed

/// A feed that is a folder keeps the rules of one behind a server.
@Suite("A feed in a folder")
struct DirectoryFetcherTests {
  private func fetch(
    _ path: String, in root: String, maxBytes: Int = 1000, into sink: any FetchSink = MemorySink()
  ) async -> Result<FetchResponse, TransferError> {
    do {
      let request = FetchRequest(url: DirectoryFetcher.prefix + path, maxBytes: maxBytes)
      return .success(try await DirectoryFetcher(root: root).fetch(request, into: sink))
    } catch {
      return .failure(error)
    }
  }

  private func kind(_ result: Result<FetchResponse, TransferError>) -> TransferError.Kind? {
    if case .failure(let error) = result { return error.kind }
    return nil
  }

  @Test(
    "bytes of any size arrive whole, with the size announced",
    arguments: [0, 1, 65_535, 65_536, 65_537, 300_000])
  func sizes(count: Int) async throws {
    try await withTemporaryDirectory { folder in
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      plant(bytes, at: folder.path("a/b.js"))
      let sink = MemorySink()
      let response = try await fetch("a/b.js", in: folder.path, maxBytes: max(count, 1), into: sink).get()
      #expect(response.status == 200 && response.totalBytes == count && response.resumedFrom == 0)
      #expect(sink.bytes == bytes)
    }
  }

  @Test("what is missing, too large or no file is told apart, with its full path")
  func failures() async throws {
    try await withTemporaryDirectory { folder in
      plant("0123456789", at: folder.path("ten"))
      mkdir(folder.path("folder"), 0o700)
      mkfifo(folder.path("pipe"), 0o600)
      symlink("/etc/passwd", folder.path("link"))
      #expect(kind(await fetch("nothing", in: folder.path)) == .notFound)
      #expect(kind(await fetch("nowhere/nothing", in: folder.path)) == .notFound)
      #expect(kind(await fetch("ten", in: folder.path("not"))) == .notFound)
      #expect(kind(await fetch("ten", in: folder.path, maxBytes: 9)) == .tooLarge)
      for name in ["folder", "pipe", "link", "ten/x"] {
        let result = await fetch(name, in: folder.path)
        #expect(kind(result) == .unreachable, "\(name)")
        guard case .failure(let error) = result else { continue }
        #expect(error.message.contains("\(folder.path)/\(name)"))
      }
    }
  }

  @Test("a sink that cannot store ends the transfer with its own error")
  func sinkFails() async throws {
    try await withTemporaryDirectory { folder in
      plant("0123456789", at: folder.path("ten"))
      for failsAtOnce in [true, false] {
        let result = await fetch("ten", in: folder.path, into: FullSink(failsAtOnce: failsAtOnce))
        guard case .failure(let error) = result else {
          Issue.record("it was stored")
          continue
        }
        #expect(error.kind == .sinkFailed && error.underlying is FullSink.Full)
      }
    }
  }

  private final class FullSink: FetchSink {
    struct Full: Error {}
    let failsAtOnce: Bool
    init(failsAtOnce: Bool) { self.failsAtOnce = failsAtOnce }
    func begin(_ response: FetchResponse) throws { if failsAtOnce { throw Full() } }
    func receive(_ chunk: RawSpan) throws { throw Full() }
  }

  @Test("a cancelled task ends the transfer")
  func cancelled() async throws {
    try await withTemporaryDirectory { folder in
      plant("0123456789", at: folder.path("ten"))
      let path = folder.path
      let task = Task {
        while !Task.isCancelled { await Task.yield() }
        return kind(await fetch("ten", in: path))
      }
      task.cancel()
      #expect(await task.value == .cancelled)
    }
  }

  @Test("progress reaches the size and never passes it")
  func progress() async throws {
    try await withTemporaryDirectory { folder in
      plant([UInt8](repeating: 1, count: 200_000), at: folder.path("big"))
      let steps = Steps()
      let request = FetchRequest(url: DirectoryFetcher.prefix + "big", maxBytes: 200_000) { received, total in
        steps.add(received, total)
      }
      _ = try await DirectoryFetcher(root: folder.path).fetch(request, into: MemorySink())
      #expect(steps.all.map(\.0) == steps.all.map(\.0).sorted() && steps.all.last?.0 == 200_000)
      #expect(steps.all.allSatisfy { $0.1 == 200_000 })
    }
  }
}

/// Collects progress from whatever thread it comes.
private final class Steps: Sendable {
  private let steps = Mutex<[(Int, Int?)]>([])
  var all: [(Int, Int?)] { steps.withLock { $0 } }
  func add(_ received: Int, _ total: Int?) { steps.withLock { $0.append((received, total)) } }
}
