/// Names as JavaScript has them, and what some of them mean.
enum JavaScriptName {
  static func isName(_ text: Substring) -> Bool {
    guard let first = text.first, !first.isNumber else { return false }
    return text.allSatisfy { isPart($0) }
  }

  static func isPart(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_" || character == "$"
  }

  /// Objects of the language that begin with a capital letter.
  static let globals: Set<String> = [
    "Array", "ArrayBuffer", "Atomics", "BigInt", "Boolean", "DOMParser", "Date", "Error", "Function", "Intl",
    "JSON", "Map", "Math", "Number", "Object", "Promise", "Proxy", "Reflect", "RegExp", "Set", "String",
    "Symbol", "URL", "URLSearchParams", "WeakMap", "WeakSet",
  ]

  /// Methods of nodes that are no fields of anything else.
  static let methodsOfNodes: Set<String> = [
    "getAttribute", "hasAttribute", "setAttribute", "querySelector", "querySelectorAll", "getElementById",
    "getElementsByClassName", "getElementsByTagName", "toLowerCase", "toUpperCase", "replaceAll", "parseHTML",
    "httpGet", "httpPost",
  ]

  /// Methods that data has when it is what the code hopes for; used when the engine was not asked.
  static let methodsOfData: Set<String> = [
    "at", "append", "charAt", "charCodeAt", "codePointAt", "concat", "endsWith", "entries", "every", "fill",
    "filter", "find", "findIndex", "findLast", "findLastIndex", "flat", "flatMap", "forEach", "get",
    "getAttribute", "getTime", "has", "includes", "indexOf", "join", "keys", "lastIndexOf", "localeCompare",
    "map", "match", "matchAll", "normalize", "padEnd", "padStart", "pop", "push", "querySelector",
    "querySelectorAll", "reduce", "reduceRight", "repeat", "replace", "replaceAll", "reverse", "search",
    "set", "shift", "slice", "some", "sort", "splice", "split", "startsWith", "substr", "substring", "test",
    "then", "toFixed", "toISOString", "toLocaleLowerCase", "toLocaleUpperCase", "toLowerCase", "toReversed",
    "toSorted", "toString", "toUpperCase", "trim", "trimEnd", "trimStart", "unshift", "values", "with",
  ]
}
