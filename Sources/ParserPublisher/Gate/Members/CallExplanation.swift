/// Something in a bundle or a catalog that could bring a member into being whose definition nobody sees.
struct CallExplanation: Equatable {
  enum Kind: Int, Equatable {
    /// `x.name = …`, also with another operator, or a target in a pattern.
    case assignment
    /// A method of an object literal.
    case objectMethod
    /// A key of an object.
    case key
    /// A string that is the name.
    case name
    /// A method or a field of some class.
    case method
    /// A string or a template with the name as one of its words.
    case word
    /// A key that is put together, of which a part fits.
    case madeKey
    /// An override in the catalog.
    case override
    /// An object that may answer for every name.
    case proxy
  }

  let kind: Kind
  /// Where it stands in the bundle, in bytes; `nil` in the catalog.
  let offset: Int?

  /// What it is, as the end of a sentence that begins with a line.
  var phrase: String {
    switch kind {
    case .assignment: "assigns it"
    case .objectMethod: "has a method of that name"
    case .method: "defines it for another class"
    case .key: "has it as a key"
    case .name: "names it"
    case .word: "has the word in a text"
    case .madeKey: "makes names of members"
    case .override: "an override of the catalog has the name"
    case .proxy: "makes a Proxy, which may answer for it"
    }
  }
}

/// Looks through a whole bundle for what could bring missing members into being; asked only when some are missing.
struct CallExplanations {
  private let script: ScriptTokens
  private var found: [String: CallExplanation] = [:]
  private var proxy: CallExplanation?
  /// Pieces of names that are put together between brackets.
  private var pieces: [(text: String, offset: Int)] = []
  private let wanted: Set<String>
  /// Whether each open bracket is the body of a class.
  private var open: [Bool] = []
  private var pendingClass: Int?
  private let lengths: Set<Int>

  /// - Parameter overrides: the keys and texts of the overrides of all sources.
  init(for names: Set<String>, in bundle: [UInt8], overrides: Set<String>) {
    script = ScriptTokens(names.isEmpty ? [] : bundle)
    wanted = names
    lengths = Set(names.map(\.utf8.count))
    for index in script.indices {
      look(at: index)
      followBrackets(index)
    }
    for name in names where overrides.contains(name) { note(name, .override, nil) }
    for name in names {
      let piece = pieces.first { name.hasPrefix($0.text) || name.hasSuffix($0.text) }
      if let piece { note(name, .madeKey, piece.offset) }
    }
  }

  /// What explains a name best; `nil` when nothing in the bundle does.
  subscript(_ name: String) -> CallExplanation? { found[name] ?? proxy }

  /// Keeps the strongest kind for each name, the first of its kind.
  private mutating func note(_ name: String, _ kind: CallExplanation.Kind, _ offset: Int?) {
    if let old = found[name], old.kind.rawValue <= kind.rawValue { return }
    found[name] = CallExplanation(kind: kind, offset: offset)
  }

  private mutating func look(at index: Int) {
    let token = script.tokens[index]
    switch token.kind {
    case .identifier:
      if proxy == nil, script.isWord(index, "Proxy"), !script.isDot(index - 1) {
        proxy = CallExplanation(kind: .proxy, offset: token.range.lowerBound)
      }
      guard lengths.contains(token.range.count) else { return }
      let name = script.text(index)
      guard wanted.contains(name), let kind = kind(ofIdentifier: index) else { return }
      note(name, kind, token.range.lowerBound)
    case .string, .template: lookAtText(index)
    default: break
    }
  }

  private mutating func followBrackets(_ index: Int) {
    switch script.tokens[index].kind {
    case .identifier where script.isWord(index, "class") && !script.isDot(index - 1):
      pendingClass = open.count
    case .punctuator(UInt8(ascii: "{")):
      open.append(pendingClass == open.count)
      if open.last == true { pendingClass = nil }
    case .punctuator(UInt8(ascii: "(")), .punctuator(UInt8(ascii: "[")): open.append(false)
    case .punctuator(UInt8(ascii: ")")), .punctuator(UInt8(ascii: "]")), .punctuator(UInt8(ascii: "}")):
      _ = open.popLast()
    default: break
    }
  }

  // MARK: Identifiers

  /// What an identifier with the name does; `nil` when it only asks for the member, calls it, or is a variable.
  private func kind(ofIdentifier index: Int) -> CallExplanation.Kind? {
    if script.isDot(index - 1) {
      return script.isAssignment(index + 1) || isPatternTarget(index) ? .assignment : nil
    }
    let startsItem = script.isPunctuator(index - 1, "{") || script.isPunctuator(index - 1, ",")
    if script.isPunctuator(index + 1, ":"), startsItem { return .key }
    if startsItem, script.isPunctuator(index + 1, ",") || script.isPunctuator(index + 1, "}") { return .key }
    if script.isPunctuator(index + 1, "("), isDefinition(index) {
      return open.last == true ? .method : .objectMethod
    }
    guard script.isAssignment(index + 1), startsField(index) else { return nil }
    return open.last == true ? .method : .assignment
  }

  /// `name(…) {` without `function` before it.
  private func isDefinition(_ index: Int) -> Bool {
    let end = script.partners[index + 1]
    guard end > 0, script.isPunctuator(end + 1, "{") else { return false }
    return !script.isWord(index - 1, in: ["function", "new"])
      && !(script.isPunctuator(index - 1, "*") && script.isWord(index - 2, "function"))
  }

  /// Whether a field of a class or a statement may begin here; one that sets a variable counts as well.
  private func startsField(_ index: Int) -> Bool {
    if let before = script[index - 1],
      script.bytes[before.range.upperBound..<script.tokens[index].range.lowerBound].contains(0x0A)
    {
      return true
    }
    return script.isPunctuator(index - 1, ";") || script.isPunctuator(index - 1, "}")
      || script.isPunctuator(index - 1, "{")
      || script.isWord(index - 1, "static")
  }

  private func isPatternTarget(_ index: Int) -> Bool {
    (script.isPunctuator(index + 1, "}") || script.isPunctuator(index + 1, "]"))
      && script.isPunctuator(index + 2, "=")
  }

  // MARK: Texts

  private mutating func lookAtText(_ index: Int) {
    let token = script.tokens[index]
    let bytes = script.bytes[token.range]
    // The name of a call in brackets, `this["name"]()`, is the call itself.
    if script.isPunctuator(index - 1, "["), script.isPunctuator(index + 1, "]"),
      script.isPunctuator(index + 2, "(")
    {
      return
    }
    if isPartOfKey(index) { notePiece(index) }
    var start = bytes.startIndex
    let isName = script.content(ofString: index) != nil
    while start < bytes.endIndex {
      guard ScriptScanner.isIdentifierByte(bytes[start]) else {
        start += 1
        continue
      }
      let end = bytes[start...].firstIndex { !ScriptScanner.isIdentifierByte($0) } ?? bytes.endIndex
      if lengths.contains(end - start) {
        let name = String(decoding: bytes[start..<end], as: UTF8.self)
        if wanted.contains(name) {
          let isWhole = isName && end - start == bytes.count - 2
          let isKey = isWhole && script.isPunctuator(index + 1, ":")
          note(name, isKey ? .key : isWhole ? .name : .word, token.range.lowerBound)
        }
      }
      start = end
    }
  }

  /// Whether a text is one of several parts of a member's name in brackets: `this["on" + kind]`, `` this[`on${kind}`] ``.
  private func isPartOfKey(_ index: Int) -> Bool {
    if script.isPunctuator(index - 1, "["), script.isPunctuator(index + 1, "+") { return isMember(index - 1) }
    if script.isPunctuator(index + 1, "]"), script.isPunctuator(index - 1, "+") {
      return script.partners[index + 1] >= 0 && isMember(script.partners[index + 1])
    }
    guard script.tokens[index].kind == .template, script.content(ofString: index) == nil else { return false }
    return script.isPunctuator(index - 1, "[") && isMember(index - 1)
      || script.isPunctuator(index + 1, "]") && script.partners[index + 1] >= 0
        && isMember(script.partners[index + 1])
  }

  /// Whether a bracket asks for a member, and does not begin a list.
  private func isMember(_ open: Int) -> Bool {
    guard let before = script[open - 1] else { return false }
    return before.kind == .identifier
      && !script.isWord(open - 1, in: ["return", "of", "in", "case", "await", "yield"])
      || before.isPunctuator(")") || before.isPunctuator("]") || before.kind == .optionalChain
  }

  private mutating func notePiece(_ index: Int) {
    let token = script.tokens[index]
    let text = String(decoding: script.bytes[token.range], as: UTF8.self)
      .trimmingPieces
    if text.count >= 2 { pieces.append((text, token.range.lowerBound)) }
  }
}

extension String {
  /// A piece of a name without its quotes and the signs of a substitution.
  fileprivate var trimmingPieces: String {
    let signs: Set<Character> = ["'", "\"", "`", "$", "{", "}"]
    return String(drop { signs.contains($0) }.reversed().drop { signs.contains($0) }.reversed())
  }
}
