import Foundation
import Glibc
import TestSupport
import Testing

/// python-tuf, the reference implementation of TUF, in the environment that `ci/setup` makes.
enum PythonTUF {
  /// Why tests are skipped without it.
  static let remedy: Comment = "python-tuf is not in .build/peers: run ci/setup"

  /// Whether the environment works; a version other than the one that `ci/setup` asks for is not taken.
  static let isInstalled: Bool = {
    let check = "import sys, tuf, cryptography; sys.exit(tuf.__version__ != '7.0.0')"
    guard access(python, X_OK) == 0 else { return false }
    // A program that cannot be started is as good as none.
    return (try? run(python, ["-c", check], environment: environment).status) == .exited(0)
  }()

  private static let python = "\(BuiltProducts.packageRoot())/.build/peers/bin/python"
  private static let environment = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]

  /// What python-tuf's client trusts after a run, and what it downloaded.
  struct Reading: Decodable {
    /// A target that was verified.
    struct Target: Decodable, Equatable {
      let length: Int
      let sha256: String
    }
    let versions: [String: Int]
    /// By path; nothing for a name that no role vouches for.
    let targets: [String: Target?]
  }

  /// A client of python-tuf with a folder of its own, shipped with one root.
  struct Client {
    let root: String
    let folder: String

    /// Refreshes, then downloads `nothing`, `everything`, or the targets of these names.
    func run(_ metadataURL: String, _ targetsURL: String, _ wanted: [String]) throws -> ChildResult {
      try PythonTUF.script(
        "read_feed", [metadataURL, targetsURL, root, "\(folder)/metadata", "\(folder)/targets"] + wanted)
    }

    /// Does the same, and must succeed.
    func read(_ metadataURL: String, _ targetsURL: String, _ wanted: [String]) throws -> Reading {
      let result = try run(metadataURL, targetsURL, wanted)
      try #require(result.status == .exited(0), "\(result.errors)")
      return try JSONDecoder().decode(Reading.self, from: Data(result.stdout))
    }
  }

  /// Has python-tuf write repositories of a kind into a folder.
  static func write(_ kind: String, to folder: String) throws {
    let result = try script("write_repository", [kind, folder])
    try #require(result.status == .exited(0), "\(result.errors)")
  }

  private static func script(_ name: String, _ arguments: [String]) throws -> ChildResult {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Python/\(name).py"
    // Without -B the sources would get a folder of compiled files.
    return try run(python, ["-B", script] + arguments, environment: environment)
  }
}
