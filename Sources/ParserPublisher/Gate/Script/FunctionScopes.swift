/// Whose `this` each token of one function's text has.
///
/// Arrow functions and blocks have that of the function around them; nested `function`s, methods of object literals and
/// classes have their own.
struct FunctionScopes {
  enum Owner: Equatable {
    /// The function itself.
    case own
    /// A nested `function`, by the index of its keyword.
    case function(Int)
    /// A method of an object literal or of a class, or a class itself.
    case foreign
  }

  /// The owner of `this` at each token.
  private(set) var owners: [Owner] = []
  /// For each nested `function`, by the index of its keyword, the index of the brace that ends it.
  private(set) var ends: [Int: Int] = [:]

  private let script: ScriptTokens
  private var hasOwnBody = false

  init(_ script: ScriptTokens) {
    self.script = script
    read()
  }

  /// What an open bracket began: a new owner of `this`, or nothing of the kind.
  private mutating func read() {
    var open: [Owner?] = []
    var pendingClasses: [Int] = []
    owners.reserveCapacity(script.tokens.count)
    for index in script.indices {
      owners.append((open.last { $0 != nil } ?? nil) ?? .own)
      let token = script.tokens[index]
      switch token.kind {
      case .identifier where isClass(index): pendingClasses.append(open.count)
      case .arrow where open.isEmpty: hasOwnBody = true
      case .punctuator(UInt8(ascii: "{")):
        if pendingClasses.last == open.count {
          pendingClasses.removeLast()
          open.append(.foreign)
        } else {
          open.append(owner(ofBrace: index, isOutermost: open.isEmpty))
        }
      case .punctuator(UInt8(ascii: "(")), .punctuator(UInt8(ascii: "[")): open.append(nil)
      case .punctuator(UInt8(ascii: ")")), .punctuator(UInt8(ascii: "]")), .punctuator(UInt8(ascii: "}")):
        _ = open.popLast()
      case .template:
        if script.bytes[token.range.lowerBound] == UInt8(ascii: "}") { _ = open.popLast() }
        if script.bytes[token.range.upperBound - 1] == UInt8(ascii: "{") { open.append(nil) }
      default: break
      }
    }
  }

  private func isClass(_ index: Int) -> Bool {
    script.isWord(index, "class") && !script.isDot(index - 1)
      && (script.isIdentifier(index + 1) || script.isPunctuator(index + 1, "{"))
  }

  private static let control = ["if", "for", "while", "switch", "catch", "with", "await"]

  /// What a brace begins; `nil` for a block, an object literal, and the body of the function itself.
  private mutating func owner(ofBrace brace: Int, isOutermost: Bool) -> Owner? {
    guard script.isPunctuator(brace - 1, ")"), script.partners[brace - 1] >= 0 else { return nil }
    let before = script.partners[brace - 1] - 1
    let found: Owner
    if let keyword = keyword(before) {
      found = .function(keyword)
    } else if script.isIdentifier(before) {
      guard !script.isWord(before, in: Self.control) else { return nil }
      found = .foreign
    } else {
      let kind = script[before]?.kind
      guard kind == .string || kind == .number || script.isPunctuator(before, "]") else { return nil }
      found = .foreign
    }
    if isOutermost, !hasOwnBody {
      hasOwnBody = true
      return nil
    }
    if case .function(let keyword) = found, script.partners[brace] >= 0 {
      ends[keyword] = script.partners[brace]
    }
    return found
  }

  /// The index of `function`, when a list of parameters behind `index` is that of one.
  private func keyword(_ index: Int) -> Int? {
    for step in 0...2 where script.isWord(index - step, "function") && !script.isDot(index - step - 1) {
      let between = (index - step + 1)..<(index + 1)
      let isPlain = between.allSatisfy { script.isIdentifier($0) || script.isPunctuator($0, "*") }
      return isPlain ? index - step : nil
    }
    return nil
  }
}
