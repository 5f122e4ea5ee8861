internal import OTAManifest

/// What the code of a bundle knows about the keys of overrides: where each one is read, and what its default is.
///
/// The copy of the catalog in the bundle does not count.
struct OverrideReaders {
  /// A type that a default shows.
  enum ValueType: String {
    case text = "a string", number = "a number", bool = "a boolean", list = "an array", object = "an object"
  }

  /// One place that names a key, with the class around it.
  private struct Mention {
    let owner: String?
    let type: ValueType?
  }

  private let script: ScriptTokens
  private let keys: Set<String>
  private let classes: Set<String>
  private var mentions: [String: [Mention]] = [:]
  /// Whether code goes through overrides without naming their keys.
  private(set) var readsAnyKey = false

  /// - Parameter classes: the classes of all parsers; code of other classes may work for each of them.
  init(_ keys: Set<String>, in bundle: [UInt8], classes: Set<String>) {
    script = ScriptTokens(keys.isEmpty ? [] : bundle)
    (self.keys, self.classes) = (keys, classes)
    read()
  }

  /// Whether the code of some classes, or code outside of all classes of parsers, names a key.
  func isKnown(_ key: String, to family: Set<String>) -> Bool {
    mentions[key]?.contains { $0.owner.map(family.contains) ?? true } == true
  }

  /// Whether anything in the bundle names a key.
  func isKnown(_ key: String) -> Bool { mentions[key] != nil }

  /// The type that the defaults of a key have; `nil` when there is none, or when they differ.
  func defaultType(_ key: String, in family: Set<String>) -> ValueType? {
    let found = Set((mentions[key] ?? []).filter { $0.owner.map(family.contains) ?? true }.compactMap(\.type))
    return found.count == 1 ? found.first : nil
  }

  // MARK: Reading

  private mutating func read() {
    /// For each open brace the class that it is the body of, and whether it holds the overrides of a catalog.
    var open: [(owner: String?, isCatalog: Bool)] = []
    var pending: (name: String?, depth: Int)?
    for index in script.indices {
      switch script.tokens[index].kind {
      case .punctuator(UInt8(ascii: "{")), .punctuator(UInt8(ascii: "(")), .punctuator(UInt8(ascii: "[")):
        let outer = open.last
        var entry = (owner: outer?.owner, isCatalog: outer?.isCatalog ?? false || isOverrides(index))
        if script.isPunctuator(index, "{"), let found = pending, found.depth == open.count {
          entry.owner = found.name
          pending = nil
        }
        open.append(entry)
      case .punctuator(UInt8(ascii: "}")), .punctuator(UInt8(ascii: ")")), .punctuator(UInt8(ascii: "]")):
        _ = open.popLast()
      case .identifier where script.isWord(index, "class") && !script.isDot(index - 1):
        pending = (className(index), open.count)
      case .identifier:
        if open.last?.isCatalog != true { note(index, script.text(index), open.last?.owner) }
        if script.isWord(index, "overrides"), isWalked(index) { readsAnyKey = true }
      case .string:
        if open.last?.isCatalog != true, let text = script.content(ofString: index) {
          note(index, text, open.last?.owner)
        }
      default: break
      }
    }
  }

  private mutating func note(_ index: Int, _ name: String, _ owner: String?) {
    guard keys.contains(name) else { return }
    mentions[name, default: []].append(Mention(owner: owner, type: defaultType(index)))
  }

  /// The name of a class of parsers that begins here; `nil` for all others.
  private func className(_ index: Int) -> String? {
    var name: String?
    if script.isIdentifier(index + 1), !script.isWord(index + 1, "extends") {
      name = script.text(index + 1)
    } else if script.isPunctuator(index - 1, "="), script.isIdentifier(index - 2) {
      name = script.text(index - 2)
    }
    return name.flatMap { classes.contains($0) ? $0 : nil }
  }

  /// Whether a brace begins the overrides of an entry: `overrides: {`, `"overrides": {`.
  private func isOverrides(_ index: Int) -> Bool {
    guard script.isPunctuator(index, "{"), script.isPunctuator(index - 1, ":") else { return false }
    return script.isWord(index - 2, "overrides") || script.content(ofString: index - 2) == "overrides"
  }

  /// Whether all keys are walked through: `Object.entries(x.overrides)`, `for (const key in overrides)`.
  private func isWalked(_ index: Int) -> Bool {
    var start = index
    while script.isDot(start - 1), script.isIdentifier(start - 2) { start -= 2 }
    if script.isWord(start - 1, "in") { return true }
    return script.isPunctuator(start - 1, "(") && script.isWord(start - 2, in: ["entries", "keys"])
  }

  // MARK: Defaults

  /// The type of the value that a mention gives as the default: `key: "x"`, `.key = 1`, `.key ?? []`.
  private func defaultType(_ index: Int) -> ValueType? {
    var value = index + 1
    if script.isPunctuator(value, ":") {
      value += 1
    } else if script.isAssignment(value) {
      value += script.isPunctuator(value, "=") ? 1 : 2
    } else if script[value]?.kind == .logical, script.isDot(index - 1) {
      // `a.key || "x"` and `a.key ?? "x"`; behind `&&` stands no default.
      guard let token = script[value], script.bytes[token.range.lowerBound] != UInt8(ascii: "&") else {
        return nil
      }
      value += 1
    } else {
      return nil
    }
    switch script[value]?.kind {
    case .string, .template: return .text
    case .number: return .number
    case .punctuator(UInt8(ascii: "[")): return .list
    case .punctuator(UInt8(ascii: "{")): return .object
    case .identifier: return script.isWord(value, in: ["true", "false"]) ? .bool : nil
    default: return nil
    }
  }
}
