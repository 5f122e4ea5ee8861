import Foundation
import TestSupport
import Testing

/// The archive that people install, and what a program costs before it does anything.
@Suite(.ownThreads) struct DistributionTests {
  @Test("the archive is the same bytes each time, and installs for one user")
  func archive() throws {
    try withTemporaryDirectory { folder in
      try Self.makePrograms(in: folder)
      let first = try Self.pack(folder, "one")
      let second = try Self.pack(folder, "two")
      #expect(first.bytes == second.bytes)
      let sum = try run(
        "/usr/bin/sha256sum", ["--check", first.name + ".sha256"], directory: folder.path("one"))
      #expect(sum.status == .exited(0), "\(sum.output)")
      let unpacked = try Self.unpack(folder, first.name)
      let prefix = folder.path("home/.local")
      let installed = try Self.install(unpacked, home: folder.path("home"))
      #expect(installed.status == .exited(0) && installed.errors.isEmpty, "\(installed.errors)")
      #expect(installed.output.contains("export PATH=\"\(prefix)/bin:$PATH\""), "\(installed.output)")
      for file in [
        "bin/parser-ota-engine", "share/man/man1/parser-ota-device-update.1",
        "share/bash-completion/completions/parser-ota", "share/doc/parser-ota/licences/openssl.txt",
      ] { #expect(FileManager.default.fileExists(atPath: "\(prefix)/\(file)"), "\(file)") }
      let answer = try run("\(prefix)/bin/parser-ota", ["version"])
      #expect(installed.output.hasPrefix("installed \(answer.output.dropLast()) in "), "\(installed.output)")
      #expect(try namesInDirectory(prefix) == ["bin", "share"], "the install leaves something behind")
    }
  }

  @Test("a damaged archive replaces no program that works")
  func damaged() throws {
    try withTemporaryDirectory { folder in
      try Self.makePrograms(in: folder)
      let unpacked = try Self.unpack(folder, try Self.pack(folder, "one").name)
      #expect(try Self.install(unpacked, home: folder.path("home")).status == .exited(0))
      let before = try namesInDirectory(folder.path("home/.local/bin"))
      try "#!/bin/sh\nexit 0\n".write(
        toFile: "\(unpacked)/bin/parser-ota", atomically: false, encoding: .utf8)
      let result = try Self.install(unpacked, home: folder.path("home"))
      #expect(
        result.status == .exited(1) && result.errors.contains("nothing was installed"), "\(result.errors)")
      #expect(try namesInDirectory(folder.path("home/.local/bin")) == before)
      let answer = try run(folder.path("home/.local/bin/parser-ota"), ["version"])
      #expect(answer.output.hasPrefix("parser-ota "))
    }
  }

  @Test("a launch starts one thread, for signals, and reads no configuration of OpenSSL")
  func launch() throws {
    let strace = "/usr/bin/strace"
    guard (try? run(strace, ["-o", "/dev/null", "/bin/true"]).status) == .exited(0) else { return }
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      let log = playground.path("calls")
      let result = try run(
        strace,
        ["-f", "-o", log, "-e", "trace=clone,clone3,openat", try Tool.path()]
          + ["device", "activate", "--store", "store"],
        environment: playground.tool.variables, directory: playground.directory.path)
      #expect(result.status == .exited(0), "\(result.errors)")
      let calls = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
      #expect(calls.contains { $0.contains("parsers.bundle.js") })
      let threads = calls.filter { $0.contains(" clone") && !$0.contains("resumed") }
      #expect(threads.count <= 1, "\(threads)")
      #expect(!calls.contains { $0.contains("openssl.cnf") })
    }
  }

  /// Programs of the right names around the built ones, which are too large to be packed here again and again.
  private static func makePrograms(in folder: TemporaryDirectory) throws {
    try FileManager.default.createDirectory(
      atPath: folder.path("programs"), withIntermediateDirectories: false)
    for name in ["parser-ota", "parser-ota-engine"] {
      let path = folder.path("programs/\(name)")
      try "#!/bin/sh\nexec \(try BuiltProducts.path(of: name)) \"$@\"\n"
        .write(toFile: path, atomically: false, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
  }

  private static func pack(_ folder: TemporaryDirectory, _ out: String) throws -> (
    name: String, bytes: [UInt8]
  ) {
    let script = "\(BuiltProducts.packageRoot())/ci/dist"
    let made = try run(script, ["--programs", folder.path("programs"), "--out", folder.path(out)])
    #expect(made.status == .exited(0), "\(made.errors)")
    let name = try #require(try namesInDirectory(folder.path(out)).first { $0.hasSuffix(".tar.gz") })
    return (name, [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path("\(out)/\(name)")))))
  }

  /// The folder that the archive unpacks to.
  private static func unpack(_ folder: TemporaryDirectory, _ name: String) throws -> String {
    let result = try run("/bin/tar", ["-xzf", folder.path("one/\(name)"), "-C", folder.path])
    #expect(result.status == .exited(0), "\(result.errors)")
    return folder.path(String(name.dropLast(".tar.gz".count)))
  }

  private static func install(_ unpacked: String, home: String) throws -> ChildResult {
    try run(
      "/bin/sh", ["\(unpacked)/install.sh"], environment: ["HOME": home, "PATH": "/usr/bin:/bin"])
  }
}
