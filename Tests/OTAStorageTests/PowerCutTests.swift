import OTAStorage
import TestSupport
import Testing

/// A file system of its own that is shut down without writing anything back, as when the power goes.
@Suite("Power cuts", .enabled(if: SmallDisk.possible, "needs loop mounts, mkfs.ext4 and python3"))
struct PowerCutTests {
  @Test("B09: what was replaced survives; what was only renamed into place does not")
  func survives() throws {
    try withTemporaryDirectory { folder in
      let result = try SmallDisk.cutPower(
        in: folder.path,
        after: """
          "$1" replace disk slot NEW; "$1" replace disk first FIRST
          printf lost > disk/temporary; mv disk/temporary disk/unflushed
          """)
      #expect(result.output == "done\ndone\nbefore\nFIRST\nNEW\n", "\(result.errors)")
      #expect(result.errors.contains("unflushed"), "the cut must lose what nobody flushed")
    }
  }
}

/// An ext4 file system in a file.
private enum SmallDisk {
  static let possible =
    Machine.mounts
    && (try? withTemporaryDirectory { try cutPower(in: $0.path, after: "true").output }) == "before\n"

  /// Runs `steps` on a small disk, cuts the power, and prints what is on it then.
  static func cutPower(in folder: String, after steps: String) throws -> ChildResult {
    let script = """
      set -e; mkdir disk; dd if=/dev/zero of=image bs=1M count=16 status=none; mkfs.ext4 -q -F image
      mount -o loop image disk; echo before > disk/before; sync
      \(steps)
      /usr/bin/python3 -c 'import fcntl,os,struct
      fcntl.ioctl(os.open("disk", 0), 0x8004587d, struct.pack("I", 2))'
      umount disk; mount -o loop image disk; cat disk/before
      for name in first slot unflushed; do cat disk/$name && echo; done || true; umount disk
      """
    let probe = try BuiltProducts.path(of: "storage-probe")
    return try run(
      "/usr/bin/unshare", ["-m", "/bin/sh", "-c", script, "sh", probe], directory: folder,
      timeout: .seconds(30))
  }
}
