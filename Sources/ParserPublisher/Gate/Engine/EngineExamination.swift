internal import OTAManifest
internal import ParserEngine
internal import ParserWorkbench

/// Runs one bundle in the engine, step by step, until a step makes the next one pointless.
struct EngineExamination {
  /// What the engine calls the bundle, whatever its path is.
  static let scriptName = ParserBundle.scriptName
  /// The largest bundle that gets another page in the same processes, in bytes; others get processes of their own.
  private static let maxRenewedBytes = 4_000_000

  let engine: BundleEngine
  let globalName: String
  let release: GateCandidate
  /// The release whose parsers are called on the same pages; `nil` when there is none.
  var live: GateBaseline?

  private var bundle: EngineScript { Self.script(release.bundle) }

  /// A bundle as the engine knows it.
  static func script(_ bundle: [UInt8]) -> EngineScript {
    EngineScript(name: scriptName, text: String(decoding: bundle, as: UTF8.self))
  }

  /// Runs every check that needs the engine.
  func run(_ run: inout GateRun) async {
    let dryRun = DryRunExamination(engine: engine, globalName: globalName, release: release)
    do {
      let session = try await engine.open(pages: NoPages())
      if let confinement = await session.confinement { note(confinement, &run) }
      if let inspection = await examine(session, &run) {
        // What large bundles leave behind in a page would count against the memory of the next one.
        let isSmall = release.bundle.count <= Self.maxRenewedBytes
        if !isSmall { await session.close() }
        await dryRun.run(&run, inspection, against: live, in: isSmall ? session : nil)
      }
      await session.close()
    } catch {
      run.withoutEngine(error.text)
    }
    for code in GateCode.allCases where code.needsEngine {
      run.skip(code, "a check before it failed")
    }
  }

  /// Says so when a bundle is held by less than usual.
  private func note(_ confinement: EngineConfinement, _ run: inout GateRun) {
    run.confinement = confinement
    run.record(.confinement) {
      guard !confinement.isWhole else { return [] }
      return [
        Finding(
          .confinement, .note,
          "only the rules of the page keep the bundle from \(unheld(confinement)): the kernel gives the engine neither"
            + " namespaces of its own nor rules",
          advice:
            "permit user namespaces or Landlock on this machine, or check bundles of strangers elsewhere")
      ]
    }
  }

  private func unheld(_ confinement: EngineConfinement) -> String {
    [confinement.hasNoNetwork ? nil : "the network", confinement.hasOwnFiles ? nil : "files"]
      .compactMap(\.self).joined(separator: " and ")
  }

  // MARK: Steps

  /// Every step up to the dry run; `nil` when one of them was the last.
  private func examine(_ session: EngineSession, _ run: inout GateRun) async -> BundleInspection? {
    guard await load(session, &run), await askForEntries(session, &run) else { return nil }
    return await inspect(session, &run)
  }

  private func load(_ session: EngineSession, _ run: inout GateRun) async -> Bool {
    let (bundle, begin) = (bundle, ContinuousClock.now)
    do {
      try await session.checkSyntax(of: bundle)
      run.ran(.syntax, since: begin)
      try await session.install(DryRunner.probe)
      let loading = ContinuousClock.now
      defer { run.ran(.load, since: loading) }
      try await session.evaluate(bundle)
      return true
    } catch {
      if case .script(let fault) = error, fault.kind == .syntax {
        await addSyntaxFault(fault, session, &run, since: begin)
      } else {
        add(error, during: "the bundle", &run, since: begin)
      }
      return false
    }
  }

  private func addSyntaxFault(
    _ fault: ScriptFault, _ session: EngineSession, _ run: inout GateRun, since begin: ContinuousClock.Instant
  ) async {
    let words = EngineError.script(fault).text
    let (place, note) = await SyntaxPlace(session, release.bundle, named: release.bundleName).find(fault)
    run.add([
      Finding(
        .syntax, .error, "the bundle does not parse: \(words)" + (note.map { "; \($0)" } ?? ""), place: place,
        advice: "correct the place that is named, and build again")
    ])
    run.ran(.syntax, since: begin)
  }

  /// Notes why a script could not be run.
  private func add(
    _ error: EngineError, during what: String, _ run: inout GateRun, since begin: ContinuousClock.Instant
  ) {
    if error.isAboutEngine { return run.withoutEngine(error.text) }
    if case .script(let fault) = error {
      let code: GateCode = fault.kind == .syntax ? .syntax : .load
      let verb = fault.kind == .syntax ? "does not parse" : "throws while it loads"
      run.add([
        Finding(
          code, .error, "\(what) \(verb): \(error.text)",
          place: .init(file: release.bundleName, line: fault.line, column: fault.column),
          advice: "correct the place that is named, and build again")
      ])
      return run.ran(code, since: begin)
    }
    run.add([
      Finding(
        .load, .error, "\(what) \(error.text)", place: .init(file: release.bundleName),
        advice: "look at what runs when the bundle loads and when a parser is made")
    ])
    run.ran(.load, since: begin)
  }

  private func askForEntries(_ session: EngineSession, _ run: inout GateRun) async -> Bool {
    let begin = ContinuousClock.now
    let entries: JSONObject
    do {
      let answer = try await session.ask(
        "gateEntries", .object([JSONMember("global", .string(globalName))]), within: engine.limits.loadTime)
      entries = try JSONObject(answer)
    } catch let error as EngineError {
      add(error, during: "asking for \(globalName)", &run, since: begin)
      return false
    } catch {
      return malformed(.entryPoints, &run)
    }
    let missing = ["getParser", "getAllSources"].filter { entries[$0] != .string("function") }
    run.ran(.entryPoints, since: begin)
    run.record(.announcedVersion) {
      guard case .string(let announced)? = entries["version"] else { return [] }
      return AnnouncedVersionCheck(bundleName: release.bundleName, version: release.version)
        .findings(announced)
    }
    guard !missing.isEmpty else { return true }
    var message = "\(globalName) has no function \(missing.joined(separator: " and no function "))"
    if let type = entries["type"], type != .string("object"), type != .string("function") {
      message =
        type == .string("undefined")
        ? "the bundle defines no \(globalName)" : "the bundle defines a \(globalName) that is no object"
    }
    run.add([
      Finding(
        .entryPoints, .error, message, place: .init(file: release.bundleName),
        advice:
          "build the bundle as a script that defines \(globalName), or name its global with --global NAME")
    ])
    return false
  }

  private func malformed(_ code: GateCode, _ run: inout GateRun) -> Bool {
    run.add([
      Finding(
        code, .error, "the bundle changes what the page answers, so that it cannot be judged",
        place: .init(file: release.bundleName), advice: "leave the page's own objects alone")
    ])
    run.ran(code, since: .now)
    return false
  }

  private func inspect(_ session: EngineSession, _ run: inout GateRun) async -> BundleInspection? {
    let begin = ContinuousClock.now
    let inspection: BundleInspection
    do {
      let ids = release.catalog.entries.map { JSONValue.string($0.id.text) }
      let question = JSONValue.object([
        JSONMember("global", .string(globalName)), JSONMember("ids", .array(ids)),
      ])
      inspection = try BundleInspection(
        try await session.ask("gateParsers", question, within: engine.limits.loadTime))
    } catch let error as EngineError {
      add(error, during: "building the parsers", &run, since: begin)
      return nil
    } catch {
      _ = malformed(.catalogMatch, &run)
      return nil
    }
    run.inspection = inspection
    let lines = CatalogLines(release.sourcesName, release.sources)
    run.add(
      CatalogMatchCheck(catalog: release.catalog, bundleName: release.bundleName, lines: lines)
        .findings(inspection))
    run.ran(.catalogMatch, since: begin)
    run.record(.overrideKeys) {
      OverrideKeysCheck(catalog: release.catalog, lines: lines).findings(inspection)
        + OverrideUseCheck(catalog: release.catalog, lines: lines, live: live?.catalog)
        .findings(inspection, bundle: release.bundle)
    }
    await checkMembers(inspection, session, &run)
    return inspection
  }

  /// Doubts that the live release leaves as well are only noted.
  private func besideLive(_ found: [Finding]) async -> [Finding] {
    guard let live, found.contains(where: { $0.severity == .warning }) else { return found }
    do {
      let known = KnownCalls(in: try await live.bundle())
      return found.map { known.softened($0, live.version.description) }
    } catch {
      // A live bundle that cannot be read excuses nothing.
      return found
    }
  }

  /// Looks for calls that lead nowhere, and asks the parsers themselves before it says so.
  private func checkMembers(
    _ inspection: BundleInspection, _ session: EngineSession, _ run: inout GateRun
  ) async {
    let begin = ContinuousClock.now
    let check = DanglingCallCheck(inspection)
    let answers = await MemberQuestions(session, globalName: globalName).ask(
      check.questions, within: engine.limits.loadTime)
    let found = check.findings(
      answers: answers, bundle: TextPosition(release.bundle), bundleName: release.bundleName,
      overrides: release.catalog.overrideWords)
    run.add(await besideLive(found))
    run.add(
      MisspeltEntryCheck(inspection, check.groups, check.uses).findings(
        bundle: TextPosition(release.bundle), bundleName: release.bundleName))
    run.ran(.danglingCall, since: begin)
  }
}
