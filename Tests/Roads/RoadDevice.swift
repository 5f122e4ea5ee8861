import OTAFeed
import OTAManifest
import OTATransfer
import ParserUpdater

/// A device of ours: it updates over HTTP, launches, and says that what it got works.
final class RoadDevice {
  private let name: String
  private let configuration: UpdaterConfiguration
  private let reader: FeedReader
  private var last: Int64 = 0
  private var heard: Set<Int64> = []

  init(_ name: String, _ place: Place, _ url: String, _ store: String, _ trust: Trust) {
    self.name = name
    let location: FeedLocation
    do { location = try FeedLocation(url) } catch { preconditionFailure("\(url): \(error)") }
    var configuration = UpdaterConfiguration(
      directory: store, feed: location, trust: trust, embedded: .directory("\(store)-no-app"))
    configuration.allowsPlainHTTPOnLoopback = true
    self.configuration = configuration
    reader = FeedReader(location, fetcher: place.fetcher, allowsPlainHTTPOnLoopback: true)
  }

  private func updater(_ now: Timestamp) -> Updater {
    Updater(configuration, reader: reader, now: { now })
  }

  /// Updates and launches; what runs afterwards must be what the model says.
  func visit(_ situation: Readers.Situation) async throws {
    var problem: Problem?
    do { _ = try await updater(situation.now).update() } catch { problem = error }
    let launch = updater(situation.now)
    let active = launch.activate()
    launch.confirm(active)
    let running = active.version?.number ?? 0
    // What was heard of a manifest counts, whether or not the files of its release could be had.
    // After a kill the name that is read without signatures may still show the release before.
    if configuration.trust != .checksumsOnly || situation.model.lagging[.stable] == nil {
      heard = situation.model.withdrawn[.stable] ?? []
    }
    guard !heard.contains(running) else {
      throw Violation(
        "withdrawn-runs", "the \(name) runs release \(running), which is withdrawn (\(say(problem)))")
    }
    // A new epoch leaves a device only what is still signed, and the release that it had may not be kept any more.
    let isForgotten =
      configuration.trust != .checksumsOnly && problem != nil && situation.model.rootVersion > 1
      && situation.model.release(last) == nil
    guard running >= last || heard.contains(last) || isForgotten else {
      throw Violation("device-back", "the \(name) went from release \(last) to \(running)")
    }
    last = running
    guard situation.isWhole else { return }
    if let problem { throw Violation("device-update", "the \(name) cannot update: \(say(problem))") }
    guard let seen = situation.visible.first(where: { $0.version == running }) else {
      throw Violation(
        "other-release", "the \(name) runs release \(running), not \(situation.visible.map(\.version))")
    }
    guard active.bundle == seen.content.bundleBytes, active.sources == seen.content.catalogBytes else {
      throw Violation("other-content", "the \(name) runs other files than those of release \(running)")
    }
  }

  private func say(_ problem: Problem?) -> String {
    problem.map { "\($0.code.rawValue) \($0.message)" } ?? "the update ended well"
  }
}
