internal import OTAFeed
internal import OTAManifest

/// Looks for what belongs to a workshop and not into a release.
///
/// Statements count in code only. Paths and keys count in strings, templates and comments, source maps in comments:
/// ordinary minified code has none of them.
struct LeftoverCheck {
  /// A thing of one kind is named this often; the rest is counted.
  private static let maxPlaces = 5

  private let name: String
  private let bytes: [UInt8]
  private let positions: TextPosition
  private var found: [(kind: LeftoverKind, offset: Int, excerpt: String)] = []

  /// What is left in both files of a release.
  static func findings(_ release: GateCandidate) -> [Finding] {
    var bundle = LeftoverCheck(release.bundleName, release.bundle)
    bundle.scanScript()
    bundle.scanJoinedCatalog()
    var sources = LeftoverCheck(release.sourcesName, release.sources)
    // JSON is written in the tokens of JavaScript.
    sources.scanScript()
    return bundle.findings + sources.findings
  }

  init(_ name: String, _ bytes: [UInt8]) {
    (self.name, self.bytes) = (name, bytes)
    positions = TextPosition(bytes)
  }

  // MARK: Looking

  private mutating func scanScript() {
    scanMergeMarkers()
    var scanner = ScriptScanner(bytes)
    var recent: (name: ScriptToken?, before: ScriptToken?) = (nil, nil)
    var statement: ScriptToken?
    while let token = scanner.next() {
      guard token.kind != .comment else {
        scanSourceMap(token.range)
        scanText(token.range)
        continue
      }
      if token.kind == .string || token.kind == .template { scanValue(token, recent.before, recent.name) }
      if let found = statement, !token.isPunctuator(":"), !token.isPunctuator("(") {
        note(.debugger, found.range)
      }
      let isMember = recent.before.map { $0.isPunctuator(".") || $0.kind == .optionalChain } ?? false
      statement = !isMember && scanner.isWord(token, "debugger") ? token : nil
      recent = (recent.before, token)
    }
    if let statement { note(.debugger, statement.range) }
  }

  /// Looks at a string or template: what is in it, and what it is given to.
  private mutating func scanValue(_ value: ScriptToken, _ sign: ScriptToken?, _ name: ScriptToken?) {
    let count = found.count
    scanText(value.range)
    if let slip = AddressSlip.kind(of: bytes[value.range]) { note(slip, value.range) }
    guard count == found.count, let sign, sign.isPunctuator(":") || sign.isPunctuator("="), let name,
      TextPatterns.isKey(bytes[value.range], named: bytes[name.range])
    else { return }
    note(.publicKey, value.range)
  }

  private mutating func note(_ kind: LeftoverKind, _ range: Range<Int>) {
    let text = String(decoding: bytes[range].prefix(60), as: UTF8.self)
    found.append(
      (kind, range.lowerBound, kind.isSecret ? text.prefix(6) + "…" : text.printable(maxCharacters: 60)))
  }

  /// Markers at the beginning of a line; a line of equal signs alone is an underline as often as a marker.
  private mutating func scanMergeMarkers() {
    for start in positions.lineStarts {
      let line = bytes[start...].prefix(8)
      guard line.count == 8, line.last == 0x20, let first = line.first,
        [UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "|")].contains(first),
        line.dropLast().allSatisfy({ $0 == first })
      else { continue }
      note(.mergeMarker, start..<(start + 8))
    }
  }

  /// A list of objects with ids, as a statement of its own at the end: no script needs that.
  private mutating func scanJoinedCatalog() {
    let end = bytes.lastIndex { $0 > 0x20 && $0 != UInt8(ascii: ";") } ?? 0
    guard end > 0, bytes[end] == UInt8(ascii: "]") else { return }
    let script = ScriptTokens(bytes)
    let last = script.indices.last { script.tokens[$0].range.lowerBound == end } ?? 0
    let start = script.partners.indices.contains(last) ? script.partners[last] : -1
    guard start > 0, script.isPunctuator(start + 1, "{"), script.content(ofString: start + 2) != nil,
      ["}", ")", ";"].contains(where: { script.isPunctuator(start - 1, $0) })
    else { return }
    let range = script.tokens[start].range.lowerBound..<(end + 1)
    let text = String(decoding: bytes[range], as: UTF8.self)
    guard text.contains("\"id\"") else { return }
    note(.catalog, range)
  }

  private mutating func scanSourceMap(_ range: Range<Int>) {
    let text = bytes[range]
    guard text.count > 4, [UInt8(ascii: "#"), UInt8(ascii: "@")].contains(text[range.lowerBound + 2]) else {
      return
    }
    let body = text.dropFirst(3).drop { $0 == 0x20 || $0 == 0x09 }
    guard body.starts(with: "sourceMappingURL=".utf8) else { return }
    let isInline = body.dropFirst("sourceMappingURL=".utf8.count).starts(with: "data:".utf8)
    note(isInline ? .inlineSourceMap : .sourceMap, range)
  }

  private mutating func scanText(_ range: Range<Int>) {
    for match in TextPatterns.matches(in: bytes, range) { note(match.kind, match.range) }
  }

  // MARK: Telling

  var findings: [Finding] {
    LeftoverKind.allCases.compactMap { kind in
      let hits = found.filter { $0.kind == kind }
      guard let first = hits.first else { return nil }
      let places = hits.prefix(Self.maxPlaces).map { hit in
        "\(positions.place(of: hit.offset, in: name).line ?? 1)"
      }
      let more = hits.count > Self.maxPlaces ? " and \(hits.count - Self.maxPlaces) more" : ""
      let lines = hits.count == 1 ? "" : ", on lines \(places.joined(separator: ", "))\(more)"
      return Finding(
        .leftovers, kind.severity, "\(kind.description): \(first.excerpt)\(lines)",
        place: positions.place(of: first.offset, in: name), advice: kind.advice
      ).with { $0.subject = kind.rawValue }
    }
  }
}
