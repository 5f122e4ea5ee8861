internal import OTAManifest
internal import ParserEngine
internal import ParserPages
internal import ParserWorkbench

/// Replays recordings through the live bundle and the new one, and says which sources get worse.
struct FixtureCheck {
  let demand: FixtureDemand
  let engine: BundleEngine
  let globalName: String

  /// The findings, and the report when there was something to replay.
  func run(
    _ release: GateCandidate, against live: GateBaseline?
  ) async -> (findings: [Finding], report: FixtureReport?) {
    do {
      let report = try await FixtureReplay(engine: engine).run(
        bundle: bundle(release), live: try await bundle(live), fixtures: demand.folder,
        aliases: release.aliases)
      guard !report.sources.isEmpty || !report.absent.isEmpty else {
        return ([failure("\(demand.folder.path) has no recordings")], nil)
      }
      return (findings(report, release, isCompared: live != nil), report)
    } catch let error as FixtureReplay.Failure {
      return ([failure(error)], nil)
    } catch let problem as Problem {
      return ([failure("the live bundle cannot be read: \(problem.message)")], nil)
    } catch {
      return ([failure("\(error)")], nil)
    }
  }

  private func bundle(_ release: GateCandidate) throws(Problem) -> ParserBundle {
    var bundle = ParserBundle(
      release.bundleName, release.bundle, digest: release.pair.bundle, catalog: release.catalog)
    bundle.globalName = globalName
    return bundle
  }

  private func bundle(_ live: GateBaseline?) async throws(Problem) -> ParserBundle? {
    guard let live else { return nil }
    var bundle = ParserBundle(
      "release \(live.version)", try await live.bundle(), digest: live.manifest.bundle.sha256,
      catalog: live.catalog)
    bundle.globalName = globalName
    return bundle
  }

  // MARK: What was found

  private func findings(
    _ report: FixtureReport, _ release: GateCandidate, isCompared: Bool
  ) -> [Finding] {
    let worse = report.worse
    let severity: Finding.Severity = worse.count > demand.maxWorse ? .error : .warning
    let than = isCompared ? "the live release" : "was recorded"
    return worse.map { source in
      let steps = source.steps.filter { $0.verdict == .worse }
      let message = "gives less than \(than): \(steps.map(FixtureReport.words).joined(separator: "; "))"
      return Finding(.fixtures, severity, message, advice: Self.advice(steps)).with {
        $0.sources = [source.id.text]
        $0.method = steps.first?.name
        $0.place = Self.place(steps, in: release.bundleName)
      }
    }
  }

  /// Where the parser failed, when it says so.
  private static func place(_ steps: [FixtureComparison.Step], in bundle: String) -> Finding.Place {
    for case .failed(let failure) in steps.map(\.now) where failure.line != nil {
      return Finding.Place(file: bundle, line: failure.line, column: failure.column)
    }
    return Finding.Place(file: bundle)
  }

  private static func advice(_ steps: [FixtureComparison.Step]) -> String {
    let isNewRequest = steps.contains { step in
      if case .failed(let failure) = step.now {
        failure.page?.code == PageFaultCode.notRecorded.rawValue
      } else {
        false
      }
    }
    return isNewRequest
      ? "if the parser is right to ask for another page, record the source again: parser-ota record"
      : "look at what the parser returns: parser-ota run with --fixtures"
  }

  private func failure(_ error: FixtureReplay.Failure) -> Finding {
    switch error {
    case .engine(let error): failure("the recordings could not be replayed: \(error.text)")
    case .fixture(let error): failure(error.message)
    }
  }

  private func failure(_ message: String) -> Finding {
    Finding(.fixtures, .error, message, advice: "record the sources again: parser-ota record")
  }
}
