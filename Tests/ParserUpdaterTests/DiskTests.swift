import Glibc
import OTAManifest
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// Disks that are full, small, read-only or elsewhere, mounted in a mount namespace that ends with the test.
@Suite("Disks", .enabled(if: Machine.mounts, "needs the right to mount"))
struct DiskTests {
  /// Runs a script with `$probe`, `$home`, `$store`, `$app` and `$feed`; `go VERB` runs the probe on them.
  private func script(_ device: Device, _ text: String) throws -> [String] {
    let probe = try BuiltProducts.path(of: "activate-probe")
    let home = device.home.path
    let setting = """
      probe='\(probe)'; home='\(home)'; store="$home/store"; app="$home/app"; feed="$home/feed"
      go() { "$probe" "$1" "$store" "$app" "$feed"; }
      """
    let result = try run("/usr/bin/unshare", ["-m", "/bin/sh", "-c", "\(setting)\n\(text)"])
    #expect(result.errors == "")
    return result.output.split(separator: "\n").map(String.init)
  }

  /// A device whose feed is a folder with release 42 on it, of 600 KB and 64 KB.
  private func device() throws -> Device {
    let device = try Device(embedded: 30)
    let content = SampleRelease.Content(
      bundle: Fixtures.bundle(marker: "b42", bytes: 600_000), sources: Fixtures.catalog235)
    try device.feed.publish(42, content)
    device.feed.write(to: device.home.path("feed"))
    return device
  }

  /// Makes a store with release 41 confirmed on a file system of 2 MB.
  private let smallStoreWith41 = """
    mkdir "$store"; mount -t tmpfs -o size=2m,mode=700 none "$store"
    mv "$feed/manifest.json" "$home/new.json"; cp "$home/old.json" "$feed/manifest.json"
    go update; go confirm; mv "$home/new.json" "$feed/manifest.json"

    """

  private func addOldRelease(to device: Device) throws {
    let old = try SampleRelease(41)
    device.feed.publish(old)
    device.feed.remove("manifest.json")
    plant(old.bytes, at: device.home.path("old.json"))
    plant(old.bundle, at: device.home.path("feed/\(old.bundlePath)"))
    plant(old.sources, at: device.home.path("feed/\(old.sourcesPath)"))
  }

  @Test("B43: too little space is told before the download, with the bytes needed and free")
  func checkedFirst() throws {
    let device = try device()
    try addOldRelease(to: device)
    let lines = try script(
      device,
      smallStoreWith41 + """
        head -c 1600000 /dev/zero > "$store/hog"
        go check; go update; (cd "$store"; find . | grep -c -e partial/. -e incoming/. -e tmp); go activate; go status
        rm "$store/hog"; go update; go activate
        """)
    try #require(lines.count == 12, "\(lines)")
    #expect(Array(lines[..<3]) == ["staged 41", "runs 41 staged on-trial", "recorded"])
    for line in lines[3...4] {
      #expect(line.hasPrefix("disk-full: release 42 is there, but \(device.store) has "))
      #expect(line.contains(" bytes free and ") && line.hasSuffix(" are needed"))
    }
    #expect(
      Array(lines[5...]) == [
        "0", "runs 41 current confirmed", "current 41", "staged none", "problem disk-full", "staged 42",
        "runs 42 staged on-trial",
      ])
  }

  @Test(
    "B43: the disk fills up in the middle: old pair and state stay, nothing is left, and it works with space")
  func fillsUp() async throws {
    let device = try device()
    try addOldRelease(to: device)
    // The file system has room, the limit on file sizes has not: what a check of the free bytes cannot know.
    let lines = try script(
      device,
      smallStoreWith41 + """
        trap '' XFSZ; (ulimit -f 400; go update)
        (cd "$store"; find . | grep -c -e partial/. -e incoming/. -e tmp)
        go status; go activate; go update; go activate
        """)
    try #require(lines.count == 11, "\(lines)")
    #expect(lines[3].hasPrefix("disk-full: cannot write \(device.store)/partial/"))
    #expect(lines[3].contains("bytes are needed") && lines[3].contains("bytes are free"))
    #expect(
      Array(lines[4...]) == [
        "0", "current 41", "staged none", "problem disk-full", "runs 41 current confirmed", "staged 42",
        "runs 42 staged on-trial",
      ])
  }

  @Test(
    "B43: whichever call finds the disk full or broken, the old pair launches, nothing is left, and it works again",
    .enabled(if: Machine.traces, "needs strace"),
    arguments: ["write:error=ENOSPC", "fsync:error=EIO", "renameat:error=ENOSPC", "mkdirat:error=ENOSPC"],
    1...5)
  func refusedCall(fault: String, ordinal: Int) async throws {
    let device = try Device(embedded: 30)
    let feed = device.home.path("feed")
    try await device.take(41)
    try device.feed.publish(42)
    device.feed.write(to: feed)
    let fault = "inject=\(fault):when=\(ordinal)"
    let command = ["-f", "-qq", "-o", "/dev/null", "-e", fault, try BuiltProducts.path(of: "activate-probe")]
    let result = try run(
      "/usr/bin/strace", command + ["update", device.store, device.home.path("app"), feed])
    let failures = ["disk-full: ", "storage-failed: "]
    let failed = failures.contains { result.output.hasPrefix($0) }
    // The fault may hit the probe's own output as well.
    #expect(failed || ["staged 42\n", ""].contains(result.output), "\(result.output)")
    if failed {
      #expect(device.scratch.filter { !$0.hasPrefix("partial/") } == [], "\(fault): \(result.output)")
      #expect(device.stored == [41], "\(fault): \(result.output)")
      #expect(device.launch().version == 41, "\(fault): \(result.output)")
      #expect(try await device.update() == .staged(.number(42)))
    }
    #expect(device.launch().version == 42)
    #expect(device.scratch == [])
  }

  @Test(
    "B44: a read-only store: check says that the update cannot be stored, nothing is downloaded, the app runs on"
  )
  func readOnly() throws {
    let device = try device()
    try addOldRelease(to: device)
    let lines = try script(
      device,
      smallStoreWith41 + """
        mount -o remount,ro "$store"; go check; go update; go activate; go confirm; go status
        mount -o remount,rw "$store"; go update
        """)
    #expect(
      lines.contains { $0.hasPrefix("read-only: release 42 is there, but it cannot be stored here: ") },
      "\(lines)")
    #expect(lines[3].hasPrefix("read-only: ") && lines[4].hasPrefix("read-only: "))
    #expect(lines[5] == "runs 41 current confirmed" && lines[6].hasPrefix("note read-only: "))
    #expect(lines.last == "staged 42")
  }

  @Test("B44: on a read-only disk no trial begins or goes on, and fail still finds the next candidate")
  func readOnlyTrial() async throws {
    let device = try device()
    try addOldRelease(to: device)
    let lines = try script(
      device,
      smallStoreWith41 + """
        go update; mount -o remount,ro "$store"; go activate
        mount -o remount,rw "$store"; go activate; mount -o remount,ro "$store"; go activate; go fail
        """)
    #expect(lines[3] == "staged 42")
    #expect(lines[4] == "runs 41 current confirmed" && lines[6] == "runs 42 staged on-trial")
    #expect(lines[7] == "runs 41 previous confirmed")
    #expect(lines.contains("then 30 embedded confirmed"), "\(lines)")
  }

  @Test("B43: on a full disk no trial begins, what is confirmed runs on, and fail finds the next candidate")
  func fullDiskLaunch() throws {
    let device = try device()
    try addOldRelease(to: device)
    let lines = try script(
      device,
      smallStoreWith41 + """
        go update; cat /dev/zero > "$store/hog" 2> /dev/null; go activate; go fail
        rm "$store/hog"; go activate
        """)
    try #require(lines.count == 10, "\(lines)")
    #expect(lines[3...4] == ["staged 42", "runs 41 current confirmed"])
    #expect(lines[5].hasPrefix("note disk-full: ") && lines[6] == "runs 41 current confirmed")
    #expect(lines[7].hasPrefix("note disk-full: "))
    #expect(lines[8...] == ["then 30 embedded confirmed", "runs 42 staged on-trial"])
  }

  @Test("B45: TMPDIR on another file system does not matter; a store may be a bind mount or behind a link")
  func elsewhere() throws {
    let device = try device()
    let lines = try script(
      device,
      """
      mkdir "$home/tmp" "$home/real" "$home/bound"; mount -t tmpfs none "$home/tmp"; export TMPDIR="$home/tmp"
      chmod 700 "$home/real" "$home/bound"
      ln -s real "$store"; go update; go activate; ls "$home/real"; ls "$home/tmp"
      rm "$store"; mount --bind "$home/real" "$home/bound"; ln -s bound "$store"; go activate
      """)
    #expect(
      lines == [
        "staged 42", "runs 42 staged on-trial", "history.jsonl", "incoming", "launches", "lock", "partial",
        "releases",
        "state.json", "runs 42 current on-trial",
      ])
  }
}
