internal import OTAManifest
internal import ParserPublisher

/// What changes between two releases, for a terminal, for a release page, and for programs.
struct ComparisonPage {
  private static let maxListed = 40
  private static let maxNamed = 5

  private let comparison: ReleaseComparison
  private var catalog: CatalogDiff { comparison.catalog }
  private var code: CodeDiff { comparison.code }

  init(_ comparison: ReleaseComparison) { self.comparison = comparison }

  var summary: String {
    guard !comparison.isEmpty else {
      return "\(comparison.old.name) and \(comparison.new.name) do the same"
    }
    return "\(comparison.old.name) to \(comparison.new.name): \(Self.counts(catalog, code))"
  }

  /// The numbers in one phrase.
  static func counts(_ catalog: CatalogDiff, _ code: CodeDiff) -> String {
    let parts = [
      (catalog.added.count, "added"), (catalog.removed.count, "removed"), (catalog.changed.count, "changed"),
      (code.touched.count, "with other code"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let sources = parts.isEmpty ? "no source changes" : "sources: " + parts.joined(separator: ", ")
    return sources + (code.isSharedCodeChanged ? "; shared code changes" : "")
  }

  // MARK: For a terminal

  var lines: [String] {
    [summary] + sizeLines + Self.lines(catalog) + Self.lines(code) + findingLines
  }

  private var sizeLines: [String] {
    func size(_ name: String, _ old: Int64, _ new: Int64) -> String {
      "  \(name)  \(ByteCount.text(old))"
        + (old == new
          ? ", the same"
          : " -> \(ByteCount.text(new)) (\(new > old ? "+" : "-")\(ByteCount.text(abs(new - old))))")
    }
    return [
      size("bundle ", comparison.old.bundleBytes, comparison.new.bundleBytes),
      size("sources", comparison.old.sourcesBytes, comparison.new.sourcesBytes)
        + "; \(comparison.old.sourceCount) -> \(comparison.new.sourceCount) sources",
    ]
  }

  /// The catalog's part of the lines.
  static func lines(_ diff: CatalogDiff) -> [String] {
    var lines = [
      "  catalog  \(diff.added.count) added, \(diff.removed.count) removed, \(diff.changed.count) changed"
    ]
    lines += listed(diff.added.map { "    + \($0.text)" })
    lines += listed(diff.removed.map { "    - \($0.text)" })
    lines += listed(
      diff.changed.map { change in
        "    ~ \(change.id.text): " + change.fields.map(text).joined(separator: ", ")
      })
    lines += diff.renameCandidates.map {
      "    ? \($0.removed.text) may be \($0.added.text) now: the same \($0.sharedField)"
    }
    return lines
  }

  /// The code's part of the lines; none when the code is the same.
  static func lines(_ code: CodeDiff) -> [String] {
    guard !code.isEmpty else { return [] }
    var lines = ["  code     \(names(code))"]
    lines += listed(
      code.families.map { family in
        "    ~ \(family.name): \(phrase(family.sources.map(\.text)))"
      })
    if code.isSharedCodeChanged {
      lines.append("    code outside of classes and functions changed: any source may be touched")
    }
    return lines
  }

  private static func names(_ code: CodeDiff) -> String {
    let parts = [(code.added, "added"), (code.removed, "removed"), (code.changed, "changed")]
      .filter { !$0.0.isEmpty }.map { "\(phrase($0.0)) \($0.1)" }
    return parts.isEmpty ? "no class or function changed" : parts.joined(separator: "; ")
  }

  private static func phrase(_ names: [String]) -> String {
    let shown = names.prefix(maxNamed).map { $0.printable(maxCharacters: 60) }.joined(separator: ", ")
    return names.count > maxNamed ? "\(shown) and \(names.count - maxNamed) more" : shown
  }

  private static func listed(_ lines: [String]) -> [String] {
    lines.count <= maxListed ? lines : lines.prefix(maxListed) + ["      and \(lines.count - maxListed) more"]
  }

  static func text(_ field: CatalogDiff.FieldChange) -> String {
    func short(_ value: JSONValue) -> String {
      String(decoding: value.encoded(indented: false), as: UTF8.self).printable(maxCharacters: 40)
    }
    let name = field.name == "domain" ? "moved" : field.name
    return "\(name) \(short(field.old)) -> \(short(field.new))"
  }

  private var findingLines: [String] {
    guard let new = comparison.newFindings, let gone = comparison.goneFindings else { return [] }
    guard !new.isEmpty || !gone.isEmpty else { return ["  checks   the same findings in both"] }
    func line(_ word: String, _ finding: Finding) -> String {
      "    \(word) \(finding.code.rawValue): \(finding.message)\(finding.sourcesNote)"
    }
    return ["  checks   \(new.count) new, \(gone.count) gone"]
      + Self.listed(new.map { line("+", $0) }) + Self.listed(gone.map { line("-", $0) })
  }

  // MARK: For a release page

  var markdown: String {
    var lines = ["### \(Self.plain(comparison.old.name)) → \(Self.plain(comparison.new.name))", ""]
    guard !comparison.isEmpty || comparison.newFindings?.isEmpty == false else {
      return (lines + ["No change."]).joined(separator: "\n") + "\n"
    }
    lines += [
      "| | before | after |", "| --- | --- | --- |",
      "| bundle | \(ByteCount.text(comparison.old.bundleBytes)) | \(ByteCount.text(comparison.new.bundleBytes)) |",
      "| sources | \(comparison.old.sourceCount) | \(comparison.new.sourceCount) |", "",
    ]
    lines += section("Added", catalog.added.map { Self.code($0.text) })
    lines += section("Removed", catalog.removed.map { Self.code($0.text) })
    lines += section(
      "Changed",
      catalog.changed.map { change in
        "\(Self.code(change.id.text)): "
          + change.fields.map { Self.code(Self.text($0)) }.joined(separator: ", ")
      })
    lines += section(
      "Code",
      code.families.map { "\(Self.code($0.name)): \($0.sources.count) sources" }
        + (code.isSharedCodeChanged ? ["shared code: any source may be touched"] : []))
    lines += section("New findings", (comparison.newFindings ?? []).map(Self.finding))
    lines += section("Findings gone", (comparison.goneFindings ?? []).map(Self.finding))
    return lines.joined(separator: "\n") + "\n"
  }

  private func section(_ title: String, _ items: [String]) -> [String] {
    guard !items.isEmpty else { return [] }
    let more = items.count > Self.maxListed ? ["- and \(items.count - Self.maxListed) more"] : []
    return ["**\(title)** (\(items.count))", ""] + items.prefix(Self.maxListed).map { "- \($0)" } + more + [
      ""
    ]
  }

  private static func finding(_ finding: Finding) -> String {
    "\(code(finding.code.rawValue)) \(plain(finding.message + finding.sourcesNote))"
  }

  /// A text as code: no sign in it means anything to Markdown.
  private static func code(_ text: String) -> String {
    let shown = text.printable()
    let longest = shown.split(whereSeparator: { $0 != "`" }).map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: longest + 1)
    return longest == 0 ? "`\(shown)`" : "\(fence) \(shown) \(fence)"
  }

  /// A text as text: signs that mean something to Markdown or HTML are escaped.
  private static func plain(_ text: String) -> String {
    text.printable().map { "\\`*_{}[]<>#|!&@~".contains($0) ? "\\\($0)" : String($0) }.joined()
  }

  // MARK: For programs

  var members: [JSONMember] {
    [
      JSONMember("old", Self.json(comparison.old)), JSONMember("new", Self.json(comparison.new)),
      JSONMember("same", .bool(comparison.isEmpty)), JSONMember("catalog", Self.json(catalog)),
      JSONMember("codeChanges", Self.json(code)),
      JSONMember("newFindings", comparison.newFindings.map { .array($0.map(GatePage.json)) } ?? .null),
      JSONMember("goneFindings", comparison.goneFindings.map { .array($0.map(GatePage.json)) } ?? .null),
    ]
  }

  private static func json(_ side: ReleaseComparison.Side) -> JSONValue {
    .object([
      JSONMember("name", .string(side.name)),
      JSONMember("version", side.manifest.map { .integer($0.version.number) } ?? .null),
      JSONMember("bundleBytes", .integer(side.bundleBytes)),
      JSONMember("sourcesBytes", .integer(side.sourcesBytes)),
      JSONMember("sources", .integer(Int64(side.sourceCount))),
    ])
  }

  /// A difference of catalogs as a value.
  static func json(_ diff: CatalogDiff) -> JSONValue {
    func ids(_ ids: [SourceID]) -> JSONValue { .array(ids.map { .string($0.text) }) }
    let changed = diff.changed.map { change in
      JSONValue.object([
        JSONMember("id", .string(change.id.text)),
        JSONMember(
          "fields",
          .array(
            change.fields.map {
              .object([
                JSONMember("name", .string($0.name)), JSONMember("old", $0.old), JSONMember("new", $0.new),
              ])
            })),
      ])
    }
    return .object([
      JSONMember("added", ids(diff.added)), JSONMember("removed", ids(diff.removed)),
      JSONMember("changed", .array(changed)),
    ])
  }

  /// A difference of code as a value.
  static func json(_ code: CodeDiff) -> JSONValue {
    func names(_ names: [String]) -> JSONValue { .array(names.map { .string($0) }) }
    return .object([
      JSONMember("added", names(code.added)), JSONMember("removed", names(code.removed)),
      JSONMember("changed", names(code.changed)), JSONMember("shared", .bool(code.isSharedCodeChanged)),
      JSONMember(
        "families",
        .array(
          code.families.map {
            .object([
              JSONMember("family", .string($0.name)), JSONMember("sources", names($0.sources.map(\.text))),
            ])
          })),
    ])
  }
}
