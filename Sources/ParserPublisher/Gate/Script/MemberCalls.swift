/// What the source text of one method does with members of `this` and `super`: the calls, and what makes them safe.
///
/// Only code whose `this` is the method's own counts: nested `function`s, methods of object literals and classes have
/// another one, arrow functions do not.
struct MemberCalls {
  /// One `this.name(` or `super.name(`.
  struct Call: Equatable {
    /// Whose member is called.
    enum Receiver: String { case this, `super` }

    let receiver: Receiver
    let name: String
    /// Where the receiver stands in the text, in bytes.
    let offset: Int
  }

  /// The calls in the order of the text.
  private(set) var calls: [Call] = []
  /// Members that the code asks for before it uses them, such as `if (this.name)` or `this.name?.(`.
  private(set) var guarded: Set<String> = []
  /// Members that the code gives a value.
  private(set) var assigned: Set<String> = []

  private enum Parenthesis { case control, head, other }
  private enum Brace { case plain, foreign }

  private var scanner: ScriptScanner
  /// The last tokens, the newest last.
  private var recent: [ScriptToken] = []
  private var parentheses: [Parenthesis] = []
  private var closed = Parenthesis.other
  private var braces: [Brace] = []
  private var foreignDepth = 0
  private var hasOwnBody = false
  private var functionIsPending = false
  /// The number of open parentheses where a class was begun whose body is to come.
  private var pendingClass: Int?

  init(of text: [UInt8]) {
    scanner = ScriptScanner(text)
    while let token = nextSignificant() { take(token) }
  }

  private mutating func nextSignificant() -> ScriptToken? {
    while let token = scanner.next() {
      if token.kind != .comment { return token }
    }
    return nil
  }

  private func last(_ count: Int) -> ScriptToken? {
    recent.count >= count ? recent[recent.count - count] : nil
  }

  private mutating func take(_ token: ScriptToken) {
    noteMember(followedBy: token)
    switch token.kind {
    case .identifier: noteWord(token)
    case .arrow where parentheses.isEmpty && braces.isEmpty: hasOwnBody = true
    case .punctuator(UInt8(ascii: "(")): open()
    case .punctuator(UInt8(ascii: ")")): closed = parentheses.popLast() ?? .other
    case .punctuator(UInt8(ascii: "{")): openBrace()
    case .punctuator(UInt8(ascii: "}")):
      if braces.popLast() == .foreign { foreignDepth -= 1 }
    default: break
    }
    recent.append(token)
    if recent.count > 8 { recent.removeFirst(4) }
  }

  // MARK: Whose `this` it is

  private mutating func noteWord(_ token: ScriptToken) {
    guard last(1).map({ $0.isPunctuator(".") || $0.kind == .optionalChain }) != true else { return }
    if scanner.isWord(token, "function") { functionIsPending = true }
    if scanner.isWord(last(1), "class"), !(last(2)?.isPunctuator(".") ?? false) {
      pendingClass = parentheses.count
    }
  }

  private static let controlWords = ["if", "for", "while", "switch", "catch", "with", "await", "return"]

  private mutating func open() {
    if functionIsPending {
      functionIsPending = false
      parentheses.append(.head)
    } else if let before = last(1), before.kind == .identifier {
      parentheses.append(Self.controlWords.contains { scanner.isWord(before, $0) } ? .control : .head)
    } else if let before = last(1),
      before.kind == .string || before.kind == .number || before.isPunctuator("]")
    {
      parentheses.append(.head)
    } else {
      parentheses.append(.other)
    }
  }

  private mutating func openBrace() {
    var kind = Brace.plain
    if pendingClass == parentheses.count || scanner.isWord(last(1), "class") {
      pendingClass = nil
      kind = .foreign
    } else if last(1)?.isPunctuator(")") == true, closed == .head {
      if hasOwnBody || !parentheses.isEmpty { kind = .foreign }
      if parentheses.isEmpty { hasOwnBody = true }
    }
    if kind == .foreign { foreignDepth += 1 }
    braces.append(kind)
  }

  // MARK: Members

  private func receiver(_ word: ScriptToken) -> Call.Receiver? {
    if scanner.isWord(word, "this") { return .this }
    return scanner.isWord(word, "super") ? .super : nil
  }

  /// Judges `this.name` and `super.name` by what stands before it and by the token that follows it.
  private mutating func noteMember(followedBy token: ScriptToken) {
    guard foreignDepth == 0, let name = last(1), name.kind == .identifier, let dot = last(2),
      dot.isPunctuator(".") || dot.kind == .optionalChain, let word = last(3),
      let receiver = receiver(word),
      last(4).map({ $0.isPunctuator(".") || $0.kind == .optionalChain }) != true
    else { return }
    let member = scanner.text(name)
    switch token.kind {
    case .punctuator(UInt8(ascii: "(")):
      calls.append(Call(receiver: receiver, name: member, offset: word.range.lowerBound))
      return
    case .punctuator(UInt8(ascii: "=")): assigned.insert(member)
    case .optionalChain, .logical, .punctuator(UInt8(ascii: "?")): guarded.insert(member)
    case .punctuator(UInt8(ascii: ")")) where parentheses.last == .control: guarded.insert(member)
    default: break
    }
    if let before = last(4), before.isPunctuator("!") || scanner.isWord(before, "typeof") {
      guarded.insert(member)
    }
  }
}
