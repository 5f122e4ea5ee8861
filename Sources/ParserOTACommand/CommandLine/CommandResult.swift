internal import OTAManifest

/// What a verb hands back; the tool prints it, so a verb itself writes nothing to standard output.
struct CommandResult: Sendable {
  /// What goes to standard output when `--json` is not given.
  enum Output: Equatable, Sendable {
    /// Lines for people and scripts; control characters in them, newlines included, are shown, not sent.
    case lines([String])
    /// Exactly these bytes.
    case bytes([UInt8])
  }

  /// Where the message goes when `--json` is not given.
  enum Message: Sendable {
    /// To standard error: the verb did something, and this is the news.
    case spoken
    /// Nowhere: the output says it all.
    case inJSONOnly
  }

  var status = ExitStatus.done
  /// A stable word in kebab case.
  let code: String
  /// One sentence, lower case, without a full stop.
  let message: String
  var messageGoes: Message
  var output: Output
  /// Members of the JSON object after `ok`, `code` and `message`, in this order.
  var payload: [JSONMember]
  /// Said on standard error, and a member `warnings` of the JSON object when there are any.
  var warnings: [String] = []
  /// What to do next, where a success leaves something to do.
  var hint: String?
  /// Whether the verb has printed it itself, because it goes on after that.
  var isPrinted = false

  /// A verb that changed something: the message is said.
  static func outcome(
    _ code: String, _ message: String, lines: [String] = [], payload: [JSONMember] = []
  ) -> CommandResult {
    CommandResult(
      code: code, message: message, messageGoes: .spoken, output: .lines(lines), payload: payload)
  }

  /// A verb that lists things, one a line; an empty list is said, as no lines look like no answer.
  static func listing(
    _ code: String, _ message: String, lines: [String], payload: [JSONMember]
  ) -> CommandResult {
    var result = answer(code, message, lines: lines, payload: payload)
    if lines.isEmpty { result.messageGoes = .spoken }
    return result
  }

  /// A verb that answers a question: the lines are the answer, the message stands in JSON only.
  static func answer(
    _ code: String, _ message: String, lines: [String], payload: [JSONMember] = []
  ) -> CommandResult {
    CommandResult(
      code: code, message: message, messageGoes: .inJSONOnly, output: .lines(lines), payload: payload)
  }
}

extension CommandResult {
  /// The same with one more line for people.
  func adding(line: String) -> CommandResult {
    guard case .lines(let lines) = output else { return self }
    var copy = self
    copy.output = .lines(lines + [line])
    return copy
  }
}
