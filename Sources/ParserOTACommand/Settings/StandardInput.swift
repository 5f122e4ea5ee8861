internal import OTAManifest
internal import OTAStorage

/// What stands on standard input.
enum StandardInput {
  private static let maxBytes = 64 << 20

  /// The lines of standard input without their line ends; a carriage return before a line feed belongs to the line end.
  static func lines() throws(CommandFailure) -> [String] {
    let bytes: [UInt8]
    do {
      bytes = try readStandardInput(maxBytes: maxBytes)
    } catch {
      let code: ProblemCode = error.kind == .tooLarge ? .tooLarge : .fileUnreadable
      throw CommandFailure(code, error.message, hint: "give references as arguments")
    }
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map { line in
      String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
    }
  }
}
