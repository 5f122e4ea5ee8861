import Glibc
import TestSupport
import Testing

/// The tools that the other tests trust.
@Suite("The spawner of the tests")
struct TestSupportTests {
  @Test("feeds and collects more than a pipe holds")
  func bigStreams() throws {
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let result = try run("/bin/cat", stdin: bytes)
    #expect(result.status == .exited(0))
    #expect(result.stdout == bytes)
  }

  @Test("tells codes, signals and time-outs apart, and reads both streams")
  func statuses() throws {
    let failed = try run("/bin/sh", ["-c", "echo out; echo err >&2; exit 3"])
    #expect(failed.status == .exited(3))
    #expect(failed.output == "out\n")
    #expect(failed.errors == "err\n")
    #expect(try run("/bin/sh", ["-c", "kill -TERM $$"]).status == .signalled(SIGTERM))
    #expect(try run("/bin/sleep", ["60"], timeout: .milliseconds(50)).status == .timedOut)
    #expect(throws: SystemFailure.self) { try run("/nonexistent/program") }
  }

  @Test("a grandchild that keeps the pipes open does not hold up the result")
  func grandchild() throws {
    let result = try run("/bin/sh", ["-c", "sleep 30 & echo $!"], timeout: .seconds(10))
    #expect(result.status == .exited(0))
    let grandchild = try #require(Int32(result.output.dropLast()))
    kill(grandchild, SIGKILL)
  }

  @Test("children have the environment, directory and unblocked signals that they were given")
  func surroundings() throws {
    let result = try run("/usr/bin/env", environment: ["A": "1"])
    #expect(result.output == "A=1\n")
    #expect(try run("/bin/pwd", directory: "/usr").output == "/usr\n")
    let mask = try run("/bin/grep", ["SigBlk", "/proc/self/status"]).output
    #expect(mask.split(separator: "\t").last == "0000000000000000\n")
  }

  @Test("a temporary directory is gone afterwards, whatever is in it")
  func temporaryDirectory() throws {
    let path = try withTemporaryDirectory { folder in
      mkdir(folder.path("sub"), 0o700)
      symlink("/etc", folder.path("sub/link"))
      let names = try folder.names()
      #expect(names == ["sub"])
      return folder.path
    }
    #expect(access(path, F_OK) != 0)
    #expect(access("/etc/passwd", F_OK) == 0)
  }

  @Test("finds what was built")
  func products() throws {
    #expect(try BuiltProducts.path(of: "parser-ota").hasSuffix("/parser-ota"))
    #expect(access(BuiltProducts.packageRoot() + "/Package.swift", F_OK) == 0)
  }
}
