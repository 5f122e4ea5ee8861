internal import Synchronization

/// Makes one rising progress of the files of a release, whatever is tried again meanwhile.
final class WholeProgress: Sendable {
  private let report: @Sendable (UpdateProgress) -> Void
  private let sizes: [Int64]
  private let received: Mutex<[Int64]>

  /// - Parameter sizes: the bytes of each file.
  init(of sizes: [Int64], _ report: @escaping @Sendable (UpdateProgress) -> Void) {
    self.report = report
    self.sizes = sizes
    received = Mutex(Array(repeating: 0, count: sizes.count))
  }

  /// Where the progress of one file goes.
  func file(_ index: Int) -> @Sendable (UpdateProgress) -> Void {
    { [self] progress in
      switch progress {
      case .downloading(let name, let bytes, _): note(index, name, bytes)
      case .reusing(let name):
        report(.reusing(name))
        note(index, name, sizes[index], isDownload: false)
      default: report(progress)
      }
    }
  }

  /// Reports under the lock, so that the reports of two threads stay in order.
  private func note(_ index: Int, _ name: String, _ bytes: Int64, isDownload: Bool = true) {
    received.withLock { received in
      guard bytes >= received[index] else { return }
      received[index] = min(bytes, sizes[index])
      if isDownload { report(.downloading(name, received: received[index], total: sizes[index])) }
      report(.receiving(received: received.reduce(0, +), total: sizes.reduce(0, +)))
    }
  }
}
