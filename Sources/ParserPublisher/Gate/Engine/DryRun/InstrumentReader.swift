/// The names of what is put into a bundle; new in each process, so that no bundle can look for them.
enum Instruments {
  private static let word = String(UInt64.random(in: (1 << 60)...UInt64.max), radix: 16)
  /// The list in which blocks note that they ran.
  static let blocks = "_b\(word)"
  /// The function that is told what a `catch` caught.
  static let caught = "_c\(word)"
  /// What a `catch` without a name caught.
  static let thrown = "_t\(word)"
}

/// Reads a bundle token by token, and notes where its blocks, `catch` clauses, selectors and settable names are.
struct InstrumentReader {
  private enum Head { case control, choice, catching, other }
  private enum Brace {
    case plain
    case block(number: Int?, start: Int)
    case body(start: Int)
  }

  static let queries: Set<String> = ["querySelector", "querySelectorAll", "closest", "matches"]

  private(set) var blocks: [InstrumentedBundle.Block] = []
  private(set) var selectors: [InstrumentedBundle.SelectorLiteral] = []
  private(set) var settable: Set<String> = []
  private(set) var assigned: Set<String> = []
  private(set) var evaluations: [Int] = []
  private(set) var classes: [InstrumentedBundle.OuterClass] = []
  private(set) var insertions: [(offset: Int, text: String)] = []

  private let bytes: [UInt8]
  private let tokens: [ScriptToken]
  private let scanner: ScriptScanner
  /// For each open parenthesis what it belongs to, and the number of its token.
  private var parentheses: [(head: Head, token: Int)] = []
  private var closed: (head: Head, token: Int)?
  private var braces: [Brace] = []
  private var classNames: [String?] = []
  /// A class whose body is to come: its name, and how many parentheses were open at its beginning.
  private var pendingClass: (name: String?, depth: Int, start: Int)?

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var scanner = ScriptScanner(bytes)
    var tokens: [ScriptToken] = []
    while let token = scanner.next() {
      if token.kind != .comment { tokens.append(token) }
    }
    self.tokens = tokens
    self.scanner = scanner
  }

  mutating func read() {
    for index in tokens.indices {
      switch tokens[index].kind {
      case .identifier: word(index)
      case .string: note(string: index)
      case .punctuator(UInt8(ascii: "(")): open(index)
      case .punctuator(UInt8(ascii: ")")): closed = parentheses.popLast()
      case .punctuator(UInt8(ascii: "{")): openBrace(index)
      case .punctuator(UInt8(ascii: "}")): closeBrace(index)
      default: break
      }
    }
    blocks = blocks.map { block in
      block.range.isEmpty
        ? .init(range: block.range.lowerBound..<bytes.count, className: block.className) : block
    }
  }

  // MARK: Tokens

  private func token(_ index: Int) -> ScriptToken? { tokens.indices.contains(index) ? tokens[index] : nil }
  private func isWord(_ index: Int, _ word: String) -> Bool { scanner.isWord(token(index), word) }
  private func isSign(_ index: Int, _ sign: Unicode.Scalar) -> Bool {
    token(index)?.isPunctuator(sign) ?? false
  }
  private func isMember(_ index: Int) -> Bool {
    isSign(index - 1, ".") || token(index - 1)?.kind == .optionalChain
  }

  private mutating func word(_ index: Int) {
    let text = scanner.text(tokens[index])
    let isMember = isMember(index)
    if isMember {
      if isAssignment(index + 1) {
        settable.insert(text)
        assigned.insert(text)
      }
      if Self.queries.contains(text), isSign(index + 1, "(") { noteSelector(index + 2) }
      return
    }
    switch text {
    case "class" where !isSign(index + 1, ":") && !isSign(index + 1, "("):
      pendingClass = (className(index), parentheses.count, tokens[index].range.lowerBound)
    case "eval", "Function":
      let isCalled =
        isSign(index + 1, "(") || isSign(index + 1, ")")
        || (isSign(index + 1, ".") && token(index + 2) != nil)
      if isCalled { evaluations.append(tokens[index].range.lowerBound) }
    default: break
    }
    noteSettable(index, text)
  }

  /// Keys of objects, variables of patterns, and fields of classes may become members.
  private mutating func noteSettable(_ index: Int, _ text: String) {
    if isSign(index + 1, ":") || isAssignment(index + 1) {
      settable.insert(text)
    } else if isSign(index - 1, "{") || isSign(index - 1, ",") {
      if isSign(index + 1, ",") || isSign(index + 1, "}") { settable.insert(text) }
    }
  }

  private func isAssignment(_ index: Int) -> Bool {
    guard let token = token(index) else { return false }
    if token.isPunctuator("=") || token.kind == .increment { return true }
    return token.kind == .logical && isSign(index + 1, "=")
  }

  private mutating func note(string index: Int) {
    let range = tokens[index].range
    guard range.count >= 3, range.count <= 66 else { return }
    let text = String(decoding: bytes[(range.lowerBound + 1)..<(range.upperBound - 1)], as: UTF8.self)
    settable.insert(text)
    assigned.insert(text)
  }

  private mutating func noteSelector(_ index: Int) {
    guard let literal = token(index), isSign(index + 1, ")") || isSign(index + 1, ","),
      literal.kind == .string || (literal.kind == .template && bytes[literal.range.upperBound - 1] == 0x60),
      bytes[literal.range.lowerBound] != UInt8(ascii: "}"), literal.range.count >= 2
    else { return }
    let inner = bytes[(literal.range.lowerBound + 1)..<(literal.range.upperBound - 1)]
    guard let text = ScriptString.value(of: inner) else { return }
    selectors.append(.init(text: text, offset: literal.range.lowerBound))
  }

  private func className(_ index: Int) -> String? {
    if let name = token(index + 1), name.kind == .identifier, !isWord(index + 1, "extends") {
      return scanner.text(name)
    }
    guard isSign(index - 1, "=") || isSign(index - 1, ":"), let name = token(index - 2),
      name.kind == .identifier
    else { return nil }
    return scanner.text(name)
  }

  // MARK: Parentheses and braces

  private mutating func open(_ index: Int) {
    var head = Head.other
    if !isMember(index - 1), token(index - 1)?.kind == .identifier {
      switch scanner.text(tokens[index - 1]) {
      case "if", "while", "for", "with": head = .control
      case "switch": head = .choice
      case "catch": head = .catching
      default: break
      }
    }
    parentheses.append((head, index))
  }

  private mutating func openBrace(_ index: Int) {
    if let pending = pendingClass, pending.depth == parentheses.count {
      pendingClass = nil
      classNames.append(pending.name)
      return braces.append(.body(start: pending.start))
    }
    let before = token(index - 1)
    if before?.isPunctuator(")") == true, let closed {
      guard closed.head != .choice else { return braces.append(.plain) }
      return beginBlock(index, catching: closed.head == .catching ? binding(closed.token) : nil)
    }
    if before?.kind == .arrow { return beginBlock(index, catching: nil) }
    let words = ["else", "try", "finally", "do", "catch"]
    guard !isMember(index - 1), let word = words.first(where: { isWord(index - 1, $0) }) else {
      return braces.append(.plain)
    }
    guard word == "catch" else { return beginBlock(index, catching: nil) }
    insertions.append((tokens[index].range.lowerBound, "(\(Instruments.thrown))"))
    beginBlock(index, catching: Instruments.thrown)
  }

  /// The name that a `catch` gives to what it caught; `nil` for a pattern.
  private func binding(_ parenthesis: Int) -> String? {
    guard isSign(parenthesis + 2, ")"), let name = token(parenthesis + 1), name.kind == .identifier else {
      return nil
    }
    return scanner.text(name)
  }

  private mutating func beginBlock(_ index: Int, catching name: String?) {
    // Nothing may come before a directive such as "use strict".
    guard token(index + 1)?.kind != .string else {
      return braces.append(.block(number: nil, start: tokens[index].range.lowerBound))
    }
    let number = blocks.count
    let start = tokens[index].range.lowerBound
    blocks.append(.init(range: start..<start, className: classNames.last ?? nil))
    let caught = name.map { "\(Instruments.caught)(\($0));" } ?? ""
    insertions.append((tokens[index].range.upperBound, "\(Instruments.blocks)[\(number)]=1;\(caught)"))
    braces.append(.block(number: number, start: start))
  }

  private mutating func closeBrace(_ index: Int) {
    switch braces.popLast() {
    case .block(let number?, let start):
      blocks[number] = .init(
        range: start..<tokens[index].range.upperBound, className: blocks[number].className)
    case .body(let start):
      guard let name = classNames.popLast(), classNames.isEmpty else { return }
      classes.append(.init(name: name, range: start..<tokens[index].range.upperBound))
    case .block, .plain, nil: break
    }
  }
}

extension InstrumentReader {
  /// Where code uses one of the classes by its name: another class anywhere, other code to inherit from it or to read a
  /// member. A list of parsers names them all, and says nothing.
  var classUses: [InstrumentedBundle.ClassUse] {
    let names = Set(classes.compactMap(\.name))
    var uses: [InstrumentedBundle.ClassUse] = []
    var number = 0
    for index in tokens.indices where tokens[index].kind == .identifier && !isMember(index) {
      let start = tokens[index].range.lowerBound
      while number < classes.count, classes[number].range.upperBound <= start { number += 1 }
      let text = scanner.text(tokens[index])
      guard names.contains(text) else { continue }
      if number < classes.count, classes[number].range.contains(start), let user = classes[number].name {
        if user != text { uses.append(.init(name: text, user: user)) }
      } else if isSign(index + 1, ".") {
        uses.append(.init(name: text, user: nil))
      }
    }
    return uses
  }
}

/// The text that a literal of JavaScript stands for.
enum ScriptString {
  /// - Returns: `nil` for escapes that are rare in what people write by hand.
  static func value(of bytes: ArraySlice<UInt8>) -> String? {
    var text: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "n"): text.append(0x0A)
      case UInt8(ascii: "t"): text.append(0x09)
      case let quoted? where quoted < 0x80 && "\\'\"`/ ().:[]#>+~*".utf8.contains(quoted):
        text.append(quoted)
      case 0x0A: break
      default: return nil
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
