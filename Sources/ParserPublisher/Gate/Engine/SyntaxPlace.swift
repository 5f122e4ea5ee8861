internal import ParserEngine

/// Finds the column of a syntax error, of which the engine tells the line: the shortest beginning of the script that
/// gives the same error ends with the token that is wrong.
struct SyntaxPlace {
  private let session: EngineSession
  private let bundle: [UInt8]
  private let bundleName: String
  private let positions: TextPosition

  init(_ session: EngineSession, _ bundle: [UInt8], named bundleName: String) {
    (self.session, self.bundle, self.bundleName) = (session, bundle, bundleName)
    positions = TextPosition(bundle)
  }

  /// The place of the error, and what looks wrong about the brackets when it may be one of them.
  func find(_ fault: ScriptFault) async -> (place: Finding.Place, note: String?) {
    guard let line = fault.line, line <= positions.lineStarts.count else {
      return (Finding.Place(file: bundleName), nil)
    }
    let plain = Finding.Place(file: bundleName, line: line, column: fault.column)
    if isAtEnd(fault) { return atEnd(plain) }
    let place = fault.column == nil ? await column(fault, line) ?? plain : plain
    return (place, isAboutBracket(fault) ? bracketNote(BracketSuspect(in: bundle), before: line) : nil)
  }

  // MARK: The column

  private func column(_ fault: ScriptFault, _ line: Int) async -> Finding.Place? {
    let tokens = tokens(on: line)
    var (low, high) = (0, tokens.count - 1)
    guard high >= 0, await isSame(fault, upTo: tokens[high].upperBound) else { return nil }
    while low < high {
      let middle = (low + high) / 2
      if await isSame(fault, upTo: tokens[middle].upperBound) { high = middle } else { low = middle + 1 }
    }
    return positions.place(of: tokens[low].lowerBound, in: bundleName)
  }

  private func tokens(on line: Int) -> [Range<Int>] {
    let start = positions.lineStarts[line - 1]
    let end = line < positions.lineStarts.count ? positions.lineStarts[line] : bundle.count
    var scanner = ScriptScanner(bundle)
    var tokens: [Range<Int>] = []
    while let token = scanner.next(), token.range.lowerBound < end {
      if token.range.lowerBound >= start, token.kind != .comment { tokens.append(token.range) }
    }
    return tokens
  }

  /// Whether a beginning of the bundle gives the very same error.
  private func isSame(_ fault: ScriptFault, upTo end: Int) async -> Bool {
    let text = String(decoding: bundle[..<end], as: UTF8.self)
    do {
      try await session.checkSyntax(of: EngineScript(name: EngineExamination.scriptName, text: text))
      return false
    } catch {
      guard case .script(let other) = error else { return false }
      return other.line == fault.line && other.message == fault.message
    }
  }

  // MARK: Brackets

  private func isAtEnd(_ fault: ScriptFault) -> Bool {
    fault.message.lowercased().contains("unexpected end of")
  }

  private func isAboutBracket(_ fault: ScriptFault) -> Bool {
    ["'{'", "'}'", "')'", "']'", "'('"].contains { fault.message.contains($0) }
  }

  /// An error at the end of the file is about something long before it.
  private func atEnd(_ plain: Finding.Place) -> (place: Finding.Place, note: String?) {
    guard let suspect = BracketSuspect(in: bundle) else {
      return (positions.place(of: bundle.count, in: bundleName), nil)
    }
    let place = positions.place(of: suspect.offset, in: bundleName)
    return (place, bracketNote(suspect, before: .max))
  }

  private func bracketNote(_ suspect: BracketSuspect?, before line: Int) -> String? {
    guard let suspect else { return nil }
    let place = positions.place(of: suspect.offset, in: bundleName)
    guard let own = place.line, own <= line else { return nil }
    let sign = String(decoding: bundle[suspect.offset...suspect.offset], as: UTF8.self)
    return "the \(sign) on line \(own) looks \(suspect.isOpen ? "unclosed" : "like one too many")"
  }
}
