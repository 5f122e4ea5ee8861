internal import ParserUpdater
internal import Synchronization

/// One progress bar for each file of an update.
final class DownloadBar: Sendable {
  private struct Current {
    var name = ""
    var bar: ProgressBar?
  }

  private let context: CommandContext
  private let current = Mutex(Current())

  init(_ context: CommandContext) { self.context = context }

  /// Takes the progress of an update, from whatever thread.
  func show(_ progress: UpdateProgress) {
    switch progress {
    case .checking: break
    case .downloading(let name, let received, let total):
      bar(for: name, total: total).update(doneBytes: received, totalBytes: total)
    case .reusing(let name):
      end()
      context.talk.note("\(name): already on this device")
    case .staging: end()
    }
  }

  /// Ends the bar of the last file.
  func end() {
    let bar = current.withLock { current in
      defer { current = Current() }
      return current.bar
    }
    bar?.finish()
  }

  private func bar(for name: String, total: Int64) -> ProgressBar {
    let (finished, bar) = current.withLock { current -> (ProgressBar?, ProgressBar) in
      if current.name == name, let bar = current.bar { return (nil, bar) }
      let finished = current.bar
      let bar = ProgressBar("downloading \(name)", totalBytes: total, context)
      current = Current(name: name, bar: bar)
      return (finished, bar)
    }
    finished?.finish()
    return bar
  }
}
