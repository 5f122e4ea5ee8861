/// Arms of `case` statements that bash and zsh read alike.
extension CommandTable {
  /// Lines indented as the scripts have them.
  func caseLines(_ lines: [String]) -> String { lines.map { "      " + $0 }.joined(separator: "\n") }

  /// How a word leads from one path to the next.
  func stepArm(_ path: [String]) -> String? {
    guard let word = path.last else { return nil }
    let parent = path.dropLast().joined(separator: " ")
    return "\"\(parent)/\(word)\") verb=\"\(path.joined(separator: " "))\" ;;"
  }

  /// What completes the value of each option of a verb.
  func optionArms(_ path: [String], _ action: (ValueShape) -> String) -> [String] {
    options(at: path).filter(\.takesValue).map { option in
      let patterns = option.spellings.map { "\"\(path.joined(separator: " ")) \($0)\"" }
      return "\(patterns.joined(separator: " | "))) \(action(option.shape)) return ;;"
    }
  }
}
