import TestSupport

/// One reader of bytes from outside, with the rules that hold whatever the bytes are.
public struct FuzzTarget: Sendable {
  /// The word that `ci/fuzz` and the names of findings use.
  public let name: String
  /// Inputs to start from: good ones, and bad ones that are nearly good.
  public let seeds: @Sendable () throws -> [[UInt8]]
  /// Reads an input; refusing it is fine, breaking a rule throws `BrokenRule`, and anything else would be a trap.
  public let check: @Sendable ([UInt8]) throws(BrokenRule) -> Void

  /// All targets in the order of their names.
  public static let all: [FuzzTarget] = [
    address, archive, arguments, catalog, express, fixture, headers, history, json, keys, manifest, metadata,
    reference,
    request,
    state, trust,
  ]

  /// Where inputs that once broke a rule are kept, named by target and digest.
  public static let findings = BuiltProducts.packageRoot(of: #filePath) + "/Tests/FuzzFindings"
}

/// A rule that an input broke.
public struct BrokenRule: Error, CustomStringConvertible {
  /// The rule, and what was found in its place.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Throws unless a rule holds.
func require(_ holds: Bool, _ rule: @autoclosure () -> String) throws(BrokenRule) {
  if !holds { throw BrokenRule(rule()) }
}

/// The value that a reader of our own must give for what our own writer wrote.
func must<Value>(_ rule: String, _ read: () throws -> Value) throws(BrokenRule) -> Value {
  do {
    return try read()
  } catch {
    throw BrokenRule("\(rule): \(error)")
  }
}

/// What a reader gives for input from outside; `nil` when it refuses, which is always its right.
func reading<Value>(_ read: () throws -> Value) -> Value? {
  // The reason for a refusal is of no interest here: the rules are about what is accepted.
  try? read()
}
