internal import OTAManifest

/// Prints what a verb handed back: one JSON object, or lines and talk.
struct ResultPrinter {
  /// The version of what stands in the objects, see `manifests/output`: a member may come without a new one, none may go.
  static let format: Int64 = 1

  let talk: Talk
  let json: Bool

  /// Prints a result. JSON members stand in the order `ok`, `code`, `message`, `format`, `exit`, payload, `hint`,
  /// `warnings`.
  func print(_ result: CommandResult) {
    if result.isPrinted { return }
    for warning in result.warnings { talk.warning(warning) }
    if json {
      let warnings = result.warnings.map { JSONValue.string($0) }
      object(
        head(result.status, result.code, result.message) + result.payload
          + (result.hint.map { [.init("hint", .string($0))] } ?? [])
          + (warnings.isEmpty ? [] : [.init("warnings", .array(warnings))]))
      return
    }
    switch result.output {
    case .lines(let lines) where lines.isEmpty: break
    case .lines(let lines): talk.data(Array(lines.map { PlainText.visible($0) + "\n" }.joined().utf8))
    case .bytes(let bytes): talk.data(bytes)
    }
    if case .spoken = result.messageGoes { talk.note(result.message) }
    if let hint = result.hint { talk.hint(hint) }
  }

  /// Prints a failure. JSON members stand in the order `ok`, `code`, `message`, `format`, `exit`, `kept`, `hint`,
  /// payload.
  func print(_ failure: CommandFailure) {
    talk.failure(failure)
    if !json { return }
    let kept = failure.kept.map { [JSONMember("kept", .string($0))] } ?? []
    let hint = failure.hint.map { [JSONMember("hint", .string($0))] } ?? []
    object(head(failure.status, failure.code, failure.message) + kept + hint + failure.payload)
  }

  private func head(_ status: ExitStatus, _ code: String, _ message: String) -> [JSONMember] {
    [
      .init("ok", .bool(status == .done)), .init("code", .string(code)), .init("message", .string(message)),
      .init("format", .integer(Self.format)), .init("exit", .integer(Int64(status.rawValue))),
    ]
  }

  private func object(_ members: [JSONMember]) {
    assert(Set(members.map(\.key)).count == members.count, "a payload repeats a key")
    talk.data(JSONValue.object(members).encoded(indented: false) + [0x0A])
  }
}
