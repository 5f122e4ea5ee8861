internal import OTAManifest

/// What calling every parser on made-up pages gave.
struct DryRun: Equatable {
  /// One way in which calls failed, or one error that their code caught.
  struct Failure: Equatable {
    let method: String
    let error: PageError
    /// The calls that met it, such as `generous /manga/x`: their page first.
    let labels: [String]
    var sources: [String]
    /// Whether code of the bundle caught it, so that the call went on.
    var isCaught = false
    /// Whether something of the engine's own has a method of the name that was called; `nil` where none was.
    var isMethodOfData: Bool?
  }

  /// Something that code did beside what it gave: a selector that is none, a promise taken for a value, a request of its own.
  struct Aside: Equatable {
    enum Kind: String { case selector, promise, fetch }

    let kind: Kind
    let text: String
    let method: String
    let line: Int?
    let column: Int?
    var sources: [String]
  }

  /// An address that was asked for and cannot be right.
  struct AddressFault: Equatable {
    /// What is wrong with it, such as `relative`.
    let fault: String
    let url: String
    let method: String
    let line: Int?
    let column: Int?
    var sources: [String]
    /// How often the same place asked for an address that is right.
    let goodCount: Int
    /// Whether a call began with it, so that no page had a part in it.
    let isFirst: Bool
  }

  /// A host other than the source's own that was asked.
  struct Host: Equatable {
    let name: String
    let method: String
    let line: Int?
    let column: Int?
    var sources: [String]
  }

  /// What the calls of one method gave, for the sources where it was the same.
  struct Result: Equatable {
    let method: String
    let shape: ResultShape
    var sources: [String]
  }

  /// The id that a source gave to something with this URL.
  struct GivenID: Equatable {
    let source: String
    let part: String
    let url: String
    let id: String
  }

  var calls: Int
  var failures: [Failure]
  /// Calls whose promise never settled, once for each source and method.
  var unsettled: [Unsettled]
  var asides: [Aside] = []
  var addressFaults: [AddressFault] = []
  var hosts: [Host] = []
  var results: [Result] = []
  var ids: [GivenID] = []
  /// Literals of the bundle that the engine knows no selector in.
  var refusedSelectors: Set<String> = []
  /// The numbers of the blocks that ran.
  var coveredBlocks: Set<Int> = []

  /// A call whose promise never settled.
  struct Unsettled: Hashable {
    let source: String
    let method: String
  }

  init(calls: Int = 0, failures: [Failure] = [], unsettled: [Unsettled] = []) {
    (self.calls, self.failures, self.unsettled) = (calls, failures, unsettled)
  }

  /// Takes in what another batch of sources gave.
  mutating func add(_ other: DryRun) {
    calls += other.calls
    failures = Self.merged(failures + other.failures)
    unsettled += other.unsettled
    asides += other.asides
    addressFaults += other.addressFaults
    hosts += other.hosts
    results += other.results
    ids += other.ids
    refusedSelectors.formUnion(other.refusedSelectors)
    coveredBlocks.formUnion(other.coveredBlocks)
  }

  /// What it gave for some of its sources alone.
  func part(of sources: Set<String>) -> DryRun {
    func some<Item>(_ items: [Item], _ path: WritableKeyPath<Item, [String]>) -> [Item] {
      items.compactMap { item in
        var item = item
        item[keyPath: path].removeAll { !sources.contains($0) }
        return item[keyPath: path].isEmpty ? nil : item
      }
    }
    var part = self
    part.failures = some(failures, \.sources)
    part.results = some(results, \.sources)
    part.unsettled = unsettled.filter { sources.contains($0.source) }
    part.ids = ids.filter { sources.contains($0.source) }
    part.asides = some(asides, \.sources)
    part.addressFaults = some(addressFaults, \.sources)
    part.hosts = some(hosts, \.sources)
    return part
  }

  private static func merged(_ failures: [Failure]) -> [Failure] {
    var order: [String] = []
    var merged: [String: Failure] = [:]
    for failure in failures {
      let error = failure.error
      let place = "\(error.line ?? 0):\(error.column ?? 0)"
      let key = "\(failure.method)\n\(failure.isCaught)\n\(error.name)\n\(error.message)\n\(place)"
      if let known = merged[key] {
        merged[key] = Failure(
          method: known.method, error: error, labels: known.labels, sources: known.sources + failure.sources,
          isCaught: known.isCaught, isMethodOfData: known.isMethodOfData)
      } else {
        order.append(key)
        merged[key] = failure
      }
    }
    return order.compactMap { merged[$0] }
  }

  /// Each source with the shape of what a method of it gave.
  func shapes(of method: String) -> [String: ResultShape] {
    var shapes: [String: ResultShape] = [:]
    for result in results where result.method == method {
      for source in result.sources { shapes[source] = result.shape }
    }
    return shapes
  }
}

/// The shape of what all calls of a method gave: forms of values, never values.
struct ResultShape: Equatable {
  /// The forms of what came back, and `threw` when a call failed.
  var kinds: Set<String> = []
  /// The most entries that a list had; -1 when there was no list.
  var most = -1
  /// The forms that each field of the entries had; the entries themselves under an empty name.
  var fields: [String: Set<String>] = [:]
  /// The chapters of details; `nil` when they never were a list.
  var chapters: [ResultShape] = []
}
