internal import OTAManifest

/// What the engine says when a script is through.
struct ScriptDone {
  /// The id that the script was sent with.
  let id: String
  /// Why it failed; `nil` when it did not.
  let fault: ScriptFault?

  /// Reads the payload of a `done` frame.
  static func decode(_ payload: [UInt8]) throws(InputError) -> ScriptDone {
    let object = try JSONObject(JSONReader.read(payload, maxBytes: EngineFrame.maxBytes, maxDepth: 4))
    let id = try object.string("id")
    guard let message = try object.optional("message", object.string) else {
      return ScriptDone(id: id, fault: nil)
    }
    let script = try object.string("script")
    func number(_ name: String) throws(InputError) -> Int? {
      try object.optional(name) { (name) throws(InputError) in Int(try object.integer(name)) }
    }
    let place = try (line: number("line"), column: number("column"))
    let kind: ScriptFault.Kind = try object.bool("parsed") ? .exception : .syntax
    if place.line == nil, let parts = Positioned(message, script: script) {
      return ScriptDone(
        id: id,
        fault: ScriptFault(
          kind, script: script, message: parts.rest, line: parts.line, column: parts.column))
    }
    return ScriptDone(
      id: id,
      fault: ScriptFault(kind, script: script, message: message, line: place.line, column: place.column))
  }
}

/// A message that begins with its place, as in `https://…/bundle.js:12:5: TypeError: …`, or with the line alone.
private struct Positioned {
  let line: Int
  let column: Int?
  let rest: String

  init?(_ message: String, script: String) {
    let prefix = "\(EnginePage.address)\(script):"
    guard message.hasPrefix(prefix) else { return nil }
    let parts = message.dropFirst(prefix.count).split(
      separator: ": ", maxSplits: 1, omittingEmptySubsequences: false)
    let numbers = parts[0].split(separator: ":").map { Int($0) }
    guard parts.count == 2, (1...2).contains(numbers.count), let line = numbers[0] else { return nil }
    self.line = line
    column = numbers.count == 2 ? numbers[1] : nil
    rest = String(parts[1])
  }
}
