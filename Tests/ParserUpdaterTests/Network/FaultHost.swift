import OTAFeed
import OTAManifest
import ParserFaults
import ParserUpdater
import Synchronization
import TestSupport
import UpdaterTestSupport

/// A clock that waits for nobody: it writes the waits down and moves on.
final class QuickClock: UpdaterClock {
  private let state: Mutex<(seconds: Double, waits: [Duration])>

  init(_ start: Timestamp) { state = Mutex((Double(start.secondsSinceEpoch), [])) }

  var now: Timestamp { Timestamp(secondsSinceEpoch: Int64(state.withLock { $0.seconds })) }
  var waits: [Duration] { state.withLock { $0.waits } }

  func sleep(for duration: Duration) async throws {
    try Task.checkCancellation()
    state.withLock { state in
      state.waits.append(duration)
      state.seconds += duration / .seconds(1)
    }
  }

  func pass(seconds: Double) { state.withLock { $0.seconds += seconds } }
}

/// A device whose feed is served with faults, and whose waits take no time.
struct FaultScene {
  let device: Device
  let server: FaultServer
  let clock: QuickClock

  init(_ mode: TrustMode = .signed) throws {
    device = try Device(embedded: 30, feed: MemoryFeed(mode))
    device.configuration.allowsPlainHTTPOnLoopback = true
    device.configuration.retries = RetryPolicy()
    clock = QuickClock(device.now)
    device.configuration.clock = clock
    try device.feed.publish(31)
    device.feed.write(to: device.home.path("feed"))
    server = try FaultServer(feed: device.home.path("feed"))
    device.configuration.feed = try FeedLocation(server.url)
  }

  /// A new process of the app.
  var updater: Updater { Updater(device.configuration) }

  /// The paths that were asked for a file with this end.
  func requests(for file: String) -> [FaultServer.Record] {
    server.records.filter { FaultRule(.none, file: file).matches($0.path) }
  }
}

extension FaultRule {
  /// Whether the end of a path is that of the rule.
  func matches(_ path: String) -> Bool { file.map(path.hasSuffix) ?? true }
}
