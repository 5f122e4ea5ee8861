import TestSupport

/// What this machine lets a test do; what it does not let shows as a skipped test.
enum Machine {
  static let traces =
    (try? run("/usr/bin/strace", ["-o", "/dev/null", "/bin/true"]).status) == .exited(0)
  static let mounts =
    (try? run("/usr/bin/unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status) == .exited(0)
}
