import Glibc
import TestSupport
import Testing
import UpdaterTestSupport

/// Disks and limits of every size, from nothing at all to just enough: whatever fits, a launch has a whole pair.
@Suite("Too little of everything")
struct SmallDiskTests {
  /// A device whose feed is a folder with release 41, and 42 to come in `new.json`.
  private func makeDevice() throws -> Device {
    let device = try Device(embedded: nil)
    device.embed(try SampleRelease(30, .init(marked: 30)))
    let newer = try device.feed.publish(42, .init(marked: 42))
    let old = try device.feed.publish(41, .init(marked: 41))
    device.feed.write(to: device.home.path("feed"))
    plant(newer.bytes, at: device.home.path("new.json"))
    plant(old.bytes, at: device.home.path("old.json"))
    return device
  }

  /// Runs a script with `go VERB` for the probe, and `$home`, `$store`, `$feed`; its lines.
  private func script(_ device: Device, _ text: String, mounts: Bool) throws -> [String] {
    let setting = """
      probe='\(try BuiltProducts.path(of: "activate-probe"))'; home='\(device.home.path)'
      store="$home/store"; app="$home/app"; feed="$home/feed"
      go() { "$probe" "$1" "$store" "$app" "$feed"; }
      """
    let shell = ["/bin/sh", "-c", "\(setting)\n\(text)"]
    let command = mounts ? ["/usr/bin/unshare", "-m"] + shell : shell
    let result = try run(command[0], Array(command.dropFirst()))
    #expect(result.errors == "")
    return result.output.split(separator: "\n").map(String.init)
  }

  /// What must hold after each `== size`: whole pairs, known problems, and at last the newest release.
  private func check(_ lines: [String], sizes: Int, sourceLocation: SourceLocation = #_sourceLocation) {
    let parts = lines.split { $0.hasPrefix("== ") }
    #expect(parts.count == sizes, "\(lines)", sourceLocation: sourceLocation)
    for part in parts {
      #expect(!part.contains { $0.hasPrefix("violation") }, "\(part)", sourceLocation: sourceLocation)
      let allowed = [
        "runs ", "staged ", "unchanged ", "note disk-full: ", "disk-full: ", "recorded", "nothingToDo",
        "notRecorded",
      ]
      #expect(
        part.allSatisfy { line in allowed.contains { line.hasPrefix($0) } }, "\(part)",
        sourceLocation: sourceLocation)
      #expect(part.last?.hasPrefix("runs 42 ") == true, "\(part)", sourceLocation: sourceLocation)
    }
    #expect(
      lines.contains { $0.hasPrefix("disk-full: ") }, "nothing was ever full", sourceLocation: sourceLocation)
    #expect(parts.contains { $0.first == "staged 41" }, "\(lines)", sourceLocation: sourceLocation)
  }

  @Test(
    "B43: a disk of any size, and of any number of names: whole pairs, no crash, and all is well with space",
    .enabled(if: Machine.mounts, "needs the right to mount"),
    arguments: [
      ("size", [4, 16, 64, 72, 76, 80, 84, 88, 92, 96, 104, 128, 160].map { "\($0)k" }),
      ("nr_inodes", (3...20).map { "\($0)" }),
    ])
  func smallDisks(option: String, sizes: [String]) throws {
    let device = try makeDevice()
    let lines = try script(
      device,
      """
      mkdir "$store"
      for size in \(sizes.joined(separator: " ")); do
        echo "== $size"; mount -t tmpfs -o \(option)=$size,mode=700 none "$store"
        cp "$home/old.json" "$feed/manifest.json"; go update; go confirm
        cp "$home/new.json" "$feed/manifest.json"; go update; go confirm
        mount -o remount,size=4m,nr_inodes=100 "$store"; go settle; umount "$store"
      done
      """, mounts: true)
    check(lines, sizes: sizes.count)
  }

  @Test(
    "B43: a process whose files may grow to so many blocks is told so, or dies of it: the store stays whole",
    arguments: ["trap '' XFSZ", ":"])
  func limitedFileSize(setting: String) throws {
    let device = try makeDevice()
    let lines = try script(
      device,
      """
      cp "$home/old.json" "$feed/manifest.json"; go update; go follow; cp -a "$store" "$home/copy"
      cp "$home/new.json" "$feed/manifest.json"
      for blocks in 0 1 2 3 4 5 6 7 8 12; do
        echo "== $blocks"; rm -rf "$store"; cp -a "$home/copy" "$store"
        (\(setting); ulimit -f $blocks; go update > "$home/told" 2> /dev/null; go activate >> "$home/told" 2> /dev/null)
        go look; go settle
      done
      """, mounts: false)
    let parts = lines.split { $0.hasPrefix("== ") }
    #expect(parts.count == 11, "\(lines)")
    for part in parts.dropFirst() {
      #expect(
        part.last?.hasPrefix("runs 42 ") == true && !part.contains { $0.contains("violation") }, "\(part)")
    }
  }
}
