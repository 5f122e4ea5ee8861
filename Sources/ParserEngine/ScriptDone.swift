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

/// A message that begins with its place, as in `bundle.js:12:5: TypeError: …`.
private struct Positioned {
  let line: Int
  let column: Int
  let rest: String

  init?(_ message: String, script: String) {
    guard message.hasPrefix("\(script):") else { return nil }
    let parts = message.dropFirst(script.count + 1).split(separator: ":", maxSplits: 2)
    guard parts.count == 3, let line = Int(parts[0]), let column = Int(parts[1]) else { return nil }
    self.line = line
    self.column = column
    rest = String(parts[2].drop { $0 == " " })
  }
}
