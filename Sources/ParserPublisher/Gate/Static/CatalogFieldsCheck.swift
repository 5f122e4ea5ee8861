internal import OTAManifest

/// Tells what the catalog leaves out or writes in an unusual way: readers fill it in, and other programs may not.
struct CatalogFieldsCheck {
  /// From this many sources on, a way of writing that most of them have is a habit and no slip.
  private static let minHabit = 3

  private let release: GateCandidate
  private let live: SourceCatalog?
  private let lines: CatalogLines

  static func findings(_ release: GateCandidate, against live: SourceCatalog?) -> [Finding] {
    let check = CatalogFieldsCheck(release, live)
    return check.notes + check.domains
  }

  private init(_ release: GateCandidate, _ live: SourceCatalog?) {
    (self.release, self.live) = (release, live)
    lines = CatalogLines(release.sourcesName, release.sources)
  }

  private var notes: [Finding] {
    release.catalog.notes.map { note in
      Finding(
        .catalogFields, .warning, "\(note.field) \(note.detail)",
        place: note.sources.first.map { lines.place(of: $0.text, note.field) }
          ?? .init(file: release.sourcesName)
      ).with {
        $0.sources = note.sources.map(\.text)
        $0.subject = note.field
      }
    }
  }

  // MARK: Domains

  /// One finding for each thing that is wrong with domains.
  private var domains: [Finding] {
    var order: [DomainRule.Fault] = []
    var groups: [String: [SourceEntry]] = [:]
    for entry in release.catalog.entries {
      guard let fault = DomainRule.fault(of: entry.domain) else { continue }
      let severity = severity(fault, entry)
      let key = "\(severity.rawValue) \(fault.detail)"
      if groups[key] == nil { order.append(fault) }
      groups[key, default: []].append(entry)
    }
    return [Finding.Severity.error, .warning].flatMap { severity in
      order.compactMap { fault in
        groups.removeValue(forKey: "\(severity.rawValue) \(fault.detail)").map {
          finding(fault, $0, severity)
        }
      }
    }
  }

  private func severity(_ fault: DomainRule.Fault, _ entry: SourceEntry) -> Finding.Severity {
    guard fault.isSure else { return .warning }
    if live?[entry.id]?.domain == entry.domain { return .warning }
    let entries = release.catalog.entries
    guard entries.count >= Self.minHabit else { return .error }
    let alike = entries.count { DomainRule.fault(of: $0.domain)?.detail == fault.detail }
    return alike * 2 > entries.count ? .warning : .error
  }

  private func finding(
    _ fault: DomainRule.Fault, _ entries: [SourceEntry], _ severity: Finding.Severity
  ) -> Finding {
    let first = entries[0]
    let fault = DomainRule.fault(of: first.domain) ?? fault
    let others = entries.count > 1 ? ", and so are \(entries.count - 1) more" : ""
    let hasSecret = first.domain.contains("@")
    let shown = hasSecret ? "" : " \"\(first.domain.escaped(maxCharacters: 60))\""
    return Finding(
      .catalogFields, severity, "[\(first.position)].domain\(shown) \(fault.detail)\(others)",
      place: lines.place(of: first.id.text, "domain"),
      advice: fault.suggestion.map { "write \($0)" } ?? "write the host name alone, such as example.com"
    ).with {
      $0.sources = entries.map(\.id.text)
      $0.subject = "domain"
    }
  }
}
