/// What the source text of one method does with members of `this` and `super`: calls, what makes them safe, and misuse.
///
/// `self` in `const self = this` is `this` as well. Of code with another `this` only the calls count that lost it.
struct MemberUses {
  /// Whose member is used.
  enum Receiver: String { case this, `super` }

  /// One `this.name(`, `self.name(`, `this["name"](` or `super.name(`.
  struct Call: Equatable {
    /// What happens when the method is missing.
    enum Catching: Equatable {
      case none
      /// The call stands in a `try` with a `catch`.
      case caught
      /// The call is all that an empty `catch` could be for: a method that may be missing.
      case optional
    }

    let receiver: Receiver
    let name: String
    /// Where the receiver stands in the text, in bytes.
    let offset: Int
    var catching = Catching.none
    /// Members of which one is asked before the call is made, as `if (this.hasRows) this.rows()` does.
    var conditions: Set<String> = []
  }

  /// A method that is used as if it were a value: `${this.name}`, `this.name + "x"`, `this.name.split(`.
  struct Reading: Equatable {
    let name: String
    let offset: Int
  }

  /// The calls in the order of the text.
  private(set) var calls: [Call] = []
  /// Members that the code reads, asks for by name, or lists in a pattern: whoever looks may find nothing.
  private(set) var tested: Set<String> = []
  /// Members of which the code asks whether they are there, as in `if (this.name)`.
  private(set) var asked: Set<String> = []
  /// Members that the code gives a value.
  private(set) var assigned: Set<String> = []
  /// Whether members come into being whose names do not stand here, as in `this[key] = x` and `Object.assign(this, x)`.
  private(set) var makesMembers = false
  /// Members that are read as only a text could be.
  private(set) var readings: [Reading] = []
  /// Uses of `this` in a nested `function` that is called without one.
  private(set) var lost: [Call] = []

  private let script: ScriptTokens
  private let scopes: FunctionScopes
  private let aliases: Set<String>
  private let tries: TryBlocks
  private var branches: [(range: Range<Int>, members: Set<String>)] = []

  init(of text: [UInt8]) {
    script = ScriptTokens(text)
    scopes = FunctionScopes(script)
    aliases = Self.aliases(script, scopes)
    tries = TryBlocks(script)
    branches = script.indices.compactMap { branch(at: $0) }
    for index in script.indices { look(at: index) }
    noteNames()
  }

  /// Names that stand for `this`: `const self = this`.
  private static func aliases(_ script: ScriptTokens, _ scopes: FunctionScopes) -> Set<String> {
    var names: Set<String> = []
    for index in script.indices where script.isWord(index, "this") && scopes.owners[index] == .own {
      guard script.isPunctuator(index - 1, "="), script.isIdentifier(index - 2), !script.isDot(index - 3),
        !script.isDot(index + 1), !script.isPunctuator(index + 1, "["), !script.isPunctuator(index + 1, "(")
      else { continue }
      names.insert(script.text(index - 2))
    }
    return names
  }

  // MARK: Members

  /// The receiver that stands at an index; `nil` when none does, or one of another function.
  private func receiver(_ index: Int) -> Receiver? {
    guard script.isIdentifier(index), !script.isDot(index - 1) else { return nil }
    if script.isWord(index, "this") { return scopes.owners[index] == .own ? .this : nil }
    if script.isWord(index, "super") { return scopes.owners[index] == .own ? .super : nil }
    return !aliases.isEmpty && aliases.contains(script.text(index)) ? .this : nil
  }

  /// The member behind a receiver and the index of its last token; a name in brackets must be a plain string.
  private func member(_ index: Int) -> (name: String, end: Int)? {
    if script.isDot(index + 1), script.isIdentifier(index + 2) {
      return (script.text(index + 2), index + 2)
    }
    let open = script[index + 1]?.kind == .optionalChain ? index + 2 : index + 1
    guard script.isPunctuator(open, "["), script.isPunctuator(open + 2, "]"),
      let name = script.content(ofString: open + 1)
    else { return nil }
    return (name, open + 2)
  }

  private mutating func look(at index: Int) {
    if let receiver = receiver(index) {
      if let (name, end) = member(index) {
        note(receiver, name, index, end)
      } else if receiver == .this {
        noteWhole(index)
      }
    } else if script.isWord(index, "this"), case .function(let keyword) = scopes.owners[index],
      let (name, end) = member(index), !script.isAssignment(end + 1),
      LostThis(script, scopes).isCalledWithoutThis(keyword)
    {
      lost.append(Call(receiver: .this, name: name, offset: script.tokens[index].range.lowerBound))
    }
  }

  private mutating func note(_ receiver: Receiver, _ name: String, _ index: Int, _ end: Int) {
    let offset = script.tokens[index].range.lowerBound
    if isCall(end + 1), !script.isWord(index - 1, "new") {
      calls.append(
        Call(
          receiver: receiver, name: name, offset: offset, catching: tries.catching(callAt: index, end + 1),
          conditions: conditions(at: index)))
    } else if script.isAssignment(end + 1) || isTarget(end) {
      assigned.insert(name)
    } else {
      tested.insert(name)
      if isAsked(index, end) { asked.insert(name) }
      if isReadAsText(index, end) { readings.append(Reading(name: name, offset: offset)) }
    }
  }

  private func isAsked(_ index: Int, _ end: Int) -> Bool {
    let (before, after) = (script[index - 1], script[end + 1])
    if before?.isPunctuator("!") == true || before?.kind == .equality || before?.kind == .logical
      || script.isWord(index - 1, "typeof")
    {
      return true
    }
    switch after?.kind {
    case .optionalChain, .logical, .equality, .punctuator(UInt8(ascii: "?")): return true
    case .punctuator(UInt8(ascii: ")")):
      let open = script.partners[end + 1] - 1
      return script.isWord(open, in: ["if", "while", "Boolean"])
    default: return script.isWord(end + 1, "instanceof")
    }
  }

  /// The branch of an `if` that is only taken when members of `this` are there: `if (this.a && …)`.
  private func branch(at index: Int) -> (range: Range<Int>, members: Set<String>)? {
    guard script.isWord(index, "if"), !script.isDot(index - 1), script.isPunctuator(index + 1, "("),
      script.partners[index + 1] > index, receiver(index + 2) == .this, let (name, end) = member(index + 2)
    else { return nil }
    let close = script.partners[index + 1]
    let isConjunction = end + 1 == close || isAnd(end + 1) && !((end + 1)..<close).contains { isOr($0) }
    guard isConjunction else { return nil }
    if script.isPunctuator(close + 1, "{") {
      return ((close + 1)..<max(close + 1, script.partners[close + 1]), [name])
    }
    let stop = (close + 1..<script.tokens.count).first { script.isPunctuator($0, ";") } ?? script.tokens.count
    return ((close + 1)..<stop, [name])
  }

  private func conditions(at index: Int) -> Set<String> {
    var found = branches.filter { $0.range.contains(index) }.reduce(into: Set<String>()) {
      $0.formUnion($1.members)
    }
    // `this.a && this.b()`
    if isAnd(index - 1), script.isIdentifier(index - 2), script.isDot(index - 3), receiver(index - 4) == .this
    {
      found.insert(script.text(index - 2))
    }
    return found
  }

  private func isAnd(_ index: Int) -> Bool { isOperator(index, "&") }

  private func isOr(_ index: Int) -> Bool { isOperator(index, "|") || script.isPunctuator(index, "?") }

  private func isOperator(_ index: Int, _ sign: Unicode.Scalar) -> Bool {
    guard let token = script[index], token.kind == .logical else { return false }
    return script.bytes[token.range.lowerBound] == UInt8(ascii: sign)
  }

  private func isCall(_ index: Int) -> Bool {
    if script.isPunctuator(index, "(") { return true }
    guard let token = script[index], token.kind == .template else { return false }
    return script.bytes[token.range.lowerBound] == UInt8(ascii: "`")
  }

  /// Whether a member is a target in a pattern: `({ a: this.name } = x)`, `[this.name] = x`.
  private func isTarget(_ end: Int) -> Bool {
    guard
      script.isPunctuator(end + 1, ",") || script.isPunctuator(end + 1, "}")
        || script.isPunctuator(end + 1, "]")
    else { return false }
    var depth = 0
    for index in (end + 1)..<min(end + 200, script.tokens.count) {
      if script.isPunctuator(index, "{") || script.isPunctuator(index, "[") || script.isPunctuator(index, "(")
      {
        depth += 1
      } else if script.isPunctuator(index, "}") || script.isPunctuator(index, "]") {
        if depth == 0 { return script.isPunctuator(index + 1, "=") }
        depth -= 1
      } else if script.isPunctuator(index, ")") {
        if depth == 0 { return false }
        depth -= 1
      }
    }
    return false
  }

  /// What strings can do and functions cannot.
  private static let methodsOfText: Set<String> = [
    "split", "replace", "replaceAll", "trim", "startsWith", "endsWith", "includes", "indexOf", "slice",
    "substring",
    "toLowerCase", "toUpperCase", "match", "matchAll", "map", "filter", "forEach", "join", "push", "charAt",
    "padStart",
  ]

  private func isReadAsText(_ index: Int, _ end: Int) -> Bool {
    if let before = script[index - 1], before.kind == .template, script[end + 1]?.kind == .template {
      return true
    }
    if script.isPunctuator(index - 1, "+"), isText(index - 2) { return true }
    if script.isPunctuator(end + 1, "+"), isText(end + 2) { return true }
    return script.isDot(end + 1) && script.isIdentifier(end + 2) && script.isPunctuator(end + 3, "(")
      && Self.methodsOfText.contains(script.text(end + 2))
  }

  private func isText(_ index: Int) -> Bool {
    script[index]?.kind == .string || script[index]?.kind == .template
  }

  // MARK: The object as a whole

  /// Judges a `this` without a member's name: patterns, calls that may fill it, and keys that are made.
  private mutating func noteWhole(_ index: Int) {
    if script.isPunctuator(index + 1, "["), script.partners[index + 1] >= 0 {
      if script.isAssignment(script.partners[index + 1] + 1) { makesMembers = true }
    } else if script.isPunctuator(index - 1, "="), script.isPunctuator(index - 2, "}"),
      !script.isDot(index + 1)
    {
      for name in names(inPatternEndingAt: index - 2) { tested.insert(name) }
    } else if script.isPunctuator(index - 1, "("), script.isIdentifier(index - 2),
      script.isPunctuator(index + 1, ",") || script.isPunctuator(index + 1, ")")
    {
      // What gets the object first may give it members: Object.assign, Reflect.set, a mixin.
      makesMembers = true
    }
  }

  private func names(inPatternEndingAt end: Int) -> [String] {
    guard script.partners[end] >= 0 else { return [] }
    return (script.partners[end]..<end).filter { index in
      script.isIdentifier(index)
        && (script.isPunctuator(index - 1, "{") || script.isPunctuator(index - 1, ","))
    }.map(script.text)
  }

  /// Strings that are names: `Object.hasOwn(this, "name")`, `"name" in this`.
  private mutating func noteNames() {
    for index in script.indices {
      guard let name = script.content(ofString: index), !script.isPunctuator(index - 1, "[") else { continue }
      tested.insert(name)
    }
  }
}

/// The `try` blocks of a text that have a `catch`.
private struct TryBlocks {
  private let script: ScriptTokens
  private var blocks: [(range: Range<Int>, catchIsEmpty: Bool)] = []

  init(_ script: ScriptTokens) {
    self.script = script
    for index in script.indices where script.isWord(index, "try") && !script.isDot(index - 1) {
      guard script.isPunctuator(index + 1, "{"), script.partners[index + 1] > 0,
        script.isWord(script.partners[index + 1] + 1, "catch")
      else { continue }
      let end = script.partners[index + 1]
      let start = script.isPunctuator(end + 2, "(") ? script.partners[end + 2] + 1 : end + 2
      // An empty one, or one that looks whether just a member was missing.
      let isEmpty =
        script.isPunctuator(start, "{")
        && (script.isPunctuator(start + 1, "}")
          || (start..<max(start, script.partners[start])).contains { script.isWord($0, "TypeError") })
      blocks.append(((index + 1)..<end, isEmpty))
    }
  }

  func catching(callAt index: Int, _ parenthesis: Int) -> MemberUses.Call.Catching {
    guard let block = blocks.last(where: { $0.range.contains(index) }) else { return .none }
    var first = index
    while script.isWord(first - 1, in: ["await", "void"]) { first -= 1 }
    var end = script.partners[parenthesis] + 1
    if script.isPunctuator(end, ";") { end += 1 }
    let isAll = first - 1 == block.range.lowerBound && end == block.range.upperBound
    return isAll && block.catchIsEmpty ? .optional : .caught
  }
}

/// Tells nested functions that nobody gives a `this`.
private struct LostThis {
  private let script: ScriptTokens
  private let scopes: FunctionScopes

  init(_ script: ScriptTokens, _ scopes: FunctionScopes) { (self.script, self.scopes) = (script, scopes) }

  /// Functions of the language and of pages that call what they get without a `this`.
  private static let callers: Set<String> = [
    "map", "forEach", "filter", "some", "every", "find", "findIndex", "findLast", "flatMap", "reduce",
    "reduceRight",
    "sort", "toSorted", "then", "catch", "finally", "replace", "replaceAll", "setTimeout", "queueMicrotask",
  ]

  func isCalledWithoutThis(_ keyword: Int) -> Bool {
    guard let end = scopes.ends[keyword], !script.isDot(end + 1) else { return false }
    if isArgument(keyword, end) { return true }
    return isNamed(keyword)
  }

  /// The first argument of one of the callers, without a second one that is `this`.
  private func isArgument(_ keyword: Int, _ end: Int) -> Bool {
    let before = script.isWord(keyword - 1, "async") ? keyword - 2 : keyword - 1
    var open = before
    if script.isPunctuator(before, ",") {
      // The pattern of a replacement stands before it, and is one token.
      open = before - 2
    }
    guard script.isPunctuator(open, "("), script.isIdentifier(open - 1),
      Self.callers.contains(script.text(open - 1))
    else { return false }
    return !(script.isPunctuator(end + 1, ",") && !script.isPunctuator(end + 2, ")") && !isNumber(end + 2))
  }

  private func isNumber(_ index: Int) -> Bool { script[index]?.kind == .number }

  /// A function with a name that is only ever called, as in `function name() {…} name();`.
  private func isNamed(_ keyword: Int) -> Bool {
    guard script.isIdentifier(keyword + 1), !script.isPunctuator(keyword - 1, "=") else { return false }
    let before = script[keyword - 1]
    let isDeclaration =
      before.map { $0.isPunctuator(";") || $0.isPunctuator("{") || $0.isPunctuator("}") } ?? false
    guard isDeclaration || script.isWord(keyword - 1, "async") else { return false }
    let name = script.text(keyword + 1)
    let others = script.indices.filter {
      $0 != keyword + 1 && script.isWord($0, name) && !script.isDot($0 - 1)
    }
    return !others.isEmpty
      && others.allSatisfy { script.isPunctuator($0 + 1, "(") && !script.isWord($0 - 1, "new") }
  }
}
