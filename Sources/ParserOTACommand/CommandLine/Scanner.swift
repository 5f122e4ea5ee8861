/// One word of a command line, with its position for messages; the first argument has position 1.
enum Token: Equatable, Sendable {
  /// `--name`, `--name=value` or `-n`; the name keeps its dashes.
  case option(name: String, inlineValue: String?, position: Int)
  /// Anything else, a lone `-` and the empty string included.
  case value(text: String, position: Int)
  /// `--`: everything after it is a value.
  case end(position: Int)
}

/// Cuts arguments into tokens without knowing any option.
///
/// Looks at bytes: for Swift a `=` or `-` and an accent after it are one character, and neither sign nor dash.
enum Scanner {
  /// One token for each argument, in order; nothing is dropped, split at blanks or abbreviated.
  static func tokens(of arguments: [String]) -> [Token] {
    var tokens: [Token] = []
    var ended = false
    for (index, argument) in arguments.enumerated() {
      let position = index + 1
      if ended || argument.utf8.first != UInt8(ascii: "-") || argument == "-" {
        tokens.append(.value(text: argument, position: position))
      } else if argument == "--" {
        ended = true
        tokens.append(.end(position: position))
      } else {
        tokens.append(option(argument, position))
      }
    }
    return tokens
  }

  private static func option(_ argument: String, _ position: Int) -> Token {
    guard let sign = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      return .option(name: argument, inlineValue: nil, position: position)
    }
    return .option(
      name: String(Substring(argument.utf8[..<sign])),
      inlineValue: String(Substring(argument.utf8[argument.utf8.index(after: sign)...])),
      position: position)
  }
}
