import Glibc
import OTAFeed
import OTAManifest
import ParserUpdater
import Synchronization
import TestSupport

/// A device with a store, an app that holds a copy, a clock that stands still, and a feed in memory.
package final class Device {
  /// The feed that the device reads.
  package let feed: MemoryFeed
  /// Everything that belongs to the device.
  package let home: TemporaryDirectory
  /// The settings; change them between launches as an app upgrade does.
  package var configuration: UpdaterConfiguration
  private let clock = Clock()

  /// A launch: a process that runs a release until the value goes.
  package final class Launch: Sendable {
    /// The updater of the process.
    package let updater: Updater
    /// What the process runs.
    package let release: ActiveRelease

    fileprivate init(_ updater: Updater) {
      self.updater = updater
      release = updater.activate()
    }

    /// The number of the release, 0 when there is none.
    package var version: Int64 { release.version?.number ?? 0 }
    /// Says that the release works.
    @discardableResult
    package func confirm() -> VerdictResult { updater.confirm(release) }
  }

  private final class Clock: Sendable {
    let seconds = Mutex<Int64>(1_780_000_000)
    var now: Timestamp { Timestamp(secondsSinceEpoch: seconds.withLock { $0 }) }
  }

  /// A device whose app holds a release of this number; `nil` for an app without a copy.
  package init(embedded version: Int64? = 30, feed: MemoryFeed = MemoryFeed()) throws {
    self.feed = feed
    home = try TemporaryDirectory()
    configuration = UpdaterConfiguration(
      directory: home.path("store"), feed: .directory(home.path("feed")), trust: feed.trust,
      embedded: .directory(home.path("app")))
    // Tests of retries ask for them, with a clock that does not wait.
    configuration.retries = .none
    configuration.filesAtOnce = 1
    if let version { embed(try SampleRelease(version)) }
  }

  /// The folder of the store.
  package var store: String { configuration.directory }

  /// Ships a release inside the app.
  package func embed(_ release: SampleRelease) { release.write(to: home.path("app")) }

  /// Lets time pass.
  package func wait(seconds: Int64) { clock.seconds.withLock { $0 += seconds } }

  /// The time on the device.
  package var now: Timestamp { clock.now }

  /// The updater of a process that has not launched anything; from now on the app names this location as its feed.
  package func updater(_ location: FeedLocation? = nil) -> Updater {
    let clock = clock
    var reader = feed.reader
    if let location {
      configuration.feed = location
      reader = FeedReader(
        location, allowsPlainHTTPOnLoopback: configuration.allowsPlainHTTPOnLoopback)
    }
    return Updater(configuration, reader: reader, now: { clock.now })
  }

  /// The updater of an app that reads another feed.
  package func updater(reading other: MemoryFeed) -> Updater {
    let clock = clock
    return Updater(configuration, reader: other.reader, now: { clock.now })
  }

  /// Starts the app in a new process.
  package func launch() -> Launch { Launch(updater()) }

  /// Starts the app, runs a release, says that it works and ends; the number of the release.
  @discardableResult
  package func launchAndConfirm() -> Int64 {
    let launch = launch()
    launch.confirm()
    return launch.version
  }

  /// Starts the app and kills it before it says anything; the number of the release.
  @discardableResult
  package func launchAndDie() -> Int64 { launch().version }

  /// Takes the newest release from the feed.
  @discardableResult
  package func update() async throws -> UpdateResult { try await updater().update() }

  /// Takes the newest release, launches it and confirms it: the usual way of a good release.
  package func take(_ version: Int64) async throws {
    try feed.publish(version)
    try await update()
    launchAndConfirm()
  }

  /// The folder of the one stored release with this number.
  package func folder(of version: Int64) throws -> String {
    let releases = "\(store)/releases"
    let name = try namesInDirectory(releases).first { $0.hasPrefix("\(version)-") }
    guard let name else { throw NoSuchFolder(version: version) }
    return "\(releases)/\(name)"
  }

  /// The numbers of the stored releases.
  package var stored: [Int64] {
    let names = (try? namesInDirectory("\(store)/releases")) ?? []
    return names.compactMap { $0.split(separator: "-").first.flatMap { Int64($0) } }.sorted()
  }

  /// What is in the scratch folders, which is nothing between updates.
  package var scratch: [String] {
    tree("\(store)/incoming").map { "incoming/\($0)" } + tree("\(store)/partial").map { "partial/\($0)" }
      + tree(store).filter { $0.hasPrefix(".") }
  }

  private struct NoSuchFolder: Error { let version: Int64 }
}
