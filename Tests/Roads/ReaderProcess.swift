import Foundation
import Glibc
import TestSupport

/// The readers in Python: one process for all sequences. Its answers are what an old client and python-tuf see.
package final class ReaderProcess {
  private let child: ChildProcess
  /// Whether python-tuf is there.
  package let hasTUF: Bool

  struct Answer: Decodable {
    struct Release: Decodable, Equatable {
      let version: Int64
      let bundle: String
      let sources: String
    }
    /// A target: a release when it is a manifest.
    struct Target: Decodable {
      let version: Int64?
      let bundle: String?
      let sources: String?
    }
    let error: String?
    let version: Int64?
    let bundle: String?
    let sources: String?
    let targets: [String: Target?]?
    let tuf: Bool?
  }

  /// Starts them with the Python that has python-tuf, or else with the system's.
  package init(python: String? = nil) throws {
    let peers = "\(BuiltProducts.packageRoot())/.build/peers/bin/python"
    let program = python ?? (access(peers, X_OK) == 0 ? peers : "/usr/bin/python3")
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Python/readers.py"
    child = try ChildProcess(
      program, ["-B", script], environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"])
    hasTUF = try Self.answer(of: child).tuf ?? false
  }

  func ask(_ question: [String: any Sendable]) throws -> Answer {
    let line = try JSONSerialization.data(withJSONObject: question)
    try child.write(Array(line) + [0x0A])
    return try Self.answer(of: child)
  }

  private static func answer(of child: ChildProcess) throws -> Answer {
    guard let line = try child.readLine(within: .seconds(60)) else {
      throw SystemFailure("the readers in Python did not answer")
    }
    return try JSONDecoder().decode(Answer.self, from: Data(line.utf8))
  }
}
