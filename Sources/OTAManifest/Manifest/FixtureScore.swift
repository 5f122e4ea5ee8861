/// How the sources of a release fared on recorded pages, against the release before it; for people.
public struct FixtureScore: Equatable, Sendable {
  /// The sources that were compared.
  public let sources: Int
  /// Those that give the same as before.
  public let same: Int
  /// Those that give as much as before, with other content.
  public let changed: Int
  /// Those that give more than before.
  public let better: Int
  /// Those that give less than before.
  public let worse: Int

  static let fields = ["sources", "same", "changed", "better", "worse"]

  /// Counts.
  public init(sources: Int, same: Int, changed: Int, better: Int, worse: Int) {
    (self.sources, self.same, self.changed, self.better, self.worse) = (sources, same, changed, better, worse)
  }

  init(_ object: JSONObject) throws(InputError) {
    func count(_ name: String) throws(InputError) -> Int {
      Int(try object.integer(name, in: 0...Int64(SourceCatalog.maxEntries)))
    }
    sources = try count("sources")
    same = try count("same")
    changed = try object.optional("changed", count) ?? 0
    better = try count("better")
    worse = try count("worse")
    guard same + changed + better + worse == sources else {
      throw InputError(
        .malformed, field: object.path(of: "sources"),
        "is \(sources), but \(same + changed + better + worse) sources have a verdict")
    }
  }

  /// The score as it stands in a manifest.
  public var json: JSONValue {
    let counts = [sources, same, changed, better, worse]
    return .object(zip(Self.fields, counts).map { JSONMember($0, .integer(Int64($1))) })
  }

  /// The score in words, without a full stop.
  public var sentence: String {
    "\(sources) recorded \(sources == 1 ? "source" : "sources"): \(same) same, \(changed) changed, "
      + "\(better) better, \(worse) worse"
  }
}
