/// The scripts that are in a page before anything else.
package struct PageScripts: Sendable {
  /// The name of the world of the carrier, and of the handler that only this world has.
  package static let handlerName = "parserEngine"

  /// Runs in a script world of its own and hands on what the bridge says there.
  package let carrier: String
  /// Runs in the world of the bundle, and keeps out of its sight.
  package let bridge: String

  package init(carrier: String, bridge: String) { (self.carrier, self.bridge) = (carrier, bridge) }

  /// Reads the payload of an `open` frame.
  package init?(_ payload: String) {
    let parts = payload.split(separator: "\0", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    self.init(carrier: String(parts[0]), bridge: String(parts[1]))
  }

  /// The payload of an `open` frame; no script has a zero in it.
  package var payload: String { carrier + "\0" + bridge }
}
