/// The calls that the live bundle makes on its parsers: a doubt about one of them is no news.
struct KnownCalls {
  private let names: Set<String>

  init(in bundle: [UInt8]) {
    let script = ScriptTokens(bundle)
    var names: Set<String> = []
    for index in script.indices where script.isPunctuator(index, "(") && script.isIdentifier(index - 1) {
      guard script.isDot(index - 2), script.isWord(index - 3, in: ["this", "self", "_this", "that"]) else {
        continue
      }
      names.insert(script.text(index - 1))
    }
    self.names = names
  }

  /// A warning about a call that the live release makes as well becomes a note; what is sure stays what it is.
  func softened(_ finding: Finding, _ version: String) -> Finding {
    guard finding.severity == .warning, let name = finding.subject, names.contains(name) else {
      return finding
    }
    return Finding(
      finding.code, .note, "\(finding.message), as in release \(version)", place: finding.place,
      advice: finding.advice
    ).with {
      ($0.sources, $0.method, $0.subject) = (finding.sources, finding.method, finding.subject)
    }
  }
}
