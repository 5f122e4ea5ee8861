import Foundation
import Glibc
import TestSupport
import Testing

/// What is left of the engine when the tool that started it is killed: nothing, at whatever moment that was.
@Suite("A check that is killed", .ownThreads) struct KilledCheckTests {
  /// Where every process of a run is known by: the one variable that the engine hands on as it is.
  private static func mark(_ number: Int) -> String { "UTC-0:\(number % 60)<\(getpid())>" }

  private static let seed = UInt64(Date().timeIntervalSince1970 * 1000)

  /// The moments, in milliseconds: some before the engine is there, some while the bundle spins.
  private static func moments(_ count: Int, _ salt: UInt64) -> [Int] {
    var state = seed ^ salt
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % 1200
    }
  }

  @Test("leaves no process, neither of the display nor of the page")
  func killed() throws {
    for (number, moment) in Self.moments(16, 1).enumerated() {
      try kill(number, after: moment, engine: try BuiltProducts.path(of: "parser-ota-engine"))
    }
  }

  @Test(
    "leaves no process where the kernel gives no namespace",
    .enabled(if: getuid() == 0, "the launcher takes the right to namespaces away, which takes root"))
  func killedWithoutNamespaces() throws {
    let folder = try TemporaryDirectory()
    let launcher = folder.path("launcher")
    let engine = try BuiltProducts.path(of: "parser-ota-engine")
    let script = """
      #!/bin/sh
      exec unshare --user --map-root-user sh -c 'echo 0 > /proc/sys/user/max_user_namespaces
      exec setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "\(engine)"'
      """
    try Data(script.utf8).write(to: URL(fileURLWithPath: launcher))
    try #require(chmod(launcher, 0o755) == 0)
    for (number, moment) in Self.moments(8, 2).enumerated() {
      try kill(30 + number, after: moment, engine: launcher)
    }
  }

  /// Kills a check of a bundle that never ends, and looks at what is left of it.
  private func kill(_ number: Int, after moment: Int, engine: String) throws {
    let playground = try Playground()
    try playground.write("spins.js", "for (;;) {}")
    var variables = playground.tool.variables
    variables["TZ"] = Self.mark(number)
    let check = try ChildProcess(
      Tool.path(), ["check", "--bundle", "spins.js", "--sources", "sources.json", "--engine", engine],
      environment: variables, directory: playground.directory.path)
    usleep(UInt32(moment) * 1000)
    check.signal(number % 2 == 0 ? SIGKILL : SIGHUP)
    _ = check.wait(within: .seconds(10))
    var left = Self.processes(Self.mark(number))
    for _ in 0..<200 where !left.isEmpty {
      usleep(10_000)
      left = Self.processes(Self.mark(number))
    }
    #expect(
      left == [], "seed \(Self.seed), killed after \(moment) ms by \(number % 2 == 0 ? "SIGKILL" : "SIGHUP")")
  }

  /// The names of the processes that have a mark in their environment.
  private static func processes(_ mark: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.filter { Int($0) != nil }.compactMap { id in
      guard let environment = FileManager.default.contents(atPath: "/proc/\(id)/environ"),
        environment.split(separator: 0).contains(Data("TZ=\(mark)".utf8))
      else { return nil }
      let name = FileManager.default.contents(atPath: "/proc/\(id)/comm") ?? Data()
      return String(decoding: name, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
  }
}
