import Foundation
import Synchronization
import TestSupport
import Testing

/// A feed that another program writes and signs, followed by a device.
@Suite(
  "A device follows a feed that python-tuf writes", .enabled(if: PythonTUF.isInstalled, PythonTUF.remedy))
struct WrittenFeedTests {
  @Test(
    "a device takes releases across new roots and keys of three kinds, and keeps what it has when one is forged"
  )
  func follow() throws {
    try withTemporaryDirectory { directory in
      try PythonTUF.write("feed", to: directory.path)
      let state = Mutex("31")
      let server = try LoopbackServer { [path = directory.path] request in
        .directory("\(path)/\(state.withLock { $0 })", request)
      }
      defer { server.stop() }
      let store = ["--store", directory.path("store")]
      func device(_ verb: String, _ options: [String] = []) throws -> (status: ChildStatus, answer: Answer) {
        let result = try run(
          BuiltProducts.path(of: "parser-ota"), ["device", verb] + store + options + ["--json"],
          environment: ["PATH": "/usr/bin:/bin", "HOME": "/"])
        return (result.status, try JSONDecoder().decode(Answer.self, from: Data(result.stdout)))
      }
      func launch() throws -> Int? {
        let version = try device("activate").answer.version
        #expect(try device("confirm").status == .exited(0))
        return version
      }
      let made = try device(
        "init",
        [
          "--feed", server.url, "--root", directory.path("app/root.json"), "--embedded",
          directory.path("app"), "--allow-http-loopback",
        ])
      #expect(made.status == .exited(0) && made.answer.rootVersion == 1)
      #expect(try launch() == 30)
      for version in [31, 32] {
        state.withLock { $0 = "\(version)" }
        let updated = try device("update")
        #expect(updated.status == .exited(0), "\(updated.answer)")
        #expect(try launch() == version)
      }
      state.withLock { $0 = "33-forged" }
      let refused = try device("update")
      #expect(refused.status == .exited(3), "\(refused.answer)")
      #expect(refused.answer.code?.hasPrefix("trust-") == true, "\(refused.answer)")
      #expect(try launch() == 32)
    }
  }

  /// What the tool says with `--json`, as far as it matters here.
  private struct Answer: Decodable {
    let code: String?
    let message: String?
    let version: Int?
    let rootVersion: Int?
  }
}
