internal import OTAManifest

/// What an error of the engine says about a bundle, as the end of a sentence.
extension EngineError {
  /// Whether the engine itself is missing or broken, so that nothing is known about the bundle.
  package var isAboutEngine: Bool {
    switch self {
    case .notInstalled, .notStarted, .cancelled, .closed: true
    case .script, .call, .callTimedOut, .timedOut, .outOfMemory, .flooded, .webProcessGone, .engineGone,
      .malformed:
      false
    }
  }

  /// What happened, as the end of a sentence about the bundle.
  package var text: String {
    switch self {
    case .notInstalled(let path): "\(path.printable()) is not installed"
    case .notStarted(let words): "it does not start: \(words.printable(maxCharacters: 200))"
    case .script(let fault): fault.message.printable(maxCharacters: 240)
    case .call(let fault): "\(fault.name): \(fault.message)".printable(maxCharacters: 240)
    case .callTimedOut(let limit): "gives no answer within \(limit.shown)"
    case .timedOut(_, let limit):
      "does not end within \(limit.shown): the page was stuck and its process was ended"
    case .outOfMemory(let bytes, let limit):
      "takes \(bytes >> 20) MiB of memory, more than the \(limit >> 20) allowed, and its process was ended"
    case .flooded(let what): "sends \(what.printable()), and its process was ended"
    case .webProcessGone(let reason): "ends the web process: \(reason.printable())"
    case .engineGone(let words): "ends the engine: \(words.printable(maxCharacters: 200))"
    case .malformed(let words): "sent an invalid engine message: \(words.printable())"
    case .cancelled: "it was cancelled"
    case .closed: "it was closed"
    }
  }
}

extension Duration {
  /// The duration in seconds, such as `2 s` or `0.5 s`.
  fileprivate var shown: String {
    let tenths = components.seconds * 10 + components.attoseconds / 100_000_000_000_000_000
    return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
  }
}
