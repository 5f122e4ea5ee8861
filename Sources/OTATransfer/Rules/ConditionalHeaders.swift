/// The request fields that name a state of the file, made safe for the wire.
enum ConditionalHeaders {
  /// Complete header lines. A value that cannot be sent falls back to the plain request, which is always right.
  static func lines(for request: FetchRequest) -> [String] {
    var lines: [String] = []
    if let tag = request.ifNoneMatch, isSendable(tag) { lines.append("If-None-Match: \(tag)") }
    if let validator = request.resume?.validator, rangeOffset(of: request) != nil, !isWeak(validator) {
      lines.append("If-Range: \(validator)")
    }
    return lines
  }

  /// The byte to begin at; `nil` fetches the whole file.
  static func rangeOffset(of request: FetchRequest) -> Int? {
    guard let resume = request.resume, resume.offset > 0 else { return nil }
    if let validator = resume.validator, !isSendable(validator) { return nil }
    return resume.offset
  }

  /// A weak tag does not promise equal bytes, so that `If-Range` must not use it.
  private static func isWeak(_ validator: String) -> Bool { validator.utf8.starts(with: "W/".utf8) }

  /// Neither empty nor able to begin another header line.
  private static func isSendable(_ value: String) -> Bool {
    !value.isEmpty && value.utf8.count <= 1024 && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }
}
