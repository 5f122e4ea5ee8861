internal import OTAFeed
internal import OTAManifest

/// Turns what the reader of code found into findings: with the sources whose parsers reach the place.
struct CodeChecks {
  private static let codes: [GateCode] = [.names, .types, .engines]

  private let release: GateCandidate
  /// Whether engines were named that must run the bundle.
  private let hasEngines: Bool

  init(_ release: GateCandidate, hasEngines: Bool) {
    (self.release, self.hasEngines) = (release, hasEngines)
  }

  /// - Parameter result: what was read; `nil` without the program that confines the reader.
  func record(_ result: Result<CodeReading, CodeReader.Fault>?, _ run: inout GateRun) {
    if !hasEngines { run.skip(.engines, "no engines were named") }
    switch result {
    case nil:
      for code in Self.codes { run.skip(code, "they need the engine's program, which confines the reader") }
    case .failure(let fault):
      for code in Self.codes { run.skip(code, fault.reason) }
      run.add([note(fault.reason, Self.codes, isMissing: fault.isMissing)])
    case .success(let reading): record(reading, &run)
    }
  }

  private func record(_ reading: CodeReading, _ run: inout GateRun) {
    if let syntax = reading.syntax { run.place(syntax: syntax) }
    if let fault = reading.contractFault {
      run.add([
        Finding(
          .types, .error,
          "the declarations of the contract have a fault: \(fault.printable(maxCharacters: 300))",
          advice: "correct the file that --contract-types names")
      ])
    }
    for code in Self.codes {
      if let reason = reading.notRun[code] { run.skip(code, reason) }
      if let time = reading.milliseconds[code], reading.notRun[code] == nil, code != .engines || hasEngines {
        run.ran(code, milliseconds: time)
      }
    }
    let missing = reading.notRun.filter { $0.value.hasPrefix("Node.js finds no") }
    for reason in Set(missing.values).sorted() {
      let codes = Self.codes.filter { missing[$0] == reason && ($0 != .engines || hasEngines) }
      run.add([note(reason, codes, isMissing: true)])
    }
    let concerned = ConcernedSources(release, run.inspection, above: reading.above)
    run.add(groups(reading.messages).compactMap { finding($0, concerned) })
  }

  /// What was not looked at, which holds no release back.
  private func note(_ reason: String, _ codes: [GateCode], isMissing: Bool) -> Finding {
    let names = codes.filter { $0 != .engines || hasEngines }.map(\.rawValue).joined(separator: ", ")
    return Finding(
      codes.contains(.types) ? .types : .names, .note, "the code was not read: \(reason); not run: \(names)",
      advice: isMissing ? "install \(CodeTools.packages)" : "the other checks stand for themselves")
  }

  /// Messages that say the same of several places, together.
  private func groups(_ messages: [CodeReading.Message]) -> [[CodeReading.Message]] {
    var order: [String] = []
    var groups: [String: [CodeReading.Message]] = [:]
    for message in messages {
      let key = "\(message.check.rawValue)\n\(message.rule)\n\(message.text)\n\(message.isOld)"
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(message)
    }
    return order.compactMap { groups[$0] }
  }

  private func finding(_ group: [CodeReading.Message], _ concerned: ConcernedSources) -> Finding? {
    guard let first = group.first, first.isSure || !first.isOld else { return nil }
    // What old engines lack was asked for; that the live release lacks it as well makes it no less so.
    let known: Finding.Severity = first.check == .engines ? .warning : .note
    let severity = first.isOld ? known : group.contains(where: \.isSure) ? .error : .warning
    let old = first.isOld ? ", as in the live release" : ""
    let more = group.count > 1 ? " (and at \(group.count - 1) more place\(group.count == 2 ? "" : "s"))" : ""
    let origin = first.origin?.text.map { " [\($0)]" } ?? ""
    let caller = [first.owner, first.method].filter { !$0.isEmpty }.joined(separator: ".")
    let subject = caller.isEmpty ? "" : "\(caller.printable(maxCharacters: 80)): "
    return Finding(
      first.check, severity, "\(subject)\(first.text.printable(maxCharacters: 300))\(more)\(old)\(origin)",
      place: .init(file: release.bundleName, line: first.line, column: first.column), advice: first.advice
    ).with {
      $0.sources = concerned.sources(of: group)
      $0.method = first.method.isEmpty ? nil : first.method
      $0.subject = first.subject
    }
  }
}
