import Glibc
import OTAStorage
import TestSupport
import Testing

/// Locks of the kernel, never of a file's existence.
@Suite("Locks")
struct LockTests {
  @Test("B49: a lock left by a killed process is free at once, its file is no obstacle")
  func killedHolder() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      let holder = try ChildProcess(
        "/usr/bin/python3",
        [
          "-c",
          "import fcntl,sys,time; f=open(sys.argv[1],'w'); fcntl.flock(f,fcntl.LOCK_EX); print('held',flush=True); time.sleep(60)",
          folder.path("lock"),
        ])
      #expect(try holder.readLine() == "held")
      #expect(kindOfError { _ = try directory.lock("lock", .exclusive) } == .busy)
      #expect(kindOfError { _ = try directory.lock("lock", .shared) } == .busy)
      holder.signal(SIGKILL)
      #expect(holder.wait() == .signalled(SIGKILL))
      _ = try directory.lock("lock", .exclusive)
      let names = try folder.names()
      #expect(names == ["lock"])
    }
  }

  @Test("B49: our own process killed with the lock frees it too")
  func killedProbe() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      let holder = try ChildProcess(
        try BuiltProducts.path(of: "storage-probe"), ["lock", folder.path, "lock"])
      #expect(try holder.readLine() == "locked")
      #expect(kindOfError { _ = try directory.lock("lock", .exclusive) } == .busy)
      holder.signal(SIGKILL)
      holder.wait()
      _ = try directory.lock("lock", .exclusive)
    }
  }

  @Test(
    "B49: what a leftover lock file says does not matter", arguments: ["", "999999\n", "1\n", "\u{0}junk"])
  func leftover(text: String) throws {
    try withTemporaryDirectory { folder in
      plant(text, at: folder.path("lock"))
      _ = try Directory.open(folder.path).lock("lock", .exclusive)
    }
  }

  @Test("B49, B69: a directory, a pipe or a link in place of the lock is named, without hanging")
  func planted() throws {
    try withTemporaryDirectory { folder in
      mkdir(folder.path("directory"), 0o700)
      mkfifo(folder.path("pipe"), 0o600)
      plant("VICTIM", at: folder.path("victim"))
      symlink("victim", folder.path("link"))
      symlink("nowhere", folder.path("dangling"))
      let directory = try Directory.open(folder.path)
      for name in ["directory", "pipe", "link", "dangling"] {
        for mode in [LockMode.shared, .exclusive] {
          let kind = kindOfError { _ = try directory.lock(name, mode) }
          #expect(kind == .wrongKind, "\(name) \(mode)")
        }
      }
      #expect(content(folder.path("victim")) == "VICTIM")
      #expect(access(folder.path("nowhere"), F_OK) != 0)
    }
  }

  @Test("a bounded wait ends with busy, not before its time and not long after")
  func boundedWait() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      let held = try directory.lock("lock", .exclusive)
      let start = SystemClock.monotonicNanoseconds()
      let kind = kindOfError {
        _ = try directory.lock("lock", .exclusive, wait: .milliseconds(60))
      }
      let waited = SystemClock.monotonicNanoseconds() - start
      #expect(kind == .busy)
      #expect(waited >= 60_000_000)
      #expect(waited < 10_000_000_000)
      held.release()
    }
  }

  @Test("a wait gets the lock when its holder ends")
  func successfulWait() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      let holder = try ChildProcess(
        try BuiltProducts.path(of: "storage-probe"), ["lock", folder.path, "lock"])
      #expect(try holder.readLine() == "locked")
      holder.closeInput()
      _ = try directory.lock("lock", .exclusive, wait: .seconds(20))
      #expect(holder.wait() == .exited(0))
    }
  }

  @Test("many share, one excludes, and releasing twice is harmless")
  func modes() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      let first = try directory.lock("lock", .shared)
      let second = try directory.lock("lock", .shared)
      #expect(kindOfError { _ = try directory.lock("lock", .exclusive) } == .busy)
      first.release()
      first.release()
      #expect(kindOfError { _ = try directory.lock("lock", .exclusive) } == .busy)
      second.release()
      let alone = try directory.lock("lock", .exclusive)
      #expect(kindOfError { _ = try directory.lock("lock", .shared) } == .busy)
      alone.release()
      #expect(mode(folder.path("lock")) == 0o600)
    }
  }

  @Test("a lock that nobody refers to any more is free")
  func dropped() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      for _ in 0..<100 { _ = try directory.lock("lock", .exclusive) }
    }
  }

  @Test("a directory is locked itself, without a file, and busy at once")
  func directoryItself() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      let reader = try directory.lockSelf(.shared)
      let other = try Directory.open(folder.path).lockSelf(.shared)
      #expect(kindOfError { _ = try directory.lockSelf(.exclusive) } == .busy)
      reader.release()
      other.release()
      let writer = try directory.lockSelf(.exclusive)
      #expect(kindOfError { _ = try directory.lockSelf(.shared) } == .busy)
      writer.release()
      let names = try folder.names()
      #expect(names == [])
    }
  }

  @Test(
    "a share in a numbered lock is seen until its holder goes, is no obstacle to others, and writes nothing")
  func numbered() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      let numbers: [UInt64] = [0, 7 << 2, .max]
      #expect(try directory.lockedNumbers(numbers, in: "leases") == [])
      #expect(try folder.names() == [], "asking makes no file")
      var held: [NumberLock] = []
      for number in numbers + numbers { held.append(try directory.lockNumber(number, in: "leases")) }
      #expect(try directory.lockedNumbers(numbers + [8 << 2], in: "leases") == Set(numbers))
      held.removeLast()
      #expect(try directory.lockedNumbers(numbers, in: "leases") == Set(numbers), "the other share is left")
      held.remove(at: 2)
      #expect(try directory.lockedNumbers(numbers, in: "leases") == [0, 7 << 2])
      held.removeAll()
      #expect(try directory.lockedNumbers(numbers, in: "leases") == [])
      #expect(try directory.size(of: "leases") == 0)
    }
  }

  @Test("a numbered lock ends with its process, however that ends")
  func numberedHolderKilled() throws {
    try withTemporaryDirectory { folder in
      let directory = try Directory.open(folder.path)
      let probe = try BuiltProducts.path(of: "storage-probe")
      let holders = try ["40", "80"].map {
        try ChildProcess(probe, ["lock-number", folder.path, "leases", $0])
      }
      for holder in holders { #expect(try holder.readLine() == "locked") }
      #expect(try directory.lockedNumbers([40, 80, 120], in: "leases") == [40, 80])
      holders[0].signal(SIGKILL)
      holders[0].wait()
      #expect(try directory.lockedNumbers([40, 80, 120], in: "leases") == [80])
      #expect(try holders[1].communicate([], within: .seconds(10)).status == .exited(0))
      #expect(try directory.lockedNumbers([40, 80, 120], in: "leases") == [])
    }
  }
}
