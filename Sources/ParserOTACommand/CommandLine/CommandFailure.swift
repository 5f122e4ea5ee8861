internal import OTAManifest

/// Why a verb did not do what it was asked: who must act, in words for people and for programs.
struct CommandFailure: Error, Sendable {
  let status: ExitStatus
  /// A stable word in kebab case.
  let code: String
  /// One sentence, lower case, without a full stop; names the file or field.
  var message: String
  /// What belongs to the message, one finding a line, for people; programs find it in the payload.
  var details: [String] = []
  /// What was left as it was, such as "release 37 still runs".
  var kept: String?
  /// What to do about it.
  var hint: String?
  /// Further members of the JSON object, in this order.
  var payload: [JSONMember] = []

  init(_ status: ExitStatus, code: String, message: String, kept: String? = nil, hint: String? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.kept = kept
    self.hint = hint
  }
}
