import Glibc

/// The two clocks of the system.
public enum SystemClock {
  /// Seconds since 1970 in UTC; may jump when somebody sets the clock.
  public static func wallSeconds() -> Int64 { Int64(read(CLOCK_REALTIME).tv_sec) }

  /// Nanoseconds since some moment before this process; never goes back, stands still while the machine sleeps.
  public static func monotonicNanoseconds() -> UInt64 {
    let time = read(CLOCK_MONOTONIC)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    // It fails for unknown clocks and bad pointers only.
    _ = unsafe clock_gettime(clock, &time)
    return time
  }
}
