internal import OTAManifest
internal import ParserEngine

extension EngineError {
  /// Whether the engine itself is missing or broken, so that nothing is known about the bundle.
  var isOfEngine: Bool {
    switch self {
    case .notInstalled, .notStarted, .cancelled, .closed: true
    default: false
    }
  }

  /// What happened, as the rest of a sentence that begins with the call or the bundle.
  var words: String {
    switch self {
    case .notInstalled(let path): "the engine \(path.printable()) is not installed"
    case .notStarted(let words): "the engine does not start: \(words.printable(maxCharacters: 200))"
    case .script(let fault): "the bundle does not load: \(fault.message.printable(maxCharacters: 240))"
    case .call(let fault): "\(fault.name): \(fault.message)".printable(maxCharacters: 240)
    case .callTimedOut(let limit): "no answer within \(limit.components.seconds) s"
    case .timedOut(_, let limit): "the page was stuck for \(limit.components.seconds) s and was ended"
    case .outOfMemory(let bytes, let limit):
      "\(bytes >> 20) MiB of memory, more than the \(limit >> 20) allowed; the page was ended"
    case .flooded(let what): "the page sent \(what.printable()) and was ended"
    case .webProcessGone(let reason): "the web process ended: \(reason.printable())"
    case .engineGone(let words): "the engine ended: \(words.printable(maxCharacters: 200))"
    case .malformed(let words): "the page broke the engine's protocol: \(words.printable())"
    case .cancelled: "it was cancelled"
    case .closed: "the engine was closed"
    }
  }
}
