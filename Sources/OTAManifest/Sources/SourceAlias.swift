/// A renamed source, as a manifest states it: references to `old` now mean `new`.
public struct SourceAlias: Equatable, Sendable {
  /// The id that the source had, in any spelling.
  public let old: String
  /// The id that it has now, in any spelling; it may be the old id of another alias.
  public let new: String

  /// Makes an alias; ids that no catalog could hold are accepted and never match.
  public init(old: String, new: String) {
    self.old = old
    self.new = new
  }

  /// The alias as an option of the tool takes it: `OLD=NEW`, or a JSON object where an id has a `=` or begins with a brace.
  package var optionValue: String {
    let isPlain = !(old + new).utf8.contains(UInt8(ascii: "=")) && old.utf8.first != UInt8(ascii: "{")
    if isPlain { return "\(old)=\(new)" }
    return String(
      decoding: JSONValue.object([JSONMember(old, .string(new))]).encoded(indented: false), as: UTF8.self)
  }

  /// Equality on bytes.
  public static func == (left: SourceAlias, right: SourceAlias) -> Bool {
    left.old.hasSameBytes(as: right.old) && left.new.hasSameBytes(as: right.new)
  }
}

/// The aliases of a manifest, each followed to the catalog entry that it ends at.
struct AliasTable: Sendable {
  /// What one alias points at.
  private enum Step {
    case entry(Int)
    case alias(Int)
    case nowhere
  }

  /// How far the search for the end of an alias has come.
  private enum Progress {
    case untouched
    case onPath
    case ended(at: Int?)
  }

  private let index: SourceIndex
  private let olds: [SourceID]
  private let destinations: [Int?]

  /// Follows every alias once. An old id that the catalog still has is dropped, since the entry itself wins.
  init(_ aliases: [SourceAlias], catalog: SourceIndex) {
    var index = SourceIndex()
    var olds: [SourceID] = []
    var news: [String] = []
    for alias in aliases {
      guard let old = SourceID(SourceSpelling.trimmed(alias.old)), catalog.position(of: old.text) == nil
      else { continue }
      index.insert(old.text, position: olds.count)
      olds.append(old)
      news.append(SourceSpelling.trimmed(alias.new))
    }
    let steps = news.map { new in
      catalog.position(of: new).map(Step.entry) ?? index.position(of: new).map(Step.alias) ?? .nowhere
    }
    self.index = index
    self.olds = olds
    destinations = Self.ends(of: steps)
  }

  /// The alias whose old id `name` is a spelling of, and the position of the entry that it ends at.
  func match(_ name: String) -> (old: SourceID, entry: Int)? { match(at: index.position(of: name)) }

  /// The one alias whose old id has the slug of `name`, and the position of the entry that it ends at.
  func match(slug name: String) -> (old: SourceID, entry: Int)? { match(at: index.position(ofSlug: name)) }

  private func match(at position: Int?) -> (old: SourceID, entry: Int)? {
    guard let position, let entry = destinations[position] else { return nil }
    return (olds[position], entry)
  }

  /// Where each chain ends: at an entry, or nowhere when it leads into a loop. Each step is taken once.
  private static func ends(of steps: [Step]) -> [Int?] {
    var progress = [Progress](repeating: .untouched, count: steps.count)
    return steps.indices.map { start in
      var path: [Int] = []
      var next = Step.alias(start)
      var end: Int?
      walk: while true {
        guard case .alias(let current) = next else {
          if case .entry(let position) = next { end = position }
          break walk
        }
        switch progress[current] {
        case .ended(let known):
          end = known
          break walk
        case .onPath: break walk
        case .untouched:
          progress[current] = .onPath
          path.append(current)
          next = steps[current]
        }
      }
      for position in path { progress[position] = .ended(at: end) }
      return end
    }
  }
}
