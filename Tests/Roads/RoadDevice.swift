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

  init(
    _ name: String, _ place: Place, _ url: String, _ store: String, _ trust: Trust,
    _ channel: Channel = .stable
  ) {
    self.name = name
    let location: FeedLocation
    do { location = try FeedLocation(url) } catch { preconditionFailure("\(url): \(error)") }
    var configuration = UpdaterConfiguration(
      directory: store, feed: location, trust: trust, embedded: .directory("\(store)-no-app"))
    configuration.allowsPlainHTTPOnLoopback = true
    configuration.channel = channel
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
    hear(situation)
    guard !heard.contains(running) else {
      throw Violation(
        "withdrawn-runs", "the \(name) runs release \(running), which is withdrawn (\(say(problem)))")
    }
    // A new epoch leaves a device only what is still signed, and the release that it had may not be kept any more.
    let isForgotten =
      configuration.trust != .checksumsOnly && problem != nil && situation.model.rootVersion > 1
      && situation.model.release(last, channel) == nil
    guard running >= last || heard.contains(last) || mayHear(last, situation) || isForgotten else {
      throw Violation("device-back", "the \(name) went from release \(last) to \(running)")
    }
    last = running
    guard situation.isWhole, !isStale(situation) else { return }
    if let problem { throw Violation("device-update", "the \(name) cannot update: \(say(problem))") }
    let visible = situation.visible(channel)
    guard let seen = visible.first(where: { $0.version == running }) else {
      throw Violation(
        "other-release", "the \(name) runs release \(running), not \(visible.map(\.version))")
    }
    guard active.bundle == seen.content.bundleBytes, active.sources == seen.content.catalogBytes else {
      throw Violation("other-content", "the \(name) runs other files than those of release \(running)")
    }
  }

  private var channel: Channel { configuration.channel }

  /// Whether nothing new may be installed, since what is signed is out of date.
  private func isStale(_ situation: Readers.Situation) -> Bool {
    configuration.trust != .checksumsOnly && situation.isExpired
  }

  /// What was heard of a manifest counts, whether or not the files of its release could be had.
  private func hear(_ situation: Readers.Situation) {
    let news = situation.model.withdrawn[channel] ?? []
    if isStale(situation) { return }
    if let former = situation.formerlyWithdrawn {
      // Either manifest may have been read, and the newer one may have taken something off the list.
      heard.formIntersection(news.intersection(former[channel] ?? []))
    } else if configuration.trust != .checksumsOnly || situation.model.lagging[channel] == nil {
      // After a kill the name that is read without signatures may still show the release before.
      heard = news
    }
  }

  private func mayHear(_ version: Int64, _ situation: Readers.Situation) -> Bool {
    situation.formerlyWithdrawn != nil && situation.model.withdrawn[channel]?.contains(version) == true
  }

  private func say(_ problem: Problem?) -> String {
    problem.map { "\($0.code.rawValue) \($0.message)" } ?? "the update ended well"
  }
}
