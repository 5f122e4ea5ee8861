internal import OTAManifest
internal import OTAFeed

/// Addresses that parsers ask for and that cannot be right, and requests that go past the app.
struct RequestFindings {
  let subject: DryRunSubject

  func findings(_ run: DryRun) -> [Finding] { faultFindings(run) + hostFindings(run) + ownFindings(run) }

  // MARK: Addresses

  private struct Key: Hashable {
    let line: Int?
    let column: Int?
    let fault: String
  }

  private func faultFindings(_ run: DryRun) -> [Finding] {
    let known = Set(
      (subject.live?.run.addressFaults ?? []).flatMap { fault in
        fault.sources.map { "\($0)\n\(fault.method)\n\(fault.fault)" }
      })
    var order: [Key] = []
    var found: [Key: (fault: DryRun.AddressFault, sources: [String])] = [:]
    // Where the same place asks for good addresses too, the page decides.
    for fault in run.addressFaults where fault.goodCount == 0 {
      let new = fault.sources.filter { !known.contains("\($0)\n\(fault.method)\n\(fault.fault)") }
      guard !new.isEmpty else { continue }
      let key = Key(line: fault.line, column: fault.column, fault: fault.fault)
      if found[key] == nil { order.append(key) }
      found[key, default: (fault, [])].sources += new
    }
    return order.compactMap { found[$0].map { finding($0.fault, $0.sources) } }
  }

  private func finding(_ fault: DryRun.AddressFault, _ sources: [String]) -> Finding {
    // What another contract may mean by an address is known once a release of it is live.
    let certain = subject.live == nil ? Self.certain : Self.certain.union(["relative", "scheme", "private"])
    let isSure = fault.isFirst && certain.contains(fault.fault)
    let words = Self.words[fault.fault] ?? "cannot be right"
    return Finding(
      .requests, isSure ? .error : .warning,
      "\(subject.prefix(sources))\(fault.method) asks for \(fault.url.printable(maxCharacters: 120)), which \(words)",
      place: subject.place(fault.line, fault.column), advice: "correct the address"
    ).with {
      $0.sources = sources
      $0.method = fault.method
      $0.subject = fault.fault
    }
  }

  /// Addresses that no site answers, when no page had a part in them.
  private static let certain: Set<String> = ["template", "object", "malformed", "undefined-host"]

  private static let words: [String: String] = [
    "template": "has a ${} that was never filled in: use backquotes",
    "object": "has an object where a text belongs", "relative": "has no scheme and no host",
    "malformed": "is no URL", "scheme": "is neither http nor https",
    "undefined-host": "has undefined for a host",
    "private": "is a host that only this machine or its network knows",
    "staging": "looks like a staging host", "undefined": "contains undefined or NaN",
  ]

  // MARK: Hosts

  private func hostFindings(_ run: DryRun) -> [Finding] {
    guard let live = subject.live else { return [] }
    let known = Set(live.run.hosts.map(\.name))
    var order: [String] = []
    var found: [String: DryRun.Host] = [:]
    for host in run.hosts where !known.contains(host.name) {
      if found[host.name] == nil { order.append(host.name) }
      found[host.name] = host
    }
    return order.compactMap { found[$0] }.map { host in
      Finding(
        .requests, .warning,
        "\(subject.prefix(host.sources))\(host.method) asks \(host.name.printable(maxCharacters: 80)), which is neither"
          + " the domain of the source nor a host that release \(live.version) asks",
        place: subject.place(host.line, host.column), advice: "look whether the host is right"
      ).with {
        $0.sources = host.sources
        $0.method = host.method
        $0.subject = host.name
      }
    }
  }

  // MARK: Requests of their own

  private func ownFindings(_ run: DryRun) -> [Finding] {
    let known = Set((subject.live?.run.asides ?? []).filter { $0.kind == .fetch }.flatMap(\.sources))
    return run.asides.filter { $0.kind == .fetch }.compactMap { aside in
      let sources = aside.sources.filter { !known.contains($0) }
      guard !sources.isEmpty else { return nil }
      return Finding(
        .requests, .warning,
        "\(subject.prefix(sources))\(aside.method) asks with \(aside.text), not through the context",
        place: subject.place(aside.line, aside.column),
        advice: "use context.httpGet: in apps a page may not ask other sites itself"
      ).with {
        $0.sources = sources
        $0.method = aside.method
        $0.subject = aside.text
      }
    }
  }
}
