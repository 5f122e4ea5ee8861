/// Whose fault an error is: that of the code, or that of a page without the data that the code looks for.
///
/// Read from the words of WebKit's engine, which apps use too. In doubt it is the page's: made-up pages lack nearly
/// everything, and a false alarm teaches people to allow things.
enum FaultClass: Equatable {
  /// The code can never work, such as a call of something that does not exist.
  case programming
  /// The method is the stub of a base class.
  case notImplemented
  /// Missing or other data.
  case data

  init(_ error: PageError) {
    let words = error.message
    if words.holds("not implemented") {
      self = .notImplemented
    } else if Self.isProgramming(error.name, words) {
      self = .programming
    } else {
      self = .data
    }
  }

  private static func isProgramming(_ name: String, _ words: String) -> Bool {
    switch name {
    case "ReferenceError":
      return words.hasPrefix("Can't find variable: ") || words.hasSuffix("before initialization.")
    case "RangeError": return words.hasPrefix("Maximum call stack size exceeded")
    case "TypeError":
      return words.hasPrefix("Attempted to assign to readonly property") || isBadCall(words)
        || isBadConstruction(words) || isMissingMember(words)
    default: return false
    }
  }

  // MARK: Calls

  /// `x.y is not a function. (In 'x.y(1)', 'x.y' is undefined)`.
  private static func isBadCall(_ words: String) -> Bool {
    guard let end = words.firstRange(of: " is not a function")?.lowerBound else { return false }
    let callee = String(words[..<end])
    // "undefined is not a function (near '...x of y...')": something that is no list was iterated.
    guard !words.contains("(near '"), callee != "undefined", callee != "null" else { return false }
    let parts = plain(callee).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ isName($0) }), let last = parts.last else { return false }
    if parts.count == 1 { return true }
    if parts[0] == "this" {
      return parts.count == 2 || parts[1] == "context" || !methodsOfData.contains(String(last))
    }
    return !methodsOfData.contains(String(last))
  }

  /// A callee whose members in quotes, as in `this['x']`, stand behind a dot.
  private static func plain(_ callee: String) -> String {
    callee.replacing(/\[(?:'([^'\]]*)'|"([^"\]]*)")\]/) { ".\($0.1 ?? $0.2 ?? "")" }
  }

  /// `x is not a constructor (evaluating 'new x()')`.
  private static func isBadConstruction(_ words: String) -> Bool {
    guard let end = words.firstRange(of: " is not a constructor")?.lowerBound else { return false }
    return words[..<end].split(separator: ".").allSatisfy { isName($0) } && !words.hasPrefix("undefined ")
  }

  // MARK: Members

  /// `undefined is not an object (evaluating 'this.x.y')`: a member of the parser's own that was never set.
  private static func isMissingMember(_ words: String) -> Bool {
    guard words.hasPrefix("undefined is not an object (evaluating '"),
      let start = words.firstRange(of: "evaluating '")?.upperBound
    else { return false }
    let expression = words[start...].prefix { $0 != "'" }
    guard expression.hasPrefix("this.") else { return false }
    let rest = expression.dropFirst("this.".count)
    let name = rest.prefix { isNameCharacter($0) }
    // Only one step further: of `this.a.b.c` it is not known which part is missing.
    guard !name.isEmpty, let sign = rest.dropFirst(name.count).first, sign == "." || sign == "[" else {
      return false
    }
    if sign == "[" { return true }
    let tail = rest.dropFirst(name.count + 1).drop { isNameCharacter($0) }
    return tail.isEmpty || tail.first == "("
  }

  private static func isName(_ text: Substring) -> Bool {
    guard let first = text.first, !first.isNumber else { return false }
    return text.allSatisfy { isNameCharacter($0) }
  }

  private static func isNameCharacter(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_" || character == "$"
  }

  /// What strings, lists, maps and promises can do: when one of these is missing, another kind of data came.
  private static let methodsOfData: Set<String> = [
    "at", "charAt", "charCodeAt", "codePointAt", "concat", "endsWith", "entries", "every", "fill", "filter",
    "find",
    "findIndex", "findLast", "flat", "flatMap", "forEach", "get", "has", "includes", "indexOf", "join",
    "keys",
    "lastIndexOf", "localeCompare", "map", "match", "matchAll", "normalize", "padEnd", "padStart", "pop",
    "push",
    "reduce", "reduceRight", "repeat", "replace", "replaceAll", "reverse", "search", "set", "shift", "slice",
    "some",
    "sort", "splice", "split", "startsWith", "substr", "substring", "test", "then", "toFixed",
    "toLocaleLowerCase",
    "toLocaleUpperCase", "toLowerCase", "toReversed", "toSorted", "toString", "toUpperCase", "trim",
    "trimEnd",
    "trimStart", "unshift", "values",
  ]
}

extension String {
  /// Whether a lower-case phrase stands anywhere in the text, in either case.
  fileprivate func holds(_ phrase: String) -> Bool { lowercased().contains(phrase) }
}
