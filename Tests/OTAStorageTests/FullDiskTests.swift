import OTAStorage
import TestSupport
import Testing

/// Disks that are full or read-only, mounted in a mount namespace that ends with the test.
@Suite("Small and read-only disks", .enabled(if: Machine.mounts, "needs the right to mount"))
struct FullDiskTests {
  @Test("B43: a full disk keeps the old file whole, leaves no temporary, and works again with space")
  func full() throws {
    try withTemporaryDirectory { folder in
      let result = try script(
        """
        mount -t tmpfs -o size=300k none "$2"; head -c 100000 /dev/zero > "$2/slot"
        "$1" replace-size "$2" slot 250000; stat -c %s "$2/slot"; ls -A "$2"
        head -c 250000 /dev/zero > "$2/other"
        "$1" replace-size "$2" slot 250000; "$1" replace "$2" slot x; ls -A "$2"; stat -c %s "$2/slot"
        rm "$2/other"; "$1" replace-size "$2" slot 120000; stat -c %s "$2/slot"
        """, folder.path)
      let lines = result.output.split(separator: "\n").map(String.init)
      #expect(
        lines.map { $0.replacing(/\.tmp-[0-9a-f]+/, with: "TEMPORARY") } == [
          "full: cannot write \(folder.path)/TEMPORARY: No space left on device; free some space, then try again",
          "100000", "slot",
          "full: cannot write \(folder.path)/TEMPORARY: No space left on device; free some space, then try again",
          "full: cannot write \(folder.path)/TEMPORARY: No space left on device; free some space, then try again",
          "other", "slot", "100000", "done", "120000",
        ], "\(result.errors)")
    }
  }

  @Test("B43: a disk without room for one more name keeps the old file")
  func noNames() throws {
    try withTemporaryDirectory { folder in
      let result = try script(
        """
        mount -t tmpfs -o nr_inodes=2 none "$2"; echo old > "$2/slot"
        "$1" replace "$2" slot new; cat "$2/slot"; ls -A "$2"
        """, folder.path)
      #expect(result.output.hasPrefix("full: cannot create \(folder.path)/.tmp-"))
      #expect(result.output.hasSuffix("\nold\nslot\n"))
    }
  }

  @Test("B44: a read-only disk is named as such, for writing and for locking")
  func readOnly() throws {
    try withTemporaryDirectory { folder in
      let result = try script(
        """
        mount -t tmpfs none "$2"; echo old > "$2/slot"; mount -o remount,ro "$2"
        "$1" replace "$2" slot new; "$1" lock "$2" slot < /dev/null; "$1" lock "$2" lock; cat "$2/slot"
        """, folder.path)
      let kinds = result.output.split(separator: "\n").map { $0.prefix { $0 != ":" } }
      #expect(kinds == ["readOnly", "readOnly", "readOnly", "old"], "\(result.output)")
      #expect(result.output.contains("Read-only file system; choose a directory that can be written"))
    }
  }

  @Test("B45: a store that is a bind mount works")
  func bindMount() throws {
    try withTemporaryDirectory { folder in
      let result = try script(
        """
        mkdir "$2/real" "$2/store"; mount --bind "$2/real" "$2/store"
        TMPDIR=/dev/shm "$1" replace "$2/store" slot new; cat "$2/real/slot"
        """, folder.path)
      #expect(result.output == "done\nnew")
    }
  }

  @Test(
    "B66: on tmpfs and overlayfs the mode is the one that was asked for, and both kinds of locks work",
    .enabled(if: Machine.overlays, "needs overlayfs"), arguments: ["tmpfs", "overlayfs"])
  func otherFileSystems(kind: String) throws {
    try withTemporaryDirectory { folder in
      let result = try script(
        """
        mount -t tmpfs none "$2"; store="$2/store"; mkdir "$store" "$2/lower" "$2/upper" "$2/work"
        if [ \(kind) = overlayfs ]; then
          echo old > "$2/lower/slot"; chmod 644 "$2/lower/slot"
          mount -t overlay none -o "lowerdir=$2/lower,upperdir=$2/upper,workdir=$2/work" "$store"
        fi
        umask 000; "$1" replace-repeatedly "$store" slot 50; cat "$store/slot"; echo; stat -c %a "$store/slot"
        "$1" lock "$store" lock < /dev/null; "$1" lock-number "$store" leases 7 < /dev/null; ls -A "$store"
        """, folder.path)
      let lines = result.output.split(separator: "\n").map(String.init)
      #expect(
        lines == ["done", "49", "600", "locked", "done", "locked", "done", "leases", "lock", "slot"],
        "\(lines) \(result.errors)")
    }
  }

  private func script(_ text: String, _ folder: String) throws -> ChildResult {
    let probe = try BuiltProducts.path(of: "storage-probe")
    return try run("/usr/bin/unshare", ["-m", "/bin/sh", "-c", text, "sh", probe, folder])
  }
}
