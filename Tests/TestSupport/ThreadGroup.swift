import Glibc
import Synchronization

/// Plain threads that can be waited for together.
final class ThreadGroup: Sendable {
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private let threads = Mutex<[pthread_t]>([])

  /// Runs `body` on a thread of its own; runs nothing when the system has no thread left.
  func start(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(body))
    let code = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, work.toOpaque())
    guard code == 0 else { return work.release() }
    threads.withLock { $0.append(thread) }
  }

  /// Joins every thread, including those that the others started meanwhile.
  func wait() {
    while let thread = threads.withLock({ $0.popLast() }) { pthread_join(thread, nil) }
  }
}
