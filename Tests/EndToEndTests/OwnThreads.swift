import Foundation
import Testing

/// Runs tests on a few threads of their own, as they block while the tool runs.
///
/// On the shared threads of Swift's tasks they would hold up every test that awaits something.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(Threads.shared) { try await function() }
  }

  private final class Threads: TaskExecutor {
    static let shared = Threads()
    private let queue = OperationQueue()

    init() { queue.maxConcurrentOperationCount = max(2, ProcessInfo.processInfo.activeProcessorCount) }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.addOperation { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
}

extension Trait where Self == OwnThreads {
  /// Runs the tests of a suite on threads of their own.
  static var ownThreads: Self { Self() }
}
