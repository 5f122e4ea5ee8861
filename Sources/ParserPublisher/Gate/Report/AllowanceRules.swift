internal import OTAManifest

/// Lets findings through that somebody said are meant, and tells which sayings were of use.
struct AllowanceRules {
  private let allowances: [(allowance: Allowance, names: [String])]
  private(set) var used: Set<Allowance> = []

  /// - Parameter catalogs: a name may be any spelling of a source of one of these.
  init(_ allowances: [Allowance], catalogs: [SourceCatalog]) {
    let resolvers = catalogs.map { SourceResolver(catalog: $0) }
    self.allowances = allowances.map { allowance in
      guard let name = allowance.name else { return (allowance, []) }
      let ids = resolvers.compactMap { resolver -> String? in
        if case .source(let entry) = resolver.resolve(name).outcome { entry.id.text } else { nil }
      }
      return (allowance, [name] + ids)
    }
  }

  /// The findings with what lets them through; one that is allowed for some of its sources becomes two.
  mutating func apply(to findings: [Finding]) -> [Finding] {
    var result: [Finding] = []
    for finding in findings { result += applied(to: finding) }
    return result
  }

  private mutating func applied(to finding: Finding) -> [Finding] {
    guard finding.code.isAllowable, finding.severity != .note else { return [finding] }
    let fitting = allowances.filter { $0.allowance.code == finding.code }
    let whole = fitting.filter { entry in
      entry.allowance.name == nil
        || finding.subject.map { subject in entry.names.contains { $0.hasSameBytes(as: subject) } } == true
    }
    if let first = whole.first { return [allowed(finding, by: [first.allowance])] }
    return split(finding, fitting)
  }

  private mutating func split(
    _ finding: Finding, _ fitting: [(allowance: Allowance, names: [String])]
  ) -> [Finding] {
    var by: [Allowance] = []
    var meant: [String] = []
    var rest: [String] = []
    for source in finding.sources {
      let entry = fitting.first { entry in entry.names.contains { $0.hasSameBytes(as: source) } }
      if let allowance = entry?.allowance {
        meant.append(source)
        if !by.contains(allowance) { by.append(allowance) }
      } else {
        rest.append(source)
      }
    }
    guard !meant.isEmpty else { return [finding] }
    let covered = allowed(finding.with { $0.sources = meant }, by: by)
    return rest.isEmpty ? [covered] : [finding.with { $0.sources = rest }, covered]
  }

  private mutating func allowed(_ finding: Finding, by allowances: [Allowance]) -> Finding {
    used.formUnion(allowances)
    return finding.with { $0.allowedBy = allowances }
  }
}
