public import OTAManifest
internal import Synchronization

/// Something that an updater did, for logs and metrics of the app.
public enum UpdaterEvent: Equatable, Sendable {
  /// A launch has a release; `nil` when nothing is usable.
  case launched(ReleaseVersion?, ReleaseOrigin)
  /// A verdict on the release of this launch was taken.
  case verdict(VerdictResult)
  /// A release was given up in this launch, for a reason; the second one runs in its place.
  case failed(ReleaseVersion?, reason: String, next: ReleaseVersion?)
  /// A check ended.
  case checked(CheckResult)
  /// An update ended.
  case updated(UpdateResult)
  /// An attempt at a transfer failed and is made again after a wait.
  case retrying(url: String, Problem, attempt: Int, after: Duration)
  /// A check or an update ended with a problem.
  case problem(Problem)
}

/// Hears what an updater does; whatever it does itself, no decision changes.
public protocol UpdaterEventSink: Sendable {
  /// Takes one event, in order, on a task of its own.
  ///
  /// An error is dropped. While it takes long, up to 256 further events wait, and then the oldest are dropped.
  func receive(_ event: UpdaterEvent) async throws
}

/// Carries events to the sink of the app without ever waiting for it.
final class EventRelay: Sendable {
  private static let capacity = 256
  private let continuation: AsyncStream<UpdaterEvent>.Continuation?

  init(to sink: (any UpdaterEventSink)?) {
    guard let sink else {
      continuation = nil
      return
    }
    let (stream, continuation) = AsyncStream.makeStream(
      of: UpdaterEvent.self, bufferingPolicy: .bufferingNewest(Self.capacity))
    self.continuation = continuation
    Task.detached(priority: .utility) {
      for await event in stream {
        do { try await sink.receive(event) } catch {
          // A sink that fails is the app's own affair.
        }
      }
    }
  }

  deinit { continuation?.finish() }

  func send(_ event: UpdaterEvent) { continuation?.yield(event) }
}
