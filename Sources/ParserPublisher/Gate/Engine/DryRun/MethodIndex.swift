/// Where in a bundle the methods of its parsers stand; looked up once, and only when a finding asks for it.
final class MethodIndex {
  /// The methods that calls run, by the names of the calls.
  static let names = [
    "list": "getListPage", "search": "getListPage", "details": "getDetails", "pages": "getPages",
  ]

  /// The classes of each parser, the nearest first, by the id of its source.
  private(set) lazy var chains = Dictionary(
    inspection.parsers.compactMap { parser -> (String, [Int])? in
      guard case .parser(_, let chain) = parser.state else { return nil }
      return (parser.id, chain)
    }, uniquingKeysWith: { first, _ in first })

  private let inspection: BundleInspection
  private let bundleName: String
  private let bundle: TextPosition
  private lazy var places = MethodPlaces(
    Set(inspection.classes.flatMap(\.members).compactMap(\.text)), of: inspection.texts, in: bundle,
    named: bundleName)

  init(_ inspection: BundleInspection, in bundle: TextPosition, named bundleName: String) {
    (self.inspection, self.bundle, self.bundleName) = (inspection, bundle, bundleName)
  }

  /// The first changed line in the method that a call runs, or in what else its classes have; else the method's first line.
  func place(of method: String, source: String, changes: ChangedLines?) -> Finding.Place? {
    guard let chain = chains[source] else { return nil }
    let name = Self.names[method] ?? method
    let members = chain.flatMap { inspection.classes[$0].members }
    let own = members.filter { $0.name == name }.prefix(1).compactMap(\.text)
    guard let changes else { return own.first.map { places.place($0, 0) } }
    for text in own + members.compactMap(\.text) {
      let range = (
        places.place(text, 0).line, places.place(text, max(0, inspection.texts[text].count - 1)).line
      )
      guard let first = range.0, let last = range.1 else { continue }
      if let line = changes.lines(in: first...max(first, last)).first {
        return Finding.Place(file: bundleName, line: line)
      }
    }
    return own.first.map { places.place($0, 0) }
  }
}
