/// Leaves one finding for each cause: several checks see the same fault in their own ways.
enum FindingTwins {
  /// The findings without those that say once more what another one says, in their order.
  ///
  /// A dropped finding leaves its sources with the one that stays.
  static func removed(from findings: [Finding]) -> [Finding] {
    var kept: [Finding] = []
    var index = Index()
    for finding in withoutSlips(findings) {
      if let twin = index.candidates(for: finding).first(where: { isTwin(kept[$0], finding) }) {
        kept[twin] = merged(kept[twin], finding)
      } else {
        index.add(finding, kept.count)
        kept.append(finding)
      }
    }
    return kept
  }

  /// Findings by what their twins have in common with them.
  private struct Index {
    private struct Line: Hashable {
      let file: String?
      let line: Int?
    }

    private var byLine: [Line: [Int]] = [:]
    private var byMember: [String: [Int]] = [:]

    mutating func add(_ finding: Finding, _ number: Int) {
      byLine[Self.line(finding), default: []].append(number)
      if finding.code == .danglingCall, let name = finding.subject {
        byMember[name, default: []].append(number)
      }
    }

    func candidates(for finding: Finding) -> [Int] {
      var found = finding.place.line == nil ? [] : byLine[Self.line(finding)] ?? []
      if finding.code == .dryRun { found += memberNames(finding.message).flatMap { byMember[$0] ?? [] } }
      return found.sorted()
    }

    private static func line(_ finding: Finding) -> Line {
      Line(file: finding.place.file, line: finding.place.line)
    }

    /// The members of `this` and of the class above that a sentence names.
    private func memberNames(_ text: String) -> [String] {
      text.matches(of: /\b(?:this|super|self)\.([A-Za-z_$][A-Za-z0-9_$]*)/).map { String($0.output.1) }
    }
  }

  /// Takes from what is said about parsers without a method the sources of which a misspelt name is the reason.
  private static func withoutSlips(_ findings: [Finding]) -> [Finding] {
    let slips = findings.filter {
      $0.code == .catalogMatch && $0.place.column != nil && $0.method != nil && $0.method == $0.subject
    }
    guard !slips.isEmpty else { return findings }
    let explained = Set(slips.flatMap(\.sources))
    return findings.compactMap { finding in
      guard finding.code == .catalogMatch, finding.place.column == nil || finding.subject == nil,
        finding.message.hasPrefix("the parser ")
      else { return finding }
      let rest = finding.sources.filter { !explained.contains($0) }
      return rest.isEmpty && !finding.sources.isEmpty ? nil : finding.with { $0.sources = rest }
    }
  }

  /// The stronger one of two, with the sources of both; of two that are equally strong the first.
  private static func merged(_ first: Finding, _ second: Finding) -> Finding {
    if let sure = confirmed(first, by: second) { return sure }
    let isSecond = rank(second) < rank(first)
    let (stays, goes) = isSecond ? (second, first) : (first, second)
    return stays.with { $0.sources += goes.sources.filter { !stays.sources.contains($0) } }
  }

  /// A call that might have been explained, and that the engine could not make: then nothing explains it.
  private static func confirmed(_ call: Finding, by run: Finding) -> Finding? {
    guard call.code == .danglingCall, call.severity == .warning, run.code == .dryRun, run.severity == .error
    else {
      return nil
    }
    let what = call.message.split(separator: ";", maxSplits: 1).first.map(String.init) ?? call.message
    return Finding(
      .danglingCall, .error, "\(what), and fails so when it runs", place: call.place, advice: call.advice
    )
    .with {
      ($0.method, $0.subject) = (call.method, call.subject)
      $0.sources = call.sources + run.sources.filter { !call.sources.contains($0) }
    }
  }

  private static func rank(_ finding: Finding) -> Int {
    switch finding.severity {
    case .error: 0
    case .warning: 1
    case .note: 2
    }
  }

  private static func isTwin(_ left: Finding, _ right: Finding) -> Bool {
    if left.code == right.code, left.place == right.place, left.message == right.message,
      left.severity == right.severity
    {
      return true
    }
    return isSameMember(left, right) || isSameMember(right, left) || isSamePlace(left, right)
      || isSameFailure(left, right)
  }

  /// Calls of several methods that all fail at one place: a person corrects it once.
  private static func isSameFailure(_ left: Finding, _ right: Finding) -> Bool {
    left.code == .dryRun && right.code == .dryRun && left.place.line != nil && left.place == right.place
  }

  /// A call that leads nowhere, and another check that met it: the engine by running it, the types by reading it.
  private static func isSameMember(_ call: Finding, _ other: Finding) -> Bool {
    guard call.code == .danglingCall, other.code != .danglingCall, let name = call.subject,
      hasWord(other.message, name)
    else { return false }
    if call.place.line != nil, call.place.line == other.place.line { return true }
    let isCall = ["this.\(name)", "super.\(name)", "self.\(name)", "this['\(name)']", "this[\"\(name)\"]"]
      .contains {
        other.message.contains($0)
      }
    return isCall && other.code == .dryRun && Set(other.sources).isSubset(of: call.sources)
  }

  /// Two checks that point at one expression and name the same thing.
  private static func isSamePlace(_ left: Finding, _ right: Finding) -> Bool {
    guard left.code != right.code, left.place.column != nil, left.place == right.place else { return false }
    return left.subject.map { hasWord(right.message, $0) } ?? right.subject.map { hasWord(left.message, $0) }
      ?? false
  }

  private static func hasWord(_ text: String, _ word: String) -> Bool {
    guard let range = text.firstRange(of: word) else { return false }
    func isPart(_ character: Character?) -> Bool {
      character.map { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" } ?? false
    }
    return !isPart(text[..<range.lowerBound].last) && !isPart(text[range.upperBound...].first)
  }
}
