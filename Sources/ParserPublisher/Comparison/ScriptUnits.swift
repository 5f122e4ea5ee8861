internal import OTAManifest

/// A bundle cut into its classes and functions, so that two bundles can be compared part by part.
///
/// White space and comments do not count. It never fails: what it cannot name belongs to the rest.
struct ScriptUnits: Equatable, Sendable {
  /// A class, or a function outside of classes.
  struct Unit: Equatable, Sendable {
    let digest: Digest
    /// The names of other units that stand in its text.
    let mentions: Set<String>
  }

  /// The units by their names; of two with one name the text of both counts.
  let units: [String: Unit]
  /// What is outside of all units, the copy of the catalog left out.
  let rest: Digest

  /// Cuts a bundle.
  ///
  /// - Parameter ids: the ids of the catalog: a list or a text with most of them is the bundle's copy of it.
  init(_ bundle: [UInt8], ids: Set<String>) throws(Problem) {
    let script = ScriptTokens(bundle)
    var cutter = UnitCutter(script)
    cutter.cut()
    let catalogs = CatalogCopies(script, ids: ids, outside: cutter.spans).spans
    let names = Set(cutter.spans.map(\.name))
    var texts: [String: [UInt8]] = [:]
    var mentions: [String: Set<String>] = [:]
    var next = 0
    var rest: [UInt8] = []
    var skipped = 0
    for index in script.indices {
      while next < cutter.spans.count, cutter.spans[next].range.upperBound <= index { next += 1 }
      let token = script.tokens[index]
      if next < cutter.spans.count, cutter.spans[next].range.contains(index) {
        let name = cutter.spans[next].name
        texts[name, default: []] += bundle[token.range] + [0x20]
        if token.kind == .identifier, !script.isDot(index - 1) {
          let word = script.text(index)
          if word != name, names.contains(word) { mentions[name, default: []].insert(word) }
        }
      } else {
        while skipped < catalogs.count, catalogs[skipped].upperBound <= index { skipped += 1 }
        if skipped < catalogs.count, catalogs[skipped].contains(index) { continue }
        rest += bundle[token.range] + [0x20]
      }
    }
    var units: [String: Unit] = [:]
    for (name, text) in texts {
      units[name] = Unit(digest: try ContentLookup.digest(of: text), mentions: mentions[name] ?? [])
    }
    self.units = units
    self.rest = try ContentLookup.digest(of: rest)
  }

  /// The units that lead to one of these, themselves among them.
  func leading(to changed: Set<String>) -> Set<String> {
    var users: [String: [String]] = [:]
    for (name, unit) in units {
      for mention in unit.mentions { users[mention, default: []].append(name) }
    }
    var found = changed
    var open = Array(changed)
    while let name = open.popLast() {
      for user in users[name] ?? [] where found.insert(user).inserted { open.append(user) }
    }
    return found
  }
}

/// Finds where classes and functions begin and end.
private struct UnitCutter {
  struct Span {
    let name: String
    let range: Range<Int>
  }

  private let script: ScriptTokens
  /// In the order of the text; none is inside of another.
  private(set) var spans: [Span] = []

  init(_ script: ScriptTokens) { self.script = script }

  mutating func cut() {
    var index = 0
    while index < script.tokens.count {
      if let span = classSpan(index) ?? wrapperSpan(index) ?? functionSpan(index) {
        spans.append(span)
        index = span.range.upperBound
      } else {
        index += 1
      }
    }
  }

  /// `class Name … { … }`, or a class without a name that a variable holds.
  private func classSpan(_ index: Int) -> Span? {
    guard script.isWord(index, "class"), !script.isDot(index - 1), !script.isPunctuator(index + 1, ":") else {
      return nil
    }
    let own =
      script.isIdentifier(index + 1) && !script.isWord(index + 1, "extends") ? script.text(index + 1) : nil
    let held =
      script.isPunctuator(index - 1, "=") && script.isIdentifier(index - 2) ? script.text(index - 2) : nil
    guard let name = held ?? own, let body = brace(after: index + 1) else { return nil }
    return Span(name: name, range: index..<script.partners[body] + 1)
  }

  /// `Name = (function (…) { … }(…))`, as compilers for old engines write a class.
  private func wrapperSpan(_ index: Int) -> Span? {
    guard script.isIdentifier(index), script.isPunctuator(index + 1, "="),
      script.isPunctuator(index + 2, "("),
      script.isWord(index + 3, "function"), script.partners[index + 2] > 0
    else { return nil }
    return Span(name: script.text(index), range: index..<script.partners[index + 2] + 1)
  }

  /// `function name(…) { … }`; one that begins an expression is the wrapping of the whole bundle, as a rule.
  private func functionSpan(_ index: Int) -> Span? {
    guard script.isWord(index, "function"), !script.isDot(index - 1) else { return nil }
    let name = script.isPunctuator(index + 1, "*") ? index + 2 : index + 1
    guard script.isIdentifier(name), script.isPunctuator(name + 1, "("), script.partners[name + 1] > 0,
      !script.isPunctuator(index - 1, "(")
    else { return nil }
    let body = script.partners[name + 1] + 1
    guard script.isPunctuator(body, "{"), script.partners[body] > 0 else { return nil }
    return Span(name: script.text(name), range: index..<script.partners[body] + 1)
  }

  /// The brace of a class's body: the first one outside of brackets.
  private func brace(after start: Int) -> Int? {
    var index = start
    while index < script.tokens.count {
      if script.isPunctuator(index, "{") { return script.partners[index] > 0 ? index : nil }
      if script.isPunctuator(index, "(") || script.isPunctuator(index, "[") {
        guard script.partners[index] > 0 else { return nil }
        index = script.partners[index] + 1
      } else if script.isPunctuator(index, ";") || script.isPunctuator(index, "}") {
        return nil
      } else {
        index += 1
      }
    }
    return nil
  }

}

/// Where a bundle carries the catalog: lists and texts outside of code with most of its ids.
private struct CatalogCopies {
  private(set) var spans: [Range<Int>] = []

  init(_ script: ScriptTokens, ids: Set<String>, outside units: [UnitCutter.Span]) {
    guard ids.count > 1 else { return }
    let wanted = max(2, ids.count / 2)
    var open: [(index: Int, count: Int)] = []
    var next = 0
    var index = 0
    while index < script.tokens.count {
      while next < units.count, units[next].range.upperBound <= index { next += 1 }
      if next < units.count, units[next].range.contains(index) {
        index = units[next].range.upperBound
        continue
      }
      let token = script.tokens[index]
      if token.isPunctuator("[") || token.isPunctuator("{") {
        open.append((index, 0))
      } else if token.isPunctuator("]") || token.isPunctuator("}"), let last = open.popLast() {
        if last.count >= wanted {
          spans.append(last.index..<index + 1)
          open = open.map { ($0.index, 0) }
        } else if !open.isEmpty {
          open[open.count - 1].count += last.count
        }
      } else if token.kind == .string || token.kind == .template {
        if let text = script.content(ofString: index), ids.contains(text) {
          if !open.isEmpty { open[open.count - 1].count += 1 }
        } else if token.range.count > 40 * wanted, Self.hasMany(script.text(index), ids, wanted) {
          spans.append(index..<index + 1)
        }
      }
      index += 1
    }
  }

  private static func hasMany(_ text: String, _ ids: Set<String>, _ wanted: Int) -> Bool {
    var count = 0
    for id in ids where text.contains(id) {
      count += 1
      if count >= wanted { return true }
    }
    return false
  }
}
