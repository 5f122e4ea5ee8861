/// Why the engine gave no result. Everything that a bundle can do to the engine ends in one of these.
public enum EngineError: Error, Equatable, Sendable {
  /// The engine's program is missing or may not be run; carries its path.
  case notInstalled(String)
  /// The engine did not start; carries its own words.
  case notStarted(String)
  /// A script does not parse, or threw while it was evaluated. The session goes on.
  case script(ScriptFault)
  /// A call threw, or its promise was rejected. The session goes on.
  case call(CallFault)
  /// A call gave no answer in its time, and the page still lives. The session goes on.
  case callTimedOut(Duration)
  /// The page was stuck for longer than it may be, and the engine was killed.
  case timedOut(during: String, after: Duration)
  /// The processes of the engine had more memory than they may, and were killed.
  case outOfMemory(bytes: Int, limit: Int)
  /// The page sent more than it may, and the engine was killed; carries what there was too much of.
  case flooded(String)
  /// The web process ended; carries the reason.
  case webProcessGone(String)
  /// The engine's own process ended; carries its last words.
  case engineGone(String)
  /// The engine said something that is no message of its protocol.
  case malformed(String)
  /// The caller's task was cancelled, and the engine was killed.
  case cancelled
  /// The session was closed.
  case closed
}

/// Why a script could not be evaluated, with the place.
public struct ScriptFault: Error, Equatable, Sendable {
  /// Whether the script was understood.
  public enum Kind: String, Sendable {
    /// It does not parse, so that nothing of it ran.
    case syntax
    /// It threw while it ran.
    case exception
  }

  /// Whether the script was understood.
  public let kind: Kind
  /// The name of the script.
  public let script: String
  /// The engine's words, such as `ReferenceError: Can't find variable: x`.
  public let message: String
  /// The line, from 1.
  public let line: Int?
  /// The column, from 1.
  public let column: Int?

  /// Describes a fault.
  public init(_ kind: Kind, script: String, message: String, line: Int?, column: Int?) {
    self.kind = kind
    self.script = script
    self.message = message
    self.line = line
    self.column = column
  }
}

/// What a call threw.
public struct CallFault: Error, Equatable, Sendable {
  /// The name of the error in JavaScript, such as `TypeError`.
  public let name: String
  /// Its message.
  public let message: String
  /// Its stack, one frame in each line, as the engine writes it.
  public let stack: String
  /// The script in which it was made; `nil` when the engine does not say.
  public let script: String?
  /// The line, from 1.
  public let line: Int?
  /// The column, from 1.
  public let column: Int?
  /// Why a page could not be had, when that is what was thrown: not the parser's fault.
  public let page: PageFault?

  /// Describes what was thrown.
  public init(
    name: String, message: String, stack: String = "", script: String? = nil, line: Int? = nil,
    column: Int? = nil, page: PageFault? = nil
  ) {
    (self.name, self.message, self.stack) = (name, message, stack)
    (self.script, self.line, self.column) = (script, line, column)
    self.page = page
  }
}
