import Foundation
import TestSupport
import Testing

/// The built `parser-ota`, run as users run it: a process with a folder, arguments and an environment.
struct Tool {
  /// Relative paths of the command line start here.
  let directory: String
  /// What is set besides the little that every run has.
  var environment: [String: String] = [:]

  /// Every run starts from the same environment, so that the machine of the tests does not show.
  static let bareEnvironment = [
    "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C",
  ].merging(WithoutEngine.environment) { $1 }

  /// The path of the executable.
  static func path() throws -> String { try BuiltProducts.path(of: "parser-ota") }

  /// Everything that a child of this tool gets.
  var variables: [String: String] { Self.bareEnvironment.merging(environment) { $1 } }

  /// Runs one command line; every failure is held against the rules for error texts.
  func callAsFunction(
    _ arguments: [String], stdin: [UInt8] = [], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Answer {
    let result = try run(
      Self.path(), WithoutEngine.arguments(arguments), environment: variables, directory: directory,
      stdin: stdin, timeout: .seconds(30))
    let answer = Answer(arguments: arguments, result: result)
    if answer.code != 0 && !answer.isAnswer {
      let violations = try ErrorRules.shared.get().violations(in: answer.errors)
      #expect(violations == [], "\(answer)", sourceLocation: sourceLocation)
    }
    for hint in answer.lines("hint") {
      let strangers = try Reference.shared.get().strangers(in: hint, of: arguments)
      #expect(strangers == [], "the verb has no such option: \(answer)", sourceLocation: sourceLocation)
    }
    return answer
  }

  /// Runs one command line of words without blanks.
  func callAsFunction(
    _ line: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Answer {
    try self(line.split(separator: " ").map(String.init), sourceLocation: sourceLocation)
  }

  /// Runs a command line with `--json` that must end with this status, and reads the one object that it prints.
  func json(
    _ line: String, status: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> JSONAnswer {
    try json(
      line.split(separator: " ").map(String.init), status: status, sourceLocation: sourceLocation)
  }

  /// Runs a command line with `--json` that must end with this status, and reads the one object that it prints.
  func json(
    _ arguments: [String], status: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> JSONAnswer {
    let answer = try self(arguments + ["--json"], sourceLocation: sourceLocation)
    #expect(answer.code == status, "\(answer)", sourceLocation: sourceLocation)
    return try JSONAnswer(answer)
  }

  /// Starts a command line and comes back at once.
  func start(_ line: String) throws -> ChildProcess {
    try ChildProcess(
      Self.path(), WithoutEngine.arguments(line.split(separator: " ").map(String.init)),
      environment: variables, directory: directory)
  }

  /// Runs a shell script in which `parser-ota` is the built tool.
  func shell(_ script: String, shell: [String] = ["/bin/bash", "-c"]) throws -> ChildResult {
    let tool = try Self.path()
    let folder = String(tool[..<(tool.lastIndex(of: "/") ?? tool.endIndex)])
    var variables = variables
    variables["PATH", default: ""] = folder + ":" + (variables["PATH"] ?? "")
    return try run(
      shell[0], Array(shell.dropFirst()) + [script], environment: variables, directory: directory,
      timeout: .seconds(30))
  }
}

/// What one run of the tool left.
struct Answer: CustomTestStringConvertible {
  let arguments: [String]
  let result: ChildResult

  /// The exit status; -1 when a signal or the clock ended the run.
  var code: Int32 { if case .exited(let code) = result.status { code } else { -1 } }
  /// Whether the run answered the question that it was asked, and the answer is "no".
  var isAnswer: Bool {
    [1, 3].contains(code) && line("error") == nil
      && [["source", "resolve"], ["check"], ["device", "check"], ["doctor"]].contains {
        arguments.starts(with: $0)
      }
  }
  var output: String { result.output }
  var errors: String { result.errors }

  /// The value of a labelled line of standard error, such as `hint`.
  func line(_ label: String) -> String? {
    errors.split(separator: "\n").first { $0.hasPrefix(label + ": ") }.map {
      String($0.dropFirst(label.count + 2))
    }
  }

  /// The values of all lines of standard error with this label.
  func lines(_ label: String) -> [String] {
    errors.split(separator: "\n").filter { $0.hasPrefix(label + ": ") }.map {
      String($0.dropFirst(label.count + 2))
    }
  }

  /// The error with the findings below it.
  var failure: String {
    let lines = errors.split(separator: "\n", omittingEmptySubsequences: false)
    let start = lines.firstIndex { $0.hasPrefix("error: ") } ?? lines.endIndex
    return lines[start...].prefix { !$0.hasPrefix("kept: ") && !$0.hasPrefix("hint: ") }.joined(
      separator: "\n")
  }

  var testDescription: String {
    "$ parser-ota \(arguments.joined(separator: " "))\n\(output.prefix(2000))\(errors)-> \(result.status)"
  }
}

/// The one JSON object that a run printed.
struct JSONAnswer {
  let answer: Answer
  /// The keys in the order in which they stand.
  let keys: [String]
  private let members: [String: Any]

  init(_ answer: Answer, sourceLocation: SourceLocation = #_sourceLocation) throws {
    self.answer = answer
    let text = answer.output
    #expect(
      text.hasSuffix("}\n") && text.filter { $0 == "\n" }.count == 1, "not one line: \(answer)",
      sourceLocation: sourceLocation)
    let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8))
    members = try #require(parsed as? [String: Any], "\(answer)", sourceLocation: sourceLocation)
    keys = Self.topKeys(text)
  }

  var ok: Bool? { members["ok"] as? Bool }
  var code: String? { string("code") }
  var message: String { string("message") ?? "" }

  /// A value by its path, such as `manifest.version`; a number chooses from an array.
  func value(_ path: String) -> Any? {
    var value: Any? = members
    for part in path.split(separator: ".") {
      if let index = Int(part), let list = value as? [Any] {
        value = list.indices.contains(index) ? list[index] : nil
      } else {
        value = (value as? [String: Any])?[String(part)]
      }
    }
    return value is NSNull ? nil : value
  }

  func string(_ path: String) -> String? { value(path) as? String }
  func number(_ path: String) -> Int? { value(path) as? Int }
  func list(_ path: String) -> [Any] { value(path) as? [Any] ?? [] }

  /// The keys of the outermost object, by a walk over its text: a parsed dictionary has no order.
  private static func topKeys(_ text: String) -> [String] {
    var keys: [String] = []
    var depth = 0
    var string: String?
    var last = ""
    var isEscaped = false
    for character in text {
      if let open = string {
        if isEscaped {
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else if character == "\"" {
          (last, string) = (open, nil)
          continue
        }
        string = open + String(character)
        continue
      }
      switch character {
      case "\"": string = ""
      case "{", "[": depth += 1
      case "}", "]": depth -= 1
      case ":" where depth == 1: keys.append(last)
      default: break
      }
    }
    return keys
  }
}
