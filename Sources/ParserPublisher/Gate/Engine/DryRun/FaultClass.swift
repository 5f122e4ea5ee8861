/// Whose fault an error is: that of the code, or that of a page without the data that the code looks for.
///
/// Read from the words of WebKit's engine, which apps use too. In doubt it is the page's: made-up pages lack nearly
/// everything, and a false alarm teaches people to allow things.
enum FaultClass: Equatable {
  /// The code can never work, such as a call of something that does not exist.
  case programming
  /// The code looks wrong, but something that is not known here may make it right.
  case suspect
  /// The method says that it is not implemented.
  case notImplemented
  /// Missing or other data.
  case data

  init(_ error: PageError, knowing knowledge: FaultKnowledge = FaultKnowledge()) {
    let words = error.message
    // Text that was evaluated came from a page. Of a class that is called the engine does not say where it stands.
    guard error.isInBundle || words.hasPrefix("Cannot call a class constructor") else {
      self = .data
      return
    }
    if words.lowercased().contains("not implemented") {
      self = .notImplemented
      return
    }
    switch error.name {
    case "ReferenceError":
      self = FaultWords.isReference(words) ? (knowledge.evaluatesText ? .data : .programming) : .data
    case "RangeError": self = words.hasPrefix("Maximum call stack size exceeded") ? .programming : .data
    case "SyntaxError": self = FaultWords.syntax(words, knowledge)
    case "TypeError": self = FaultWords.type(words, knowledge)
    default: self = .data
    }
  }
}

/// What is known about the code around an error.
struct FaultKnowledge {
  /// Names that some code of the bundle or the catalog may give a value to.
  var settableNames: Set<String> = []
  /// Those of them that may become members of a parser.
  var assignedNames: Set<String> = []
  /// Whether the code around evaluates text, such as a script of the site.
  var evaluatesText = false
  /// Whether something of the engine's own has a method of the name that was called; `nil` when the engine did not say.
  var isMethodOfData: Bool?
  /// Whether a text stands in the bundle or in the catalog as it is.
  var isWritten: (String) -> Bool = { _ in true }
}

/// What the words of the engine mean.
private enum FaultWords {
  static func isReference(_ words: String) -> Bool {
    words.hasPrefix("Can't find variable: ") || words == "Cannot access uninitialized variable."
      || words.hasSuffix("before initialization.")
      || words.hasPrefix("'super()' must be called in derived constructor")
  }

  static func syntax(_ words: String, _ knowledge: FaultKnowledge) -> FaultClass {
    if words.hasSuffix("' is not a valid selector.") {
      let selector = words.dropFirst().dropLast("' is not a valid selector.".count)
      return knowledge.isWritten(String(selector)) ? .programming : .suspect
    }
    let isPattern =
      words.hasPrefix("Invalid regular expression") || words.hasPrefix("Invalid flags supplied to RegExp")
    return isPattern ? .programming : .data
  }

  /// Beginnings of messages that no data causes.
  private static let certain = [
    "Attempted to assign to readonly property", "Cannot access invalid private field",
    "Cannot access private method", "Cannot call a class constructor without |new|",
    "The superclass is not a constructor", "Right hand side of instanceof is not an object",
    "String.prototype.matchAll argument must not be a non-global regular expression",
    "String.prototype.replaceAll argument must not be a non-global regular expression",
    "Invalid mix of BigInt and other type", "Can only call ",
  ]

  static func type(_ words: String, _ knowledge: FaultKnowledge) -> FaultClass {
    if certain.contains(where: { words.hasPrefix($0) }) { return .programming }
    if words.contains(" is not a function") { return BadCall(words, knowledge)?.fault ?? .data }
    if words.contains(" is not a constructor") { return construction(words) }
    return missingMember(words, knowledge)
  }

  /// `x is not a constructor (evaluating 'new x()')`.
  private static func construction(_ words: String) -> FaultClass {
    guard let start = words.firstRange(of: "evaluating 'new ")?.upperBound else { return .data }
    let name = words[start...].prefix { JavaScriptName.isPart($0) || $0 == "." }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ JavaScriptName.isName($0) }), let last = parts.last else { return .data }
    // What a variable holds may come from a table.
    return last.first?.isUppercase == true ? .programming : .data
  }

  /// `undefined is not an object (evaluating 'this.x.y')` and its like.
  private static func missingMember(_ words: String, _ knowledge: FaultKnowledge) -> FaultClass {
    guard words.hasPrefix("undefined is not an object (evaluating '"),
      let start = words.firstRange(of: "evaluating '")?.upperBound
    else { return .data }
    let expression = words[start...].prefix { $0 != "'" }
    if expression.hasPrefix("this.") { return ownMember(expression.dropFirst("this.".count), knowledge) }
    return constantMember(expression, knowledge)
  }

  private static func ownMember(_ rest: Substring, _ knowledge: FaultKnowledge) -> FaultClass {
    let name = rest.prefix { JavaScriptName.isPart($0) }
    guard !name.isEmpty else { return .data }
    let tail = rest.dropFirst(name.count)
    // `this.x` alone fails only where there is no `this`.
    guard let sign = tail.first else { return .programming }
    guard sign == "." || sign == "[" else { return .data }
    let isKnown = knowledge.settableNames.contains(String(name))
    if isKnown { return .data }
    if sign == "[" { return .programming }
    // Only one step further: of `this.a.b.c` it is not known which part is missing.
    let end = tail.dropFirst().drop { JavaScriptName.isPart($0) }
    return end.isEmpty || end.first == "(" ? .programming : .data
  }

  /// `ContentRating.SAFE` where nothing of that name was imported; names of data begin with a small letter.
  private static func constantMember(_ expression: Substring, _ knowledge: FaultKnowledge) -> FaultClass {
    let parts = expression.split(separator: ".", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts.allSatisfy({ JavaScriptName.isName($0) }),
      parts[0].first?.isUppercase == true, !JavaScriptName.globals.contains(String(parts[0]))
    else { return .data }
    if parts.count == 2 { return .programming }
    return knowledge.settableNames.contains(String(parts[1])) ? .data : .programming
  }
}

/// `x.y is not a function. (In 'x.y(1)', 'x.y' is undefined)`.
private struct BadCall {
  let fault: FaultClass

  init?(_ words: String, _ knowledge: FaultKnowledge) {
    guard let end = words.firstRange(of: " is not a function")?.lowerBound else { return nil }
    let callee = String(words[..<end])
    // "undefined is not a function (near '...x of y...')": something that is no list was iterated.
    guard !words.contains("(near '"), callee != "undefined", callee != "null" else { return nil }
    let plain = Self.plain(callee)
    let parts = plain.split(separator: ".", omittingEmptySubsequences: false)
    guard let last = parts.last.map(String.init), JavaScriptName.isName(last[...]) else { return nil }
    let isData = knowledge.isMethodOfData ?? JavaScriptName.methodsOfData.contains(last)
    if parts.allSatisfy({ JavaScriptName.isName($0) }) {
      fault = Self.plainCall(parts, last, isData, knowledge)
    } else {
      // Something was called before, or is written there: only a name that nothing has is a fault.
      guard plain.contains(where: { "('\"`".contains($0) }), words.hasSuffix(" is undefined)") else {
        return nil
      }
      fault = isData ? .data : knowledge.settableNames.contains(last) ? .suspect : .programming
    }
  }

  private static func plainCall(
    _ parts: [Substring], _ last: String, _ isData: Bool, _ knowledge: FaultKnowledge
  ) -> FaultClass {
    if parts.count == 1 || parts[0] == "super" { return .programming }
    let isSettable = knowledge.settableNames.contains(last)
    if parts[0] == "this" {
      if parts.count == 2 { return knowledge.assignedNames.contains(last) ? .data : .programming }
      if parts[1] == "context" { return contextCall(last) }
    }
    // A method that nobody called: `node.getAttribute.trim()`.
    if JavaScriptName.methodsOfNodes.contains(String(parts[parts.count - 2])) { return .programming }
    if isData { return .data }
    return isSettable ? .suspect : .programming
  }

  /// What newer apps give a parser is not known; what looks like a known name is a slip.
  private static func contextCall(_ name: String) -> FaultClass {
    let known = ["httpGet", "httpPost", "parseHTML", "decodeContent"]
    return known.contains { EditDistance.isNear($0.lowercased(), name.lowercased()) }
      ? .programming : .suspect
  }

  /// A callee whose members in quotes, as in `this['x']`, and behind `?.` stand behind a dot.
  private static func plain(_ callee: String) -> String {
    callee.replacing(/\[(?:'([^'\]]*)'|"([^"\]]*)")\]/) { ".\($0.1 ?? $0.2 ?? "")" }
      .replacing("?.", with: ".")
  }
}

/// How far apart two short names are.
enum EditDistance {
  /// Whether one becomes the other by at most two letters put in, taken out or changed.
  static func isNear(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard abs(left.count - right.count) <= 2 else { return false }
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
      var next = [index + 1]
      for (column, other) in right.enumerated() {
        next.append(min(row[column] + (letter == other ? 0 : 1), row[column + 1] + 1, next[column] + 1))
      }
      row = next
    }
    return row[right.count] <= 2
  }
}
