import Foundation

/// The processor time that `work` costs its own thread, in seconds; other tests that run meanwhile do not count.
public func threadSeconds(_ work: () throws -> Void) rethrows -> Double {
  let start = threadClock()
  try work()
  return threadClock() - start
}

private func threadClock() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}
