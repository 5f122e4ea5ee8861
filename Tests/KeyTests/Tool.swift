import Foundation
import OTACrypto
import OTATrust
import TestSupport

/// The tool as a process, with the environment of a build job that has no terminal and no secrets but those given.
struct Tool {
  var environment = [
    "PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "SOURCE_DATE_EPOCH": "",
  ].merging(WithoutEngine.environment) { $1 }
  var directory: String?

  @discardableResult
  func callAsFunction(_ arguments: String..., stdin: [UInt8] = []) throws -> ChildResult {
    try run(
      BuiltProducts.path(of: "parser-ota"), WithoutEngine.arguments(arguments), environment: environment,
      directory: directory, stdin: stdin, timeout: .seconds(120))
  }

  /// The same tool with one more variable.
  func with(_ name: String, _ value: String) -> Tool {
    var copy = self
    copy.environment[name] = value
    return copy
  }
}

extension ChildResult {
  /// The JSON object on standard output.
  var json: [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(stdout))) as? [String: Any] ?? [:]
  }

  var code: String { json["code"] as? String ?? "" }
}

/// A key pair on disk, as `key generate` leaves it.
struct KeyPair {
  let path: String
  var publicPath: String { path + ".pub" }
  let key: PrivateKey

  /// Makes the files without the tool.
  init(_ path: String) throws {
    self.path = path
    key = try PrivateKey.generate()
    try Self.write(key.pem(), to: path, mode: 0o600)
    try Self.write(key.publicKey.pem(), to: path + ".pub", mode: 0o644)
  }

  var id: String { get throws { try key.publicKey.metadataID() } }
  var pem: String { get throws { try key.pem() } }

  static func write(_ text: String, to path: String, mode: Int) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }
}
