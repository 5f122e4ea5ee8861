import TestSupport
import Testing
import UpdaterTestSupport

/// What one call of `activate()` costs, counted in system calls between two marks that the probe sets.
@Suite("System calls of a launch", .enabled(if: Machine.traces, "needs strace and the right to trace"))
struct SystemCallTests {
  /// One system call: its name and its text with the paths of descriptors.
  private struct Call {
    let name: String
    let text: String
  }

  private func device() async throws -> Device {
    let device = try Device(embedded: 30)
    let bundle = Fixtures.bundle(marker: "b31", bytes: 550_000)
    try device.feed.publish(31, .init(bundle: bundle, sources: Fixtures.catalog235))
    try await device.update()
    return device
  }

  /// The calls of the process, and those of them inside the library call.
  private func trace(_ device: Device, _ expected: String) throws -> (inside: [Call], all: [Call]) {
    let log = device.home.path("trace")
    let probe = try BuiltProducts.path(of: "activate-probe")
    let result = try run(
      "/usr/bin/strace",
      [
        "-f", "-y", "-qq", "-s", "200", "-e", "trace=all", "-o", log, probe, "activate", device.store,
        device.home.path("app"), device.home.path("feed"),
      ])
    #expect(result.output == expected, "\(result.output) \(result.errors)")
    let lines = String(decoding: try #require(content(log)), as: UTF8.self).split(separator: "\n")
    let calls = lines.map { line in
      let text = line.drop { $0 != " " }.drop { $0 == " " }
      return Call(name: String(text.prefix { $0 != "(" }), text: String(text))
    }
    let begin = try #require(calls.firstIndex { $0.text.contains("\"/activate-begin\"") })
    let end = try #require(calls.firstIndex { $0.text.contains("\"/activate-end\"") })
    return (Array(calls[(begin + 1)..<end]), calls)
  }

  private static let writing: Set<String> = [
    "write", "pwrite64", "writev", "pwritev", "pwritev2", "sendfile", "copy_file_range", "ftruncate",
    "truncate",
    "fallocate", "mkdir", "mkdirat", "unlink", "unlinkat", "link", "linkat", "symlink", "symlinkat", "chmod",
    "fchmod", "fchmodat", "chown", "fchown", "fchownat", "utimensat", "mknod", "mknodat", "setxattr",
    "fsetxattr", "io_uring_enter", "io_submit",
  ]
  private static let syncing: Set<String> = [
    "fsync", "fdatasync", "sync", "syncfs", "msync", "sync_file_range",
  ]
  private static let renaming: Set<String> = ["rename", "renameat", "renameat2"]
  private static let reading: Set<String> = ["read", "pread64", "readv", "preadv", "preadv2", "mmap"]

  private func expectOneReadOfEach(_ calls: [Call], _ folder: String) {
    for name in ["parsers.bundle.js", "sources.json"] {
      let opens = calls.filter { $0.name.hasPrefix("open") && $0.text.contains("\"\(name)\"") }
      #expect(opens.count == 1, "\(name) is opened once: \(opens.map(\.text))")
      let reads = calls.filter {
        Self.reading.contains($0.name) && $0.text.contains("<\(folder)/\(name)>")
      }
      #expect(reads.count == 1, "\(name) is read once: \(reads.map(\.text))")
    }
  }

  @Test("a launch of a confirmed release writes nothing, syncs nothing, and reads each file once")
  func confirmed() async throws {
    let device = try await device()
    device.launchAndConfirm()
    let before = tree(device.store)
    let (inside, _) = try trace(device, "runs 31 current confirmed\n")
    #expect(inside.filter { Self.writing.contains($0.name) }.map(\.text) == [])
    #expect(inside.filter { Self.syncing.contains($0.name) }.map(\.text) == [])
    #expect(inside.filter { Self.renaming.contains($0.name) }.map(\.text) == [])
    let creating = inside.filter { $0.text.contains("O_CREAT") || $0.text.contains("O_TRUNC") }
    #expect(creating.map(\.text) == [])
    expectOneReadOfEach(inside, try device.folder(of: 31))
    #expect(inside.filter { ["socket", "connect"].contains($0.name) }.map(\.text) == [])
    #expect(tree(device.store) == before)
  }

  @Test("B11: a launch on trial replaces the state durably, once, before the bundle is given back")
  func trial() async throws {
    let device = try await device()
    device.launchAndDie()
    let (inside, _) = try trace(device, "runs 31 current on-trial\n")
    let state = inside.filter { Self.renaming.contains($0.name) }
    #expect(state.count == 1 && state.first?.text.contains("\"state.json\"") == true, "\(state.map(\.text))")
    let renamed = try #require(inside.firstIndex { Self.renaming.contains($0.name) })
    let syncs = inside.indices.filter { Self.syncing.contains(inside[$0].name) }
    try #require(syncs.count == 2, "the file, then its folder: \(syncs.map { inside[$0].text })")
    #expect(syncs[0] < renamed && inside[syncs[0]].text.contains("/.tmp-"))
    #expect(syncs[1] > renamed && inside[syncs[1]].text.contains("<\(device.store)>"))
    let writes = inside.filter { Self.writing.contains($0.name) && $0.name != "fchmod" }
    #expect(writes.filter { $0.text.contains("/.tmp-") }.count == 1, "\(writes.map(\.text))")
    // The rest is the line of the history, which is not needed to decide anything and not synced.
    #expect(writes.filter { !$0.text.contains("/.tmp-") }.allSatisfy { $0.text.contains("history.jsonl>") })
    expectOneReadOfEach(inside, try device.folder(of: 31))
  }

  @Test("B09: an update syncs each file and folder before the state names them")
  func orderOfUpdate() async throws {
    let device = try Device(embedded: 30)
    try device.feed.publish(31)
    device.feed.write(to: device.home.path("feed"))
    let log = device.home.path("trace")
    let result = try run(
      "/usr/bin/strace",
      [
        "-f", "-y", "-qq", "-s", "200", "-e", "trace=fsync,renameat,renameat2", "-o", log,
        try BuiltProducts.path(of: "activate-probe"), "update", device.store, device.home.path("app"),
        device.home.path("feed"),
      ])
    #expect(result.output == "staged 31\n")
    let lines = String(decoding: try #require(content(log)), as: UTF8.self).split(separator: "\n")
    func first(_ call: String, _ part: String) throws -> Int {
      try #require(
        lines.firstIndex { $0.contains("\(call)(") && $0.contains(part) }, "\(call) \(part) in \(lines)")
    }
    let manifest = try first("fsync", "/manifest.json>")
    let files = lines.indices.filter { lines[$0].contains("fsync(") && lines[$0].contains("/partial/") }
    #expect(files.count == 2)
    let placed = try first("renameat", "/store/releases>")
    let releases = try #require(
      lines.indices.last { lines[$0].contains("fsync(") && lines[$0].contains("/store/releases>") })
    // The first state of a fresh store names no release and comes before; the last one names this.
    let committed = try #require(
      lines.indices.last { lines[$0].contains("renameat(") && lines[$0].contains("\"state.json\"") })
    let scratch = try #require(
      lines.indices.first {
        $0 > manifest && lines[$0].contains("fsync(") && lines[$0].contains("/incoming/31-")
      })
    #expect((files + [manifest, scratch]).allSatisfy { $0 < placed })
    #expect(placed < releases && releases < committed)
    #expect(lines[(committed + 1)...].contains { $0.contains("fsync(") && $0.contains("\(device.store)>") })
  }

  @Test("B46: a launch touches no network and loads no network library")
  func offline() async throws {
    let device = try await device()
    let (_, all) = try trace(device, "runs 31 staged on-trial\n")
    #expect(all.filter { ["socket", "connect", "sendto"].contains($0.name) }.map(\.text) == [])
    #expect(all.filter { $0.text.contains("libcurl") }.map(\.text) == [])
  }
}
