internal import ParserUpdater
internal import Synchronization

/// The progress bar of an update, over all files of the release.
final class DownloadBar: Sendable {
  private let context: CommandContext
  private let current = Mutex<ProgressBar?>(nil)

  init(_ context: CommandContext) { self.context = context }

  /// Takes the progress of an update, from whatever thread.
  func show(_ progress: UpdateProgress) {
    switch progress {
    case .checking, .downloading: break
    case .receiving(let received, let total):
      bar(total).update(doneBytes: received, totalBytes: total)
    case .reusing(let name):
      context.talk.note("\(name): already on this device")
    case .staging: end()
    }
  }

  /// Ends the bar.
  func end() {
    let bar = current.withLock { current in
      defer { current = nil }
      return current
    }
    bar?.finish()
  }

  private func bar(_ total: Int64) -> ProgressBar {
    current.withLock { current in
      if let current { return current }
      let bar = ProgressBar("downloading", totalBytes: total, context)
      current = bar
      return bar
    }
  }
}
