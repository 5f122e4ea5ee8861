import Foundation
import TestSupport

/// How every error text must read, whoever provoked it.
struct ErrorRules: Sendable {
  /// Read once for all tests.
  static let shared = Result { try ErrorRules() }

  /// The names of all types in the sources that cannot be an everyday word.
  let typeNames: Set<String>

  init() throws {
    let root = BuiltProducts.packageRoot() + "/Sources"
    let declaration = try Regex(#"(?:struct|enum|class|actor|protocol|typealias) ([A-Z][A-Za-z0-9]+)"#)
    var names: Set<String> = []
    for case let path as String in FileManager.default.enumerator(atPath: root) ?? .init()
    where path.hasSuffix(".swift") {
      let text = try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
      for match in text.matches(of: declaration) {
        if let name = match.output[1].substring { names.insert(String(name)) }
      }
    }
    typeNames = names
  }

  /// What is wrong with the standard error of a failed run; nothing when all is well.
  func violations(in errors: String) -> [String] {
    let lines = errors.split(separator: "\n").map(String.init)
    let labels = ["error", "kept", "hint"]
    let said = lines.compactMap { line -> (label: String, text: String)? in
      for label in labels where line.hasPrefix(label + ": ") {
        return (label, String(line.dropFirst(label.count + 2)))
      }
      return nil
    }
    var found: [String] = []
    let failures = said.filter { $0.label == "error" }
    if failures.count != 1 { found.append("\(failures.count) error lines") }
    if said.count == failures.count { found.append("neither a hint nor a word on what was kept") }
    for (label, text) in said { found += Self.style(of: text).map { "\(label): \($0)" } }
    found += words(in: errors).filter(typeNames.contains).map { "names the type \($0)" }
    if errors.contains("Optional(") { found.append("shows an optional") }
    return found
  }

  private static func style(of text: String) -> [String] {
    var found: [String] = []
    // A path, an option, an argument or a name of the environment may stand first as it is.
    let first = text.split(separator: " ").first.map(String.init) ?? ""
    let isName = first.contains("/") || first.contains(".") || first == first.uppercased()
    if let letter = first.unicodeScalars.first, letter.properties.isUppercase, !isName {
      found.append("begins with a capital: \(text)")
    }
    if text.hasSuffix(".") { found.append("ends with a full stop: \(text)") }
    for word in text.matches(of: #/\b(somebody|whoever|whatever|anew|believe[sd]?|stranger|(?:is|are) no)\b/#)
    where !text.contains("there \(word.output.1)") {
      found.append("says \"\(word.output.1)\": \(text)")
    }
    if text.contains("errno") || text.wholeMatch(of: #/.*\berror -?[0-9]+/#) != nil {
      found.append("shows a bare number of an error: \(text)")
    }
    return found
  }

  /// The runs of letters and digits: a dot or a bracket beside the name of a type does not hide it.
  private func words(in text: String) -> [String] {
    text.matches(of: #/[A-Za-z][A-Za-z0-9]*/#).map { String($0.output) }
  }
}
