internal import CLinux
internal import Glibc
internal import Synchronization

/// Waits a few milliseconds between two looks at a process, by counting ticks instead of asking a clock.
///
/// The timers of the runtime wait for a moment, and that moment may be weeks away when the clock of a process is moved from
/// outside, as tests of clocks do. A tick takes as long as it takes, whatever the clock says.
package enum Pause {
  private static let ticker = Ticker()

  /// Waits about this long, without holding a thread of the caller.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before or meanwhile.
  package static func wait(milliseconds: Int) async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    await withCheckedContinuation { ticker.add(milliseconds, $0) }
    if Task.isCancelled { throw CancellationError() }
  }
}

/// One thread for all that wait; it ends when nobody has waited for a while.
private final class Ticker: Sendable {
  private struct Waiter {
    var milliseconds: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var waiters: [Waiter] = []
    var isRunning = false
  }

  private static let maxIdleTicks = 500

  private let state = Mutex(State())

  func add(_ milliseconds: Int, _ continuation: CheckedContinuation<Void, Never>) {
    let mustStart = state.withLock { state in
      state.waiters.append(Waiter(milliseconds: milliseconds, continuation: continuation))
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if mustStart, !start() { run() }
  }

  /// Whether a thread took the work.
  private func start() -> Bool {
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(self)
    let code = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Ticker>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      unsafe context.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  private func run() {
    var idleTicks = 0
    while true {
      usleep(1000)
      let due: [Waiter]? = state.withLock { state in
        idleTicks = state.waiters.isEmpty ? idleTicks + 1 : 0
        guard idleTicks < Self.maxIdleTicks else {
          state.isRunning = false
          return nil
        }
        for index in state.waiters.indices { state.waiters[index].milliseconds -= 1 }
        let due = state.waiters.filter { $0.milliseconds <= 0 }
        state.waiters.removeAll { $0.milliseconds <= 0 }
        return due
      }
      guard let due else { return }
      for waiter in due { waiter.continuation.resume() }
    }
  }
}
