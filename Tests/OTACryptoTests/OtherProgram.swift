import Foundation
import TestSupport
import Testing

/// Runs the `openssl` program, which must succeed.
@discardableResult
func openssl(_ arguments: String...) throws -> ChildResult {
  let result = try run("/usr/bin/openssl", arguments)
  #expect(result.status == .exited(0), "openssl \(arguments.joined(separator: " "))")
  return result
}

func readBytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

func writeBytes(_ bytes: [UInt8], _ path: String) throws {
  try Data(bytes).write(to: URL(fileURLWithPath: path))
}
