import Foundation
import TestSupport
import Testing

/// The short form of `ci/crash-sweep`, on the tool that was built with the tests.
@Suite("Crash sweep", .enabled(if: CrashSweep.possible, "needs a C compiler and /usr/bin/python3"))
struct CrashSweepTests {
  @Test("B02, B11, B43, B49: where something was wrong once, it is right now")
  func findings() throws {
    try CrashSweep.expectNothing(["--findings"], atLeast: 30)
  }

  @Test(
    "B02, B09, B41, B43, B44: killed or refused at any call, all is whole and right, and the next run tidies up"
  )
  func sample() throws {
    try CrashSweep.expectNothing(["--faults", "--sample", "36"], atLeast: 30)
  }

  @Test("B98, A7: what may not be read is unknown at any call, and the data of others is left alone")
  func unknown() throws {
    let operations = [
      "confirm", "launch-staged", "update", "status-3", "explain-3", "init-over-data", "feed-over-data",
      "update-with-guests", "publish",
    ]
    try CrashSweep.expectNothing(
      ["--faults", "--fault", "EACCES", "--fault", "EPERM", "--sample", "90"]
        + operations.flatMap { ["--operation", $0] }, atLeast: 80)
  }

  @Test(
    "B09: after a power cut that keeps what POSIX promises and no more, store and feed are whole and right")
  func powerCutOnPaper() throws {
    let operations = ["first-update", "launch-staged", "publish-prune"]
    try CrashSweep.expectNothing(
      ["--model", "--sample", "36"] + operations.flatMap { ["--operation", $0] }, atLeast: 30)
  }

  @Test(
    "D1, B92: a take-over, a repair, an export and an import that are killed or refused are finished by the same command"
  )
  func adoptAndRepair() throws {
    let operations = [
      "adopt", "adopt-in-place-plain", "repair-plain", "repair-drop", "import", "feed-import", "export-again",
    ]
    try CrashSweep.expectNothing(
      ["--faults", "--sample", "35"] + operations.flatMap { ["--operation", $0] }, atLeast: 20)
  }

  @Test("B09: what a killed command wrote is safe once the same command has said that it is done")
  func killedThenPowerCut() throws {
    try CrashSweep.expectNothing(
      ["--model", "--full", "--operation", "confirm", "--operation", "init"], atLeast: 60)
  }

  @Test("every broken build that the sweep must catch can still be made")
  func brokenBuilds() throws {
    let listed = try TestSupport.run(CrashSweep.command, ["--mutations", "--list"])
    #expect(listed.status == .exited(0), "\(listed.errors)")
    #expect(listed.output.split(separator: "\n").count >= 19)
  }

  @Test(
    "B09: an ext4 whose power goes at a call has the whole old or the whole new state",
    .enabled(if: CrashSweep.mounts, "needs root, loop mounts and mkfs.ext4"))
  func powerCut() throws {
    let operations = ["update", "confirm", "publish"]
    try CrashSweep.expectNothing(
      ["--power-cut", "--sample", "12"] + operations.flatMap { ["--operation", $0] }, atLeast: 10)
  }
}

private enum CrashSweep {
  static let command = BuiltProducts.packageRoot(of: #filePath) + "/ci/crash-sweep"

  static let possible =
    ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc", "/usr/local/bin/clang"]
    .contains { FileManager.default.isExecutableFile(atPath: $0) }
    && FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
  static let mounts =
    (try? TestSupport.run("/usr/bin/unshare", ["-m", "/bin/sh", "-c", "losetup -f && mkfs.ext4 -V"]).status)
    == .exited(0)

  /// Runs the sweep, which must try this many points and find nothing.
  static func expectNothing(
    _ arguments: [String], atLeast points: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let result = try TestSupport.run(
      command, arguments + ["--tool", try Tool.path()], environment: Tool.bareEnvironment,
      timeout: .seconds(240))
    #expect(result.status == .exited(0), "\(result.output)\(result.errors)", sourceLocation: sourceLocation)
    let total = try #require(
      result.output.firstMatch(of: /crash-sweep: (\d+) [a-z ]+, 0 violations/), "\(result.output)",
      sourceLocation: sourceLocation)
    #expect(Int(total.output.1) ?? 0 >= points, sourceLocation: sourceLocation)
  }
}
