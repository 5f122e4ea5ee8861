internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// How interruptible work ended.
enum Ending<Value: Sendable>: Sendable {
  case returned(Value)
  /// A signal came, and the work has ended after its cancellation.
  case interrupted(signal: Int32)
}

/// Runs the work and cancels it at the first SIGINT or SIGTERM, so that it can clean up; a second one ends the process.
///
/// A signal that the process was told to ignore, as `nohup` and background jobs are, stays ignored. The work runs on the
/// calling thread, which waits for it.
func withInterruption<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Ending<Value> {
  let interrupter = Interrupter()
  let watch = SignalWatch { interrupter.receive($0) }
  let value = CallingThread.run(work) { task in interrupter.start { task.cancel() } }
  watch.end()
  return interrupter.signal.map { .interrupted(signal: $0) } ?? .returned(value)
}

/// Turns the first signal into a cancellation and the second one into the end of the process.
private final class Interrupter: Sendable {
  private struct State {
    var signal: Int32?
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  var signal: Int32? { state.withLock { $0.signal } }

  /// Says how to cancel; a signal that came before cancels at once.
  func start(_ cancel: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      state.cancel = cancel
      return state.signal != nil
    }
    if isLate { cancel() }
  }

  func receive(_ number: Int32) {
    let (isFirst, cancel) = state.withLock { state in
      defer { state.signal = state.signal ?? number }
      return (state.signal == nil, state.cancel)
    }
    if !isFirst { _exit(128 + number) }
    cancel?()
  }
}
