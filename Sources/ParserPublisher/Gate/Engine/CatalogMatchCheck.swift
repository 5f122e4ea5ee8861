internal import OTAFeed
internal import OTAManifest
internal import ParserEngine

/// Compares the catalog in the bundle with the catalog file, and asks for a whole parser for each of its sources.
struct CatalogMatchCheck {
  /// The methods that every app calls.
  static let contract = ["getListPage", "getDetails", "getPages"]
  /// Fields without which a bundle's own entry is another source than the file's.
  private static let required = ["domain", "family", "overrides"]

  let catalog: SourceCatalog
  let bundleName: String
  let lines: CatalogLines

  func findings(_ inspection: BundleInspection) -> [Finding] {
    catalogFindings(inspection) + parserFindings(inspection) + strangerFindings(inspection)
  }

  private func finding(
    _ message: String, _ sources: [String], advice: String, place: Finding.Place? = nil
  ) -> Finding {
    Finding(
      .catalogMatch, .error, message,
      place: place ?? sources.first.map { lines.place(of: $0) } ?? .init(file: bundleName), advice: advice
    ).with { $0.sources = sources }
  }

  // MARK: The bundle's own catalog

  private func catalogFindings(_ inspection: BundleInspection) -> [Finding] {
    let advice = "build the bundle from this very catalog"
    switch inspection.sources {
    case .failure(let box): return [finding("getAllSources() throws \(box.error.text)", [], advice: advice)]
    case .success(.array(let items)):
      let own = OwnCatalog(items)
      let odd = inspection.oddValues.map { odd in
        finding(
          "getAllSources()\(odd.path.printable(maxCharacters: 120)) is \(odd.kind.printable()), which JSON cannot hold",
          odd.source(in: items).map { [$0] } ?? [], advice: "write it as a text or a plain number",
          place: .init(file: bundleName))
      }
      return odd + own.problems.map { finding($0, [], advice: advice) } + compare(own, advice)
    case .success(let value):
      return [finding("getAllSources() gives \(value.kindName), not an array of sources", [], advice: advice)]
    }
  }

  private func compare(_ own: OwnCatalog, _ advice: String) -> [Finding] {
    let missing = catalog.entries.filter { own.entries[ExactText($0.id.text)] == nil }.map(\.id.text)
    let known = Set(catalog.entries.map { ExactText($0.id.text) })
    let surplus = own.ids.filter { !known.contains(ExactText($0)) }
    var findings: [Finding] = []
    if !missing.isEmpty {
      findings.append(
        finding(
          "sources of the catalog file are not in getAllSources()", missing,
          advice: advice))
    }
    if !surplus.isEmpty {
      findings.append(
        finding(
          "getAllSources() has sources that the catalog file has not",
          surplus, advice: advice))
    }
    return findings + differences(own, advice)
  }

  /// One finding for each field that differs, with the sources where it does.
  private func differences(_ own: OwnCatalog, _ advice: String) -> [Finding] {
    var sources: [String: [String]] = [:]
    for entry in catalog.entries {
      guard let twin = own.entries[ExactText(entry.id.text)] else { continue }
      for field in entry.fields where field.key != "id" {
        let value = twin.first { $0.key == field.key }?.value
        // A field that apps fill in may be left out on either side.
        let isDefault = field.key == "overrides" && isSame(field.value, .object([]))
        if value == nil && (isDefault || !Self.required.contains(field.key)) { continue }
        if value.map({ isSame($0, field.value) }) != true {
          sources[field.key, default: []].append(entry.id.text)
        }
      }
    }
    return SourceEntry.fieldNames.compactMap { name in
      sources[name].map {
        finding(
          "\(name) in getAllSources() is not that of the catalog file", $0, advice: advice,
          place: $0.first.map { lines.place(of: $0, name) }
        ).with { $0.subject = name }
      }
    }
  }

  // MARK: Parsers

  private func parserFindings(_ inspection: BundleInspection) -> [Finding] {
    var groups: [(fault: Fault, sources: [String])] = []
    for parser in inspection.parsers {
      guard let fault = fault(of: parser, inspection) else { continue }
      if let index = groups.firstIndex(where: { $0.fault == fault }) {
        groups[index].sources.append(parser.id)
      } else {
        groups.append((fault, [parser.id]))
      }
    }
    return groups.map { group in
      finding(
        group.fault.message, group.sources, advice: group.fault.advice,
        place: group.fault.place ?? group.sources.first.map { lines.place(of: $0, "family") })
    }
  }

  private struct Fault: Equatable {
    let message: String
    var place: Finding.Place?
    var advice = "take the source out of the catalog, or put its parser into the bundle"
  }

  private func fault(of parser: InspectedParser, _ inspection: BundleInspection) -> Fault? {
    switch parser.state {
    case .none: return Fault(message: "getParser() gives no parser for a source of the catalog")
    case .other(let type): return Fault(message: "getParser() gives a \(type.printable()), not a parser")
    case .threw(let error): return thrown(error)
    case .parser(let own, let chain):
      let members = own + chain.flatMap { inspection.classes[$0].members }
      let missing = Self.contract.filter { name in
        members.first { $0.name == name }?.isCallable != true
      }
      return missing.isEmpty ? nil : Fault(message: "the parser lacks \(missing.joined(separator: ", "))")
    }
  }

  /// What getParser throws points to where it was thrown, as far as that is in the bundle.
  private func thrown(_ error: PageError) -> Fault {
    let isInBundle = error.script?.hasSuffix(EngineExamination.scriptName) ?? true
    let place = Finding.Place(
      file: bundleName, line: isInBundle ? error.line : nil, column: isInBundle ? error.column : nil)
    return Fault(
      message: "getParser() throws \(error.text)", place: place,
      advice: "correct the place that is named; getParser() must build a parser for each source")
  }

  private func strangerFindings(_ inspection: BundleInspection) -> [Finding] {
    inspection.builtStrangers.map { id in
      // A bundle that looks ids up in an object without care answers for names that every object has.
      let isNameOfObjects = id == "constructor"
      return Finding(
        .catalogMatch, isNameOfObjects ? .warning : .error,
        "getParser(\"\(id)\") gives a parser, though no source has this id", place: .init(file: bundleName),
        advice: "return null for ids that are not in the catalog")
    }
  }
}

/// The entries of the bundle's own catalog by their ids.
private struct OwnCatalog {
  var ids: [String] = []
  var entries: [ExactText: [JSONMember]] = [:]
  var problems: [String] = []

  init(_ items: [JSONValue]) {
    for (index, item) in items.enumerated() {
      guard case .object(let members) = item,
        case .string(let id)? = members.first(where: { $0.key == "id" })?.value
      else {
        problems.append("getAllSources()[\(index)] has no id")
        continue
      }
      guard entries.updateValue(members, forKey: ExactText(id)) == nil else {
        problems.append("getAllSources() has \(id.printable()) twice")
        continue
      }
      ids.append(id)
    }
  }
}

/// Equality as JavaScript sees it after reading JSON: the order of keys and the spelling of numbers do not count.
private func isSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
  switch (left, right) {
  case (.object(let left), .object(let right)):
    return left.count == right.count
      && left.allSatisfy { member in
        right.first { $0.key.hasSameBytes(as: member.key) }.map { isSame($0.value, member.value) } ?? false
      }
  case (.array(let left), .array(let right)):
    return left.count == right.count && zip(left, right).allSatisfy(isSame)
  case (.number(let left), .number(let right)):
    return left == right || Double(left.text) == Double(right.text)
  default: return left == right
  }
}
