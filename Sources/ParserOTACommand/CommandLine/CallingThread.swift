internal import Dispatch
internal import Synchronization

/// Runs asynchronous work on the thread that waits for it, so that a verb which never waits needs no pool of threads.
///
/// Work of a task group shares that thread. What the libraries start as tasks of their own goes to the usual pool.
final class CallingThread: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let wakeUp = DispatchSemaphore(value: 0)

  /// Runs the work to its end, and meanwhile hands out its task so that it can be cancelled.
  static func run<Value: Sendable>(
    _ work: @escaping @Sendable () async -> Value, started: (Task<Void, Never>) -> Void
  ) -> Value {
    let thread = CallingThread()
    return withExtendedLifetime(thread) {
      let box = ResultBox<Value>()
      let task = Task(executorPreference: thread) {
        box.set(await work())
        thread.wakeUp.signal()
      }
      started(task)
      while true {
        if let value = box.value { return value }
        thread.runNext()
      }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    wakeUp.signal()
  }

  private func runNext() {
    wakeUp.wait()
    let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    unsafe job?.runSynchronously(on: asUnownedTaskExecutor())
  }
}

/// A result that one thread sets and another one looks for.
private final class ResultBox<Value: Sendable>: Sendable {
  private let state = Mutex<Value?>(nil)

  var value: Value? { state.withLock { $0 } }

  func set(_ value: Value) { state.withLock { $0 = value } }
}
