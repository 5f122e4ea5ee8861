internal import OTAManifest

/// Where in the text of a catalog its entries and their fields stand.
struct CatalogLines {
  let name: String
  private let positions: TextPosition
  private let index: Index

  init(_ name: String, _ bytes: [UInt8]) {
    self.name = name
    positions = TextPosition(bytes)
    index = Index(bytes)
  }

  /// The place of the entry with this id; the file alone when there is none.
  func place(of id: String) -> Finding.Place { place(of: id, "id") }

  /// The place of a field of an entry; that of its id when it has no such field.
  func place(of id: String, _ field: String) -> Finding.Place {
    place(index.entries.first { $0.id.map { $0.hasSameBytes(as: id) } == true }, field)
  }

  /// The place of an override of an entry; that of its id when it has no such override.
  func place(of id: String, override key: String) -> Finding.Place {
    let entry = index.entries.first { $0.id.map { $0.hasSameBytes(as: id) } == true }
    return entry?.overrides[ExactText(key)].map(place) ?? place(entry, "id")
  }

  /// The place that a path such as `[3].domain` or `[3].overrides.key` names.
  func place(ofPath path: String) -> Finding.Place {
    guard let match = path.prefixMatch(of: /\[(\d+)\](?:\.(\w+))?/), let number = Int(match.output.1),
      index.entries.indices.contains(number)
    else { return Finding.Place(file: name) }
    return place(index.entries[number], match.output.2.map(String.init) ?? "id")
  }

  private func place(_ entry: Entry?, _ field: String) -> Finding.Place {
    guard let entry else { return Finding.Place(file: name) }
    return place(entry.fields[field] ?? entry.fields["id"] ?? entry.start)
  }

  private func place(_ offset: Int) -> Finding.Place { positions.place(of: offset, in: name) }

  // MARK: Reading

  private struct Entry {
    let start: Int
    var id: String?
    /// Where the values of its fields stand.
    var fields: [String: Int] = [:]
    var overrides: [ExactText: Int] = [:]
  }

  /// The entries of a catalog in their order, read when they are first asked for.
  private final class Index {
    private let bytes: [UInt8]
    private(set) lazy var entries = Self.entries(ScriptTokens(bytes))

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// JSON is written in the tokens of JavaScript.
    private static func entries(_ script: ScriptTokens) -> [Entry] {
      guard script.isPunctuator(0, "[") else { return [] }
      var entries: [Entry] = []
      var index = 1
      while index < script.tokens.count, !script.isPunctuator(index, "]") {
        let end = script.partners[index]
        guard script.isPunctuator(index, "{"), end > index else { return entries }
        entries.append(entry(script, index, end))
        index = script.isPunctuator(end + 1, ",") ? end + 2 : end + 1
      }
      return entries
    }

    private static func entry(_ script: ScriptTokens, _ start: Int, _ end: Int) -> Entry {
      var entry = Entry(start: script.tokens[start].range.lowerBound)
      for (key, value) in members(script, start, end) {
        entry.fields[key] = script.tokens[value].range.lowerBound
        if key == "id" { entry.id = text(script, value) }
        guard key == "overrides", script.partners[value] > value else { continue }
        for (key, value) in members(script, value, script.partners[value]) {
          entry.overrides[ExactText(key)] = script.tokens[value].range.lowerBound
        }
      }
      return entry
    }

    /// The keys of one object with the tokens of their values.
    private static func members(_ script: ScriptTokens, _ start: Int, _ end: Int) -> [(
      key: String, value: Int
    )] {
      var members: [(String, Int)] = []
      var index = start + 1
      while index < end {
        if script.isPunctuator(index + 1, ":"), let key = text(script, index) {
          members.append((key, index + 2))
        }
        var last = index + 2
        while last < end, !script.isPunctuator(last, ",") {
          last = max(last, script.partners[last]) + 1
        }
        index = last + 1
      }
      return members
    }

    private static func text(_ script: ScriptTokens, _ index: Int) -> String? {
      if let plain = script.content(ofString: index) { return plain }
      guard let token = script[index], token.kind == .string else { return nil }
      // Safe to drop: what is no JSON text names no key, and its entry keeps a place all the same.
      let value = try? JSONReader.read(Array(script.bytes[token.range]), maxBytes: 1 << 20)
      guard case .string(let text)? = value else { return nil }
      return text
    }
  }
}
