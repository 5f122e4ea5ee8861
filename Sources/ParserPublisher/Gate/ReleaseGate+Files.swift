internal import OTAFeed
public import OTAManifest

extension ReleaseGate {
  /// Checks two files; what makes them no release is a finding, and only what cannot be read is thrown.
  ///
  /// Nothing goes out here, so a missing engine is a warning.
  public func check(_ request: CheckRequest) async throws(Problem) -> GateReport {
    let inputs: ReleaseInputs
    do {
      inputs = try ReleaseInputs(bundlePath: request.bundlePath, sourcesPath: request.sourcesPath)
    } catch  where error.code == .inputInvalid {
      return refusal(of: request, error)
    }
    let live = try await request.against?.liveRelease()
    let aliases = try AliasRules.carried(
      live?.manifest.aliases ?? [], adding: request.aliases, to: inputs.catalog)
    var candidate = GateCandidate(
      inputs, bundleName: request.bundleName, sourcesName: request.sourcesName, aliases: aliases)
    candidate.sourceMap = SourceMapFile.beside(request.bundlePath, inputs.bundle)
    if let feed = request.against, let live {
      candidate.withdrawn = await feed.withdrawn(with: inputs.pair, by: live.manifest)
    }
    var gate = self
    gate.requiresEngine = false
    if gate.engines.isEmpty { gate.engines = request.against?.engines ?? [] }
    let report = await gate.check(candidate, against: live)
    guard !Task.isCancelled else { throw Problem(.cancelled, "the check was interrupted") }
    return report
  }

  private func refusal(of request: CheckRequest, _ problem: Problem) -> GateReport {
    let isCatalog = problem.message.hasPrefix(request.sourcesPath)
    var message = problem.message
    for path in [request.sourcesPath, request.bundlePath] where message.hasPrefix(path) {
      message = String(message.dropFirst(path.count).drop { $0 == ":" || $0 == " " })
    }
    var place = Finding.Place(file: isCatalog ? request.sourcesName : request.bundleName)
    if let match = message.prefixMatch(of: #/(\d+):(\d+): /#) {
      (place.line, place.column) = (Int(match.output.1), Int(match.output.2))
      message = String(message[match.range.upperBound...])
    }
    var run = GateRun(requiresEngine: false, bundleName: request.bundleName)
    run.record(.input) {
      [
        Finding(
          .input, .error, message,
          place: place, advice: problem.advice)
      ]
    }
    for code in GateCode.allCases where ![.input, .noEngine, .confinement].contains(code) {
      run.skip(code, "the files cannot be read as a release")
    }
    return run.report(allowances, catalogs: [], comparedWith: nil)
  }
}

extension CheckRequest.Feed {
  /// The live release with its catalog, verified as a device would; `nil` when a feed in a folder has none yet.
  func liveRelease() async throws(Problem) -> GateBaseline? {
    let reader = FeedReader(location, allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback)
    let verified: VerifiedManifest
    do {
      verified = try await reader.usedTrust(trust).authority.newestManifest(of: channel, from: reader)
    } catch  where isNewFeed(error) {
      return nil
    }
    let manifest = verified.manifest
    let content = ReleaseContent(reader: reader)
    let bytes = try await content.bytes(of: .sources, in: manifest)
    let catalog: SourceCatalog
    do {
      catalog = try SourceCatalog.decode(bytes)
    } catch {
      throw Problem(.sourcesInvalid, "the catalog of release \(manifest.version): \(error.message)")
    }
    return GateBaseline(manifest, catalog: catalog) { () async throws(Problem) in
      try await content.bytes(of: .bundle, in: manifest)
    }
  }

  /// The withdrawn releases with this content; damage to old manifests leaves it unknown and stops nothing.
  func withdrawn(with pair: ContentPair, by live: Manifest) async -> WithdrawnTwins {
    let reader = FeedReader(location, allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback)
    do {
      return .releases(try await ReleaseChain.withdrawn(with: pair, by: live, from: reader))
    } catch {
      return .unknown("the withdrawn releases cannot be read: \(error.message)")
    }
  }

  /// The oldest engines that the settings of a feed in a folder name; none for a copy without settings.
  var engines: [OldEngine] {
    guard case .directory(let root) = location else { return [] }
    do {
      let bytes = try DirectoryHost(root: root).read(
        FeedLayout.settings, maxBytes: Limits.standard.maxStateBytes)
      return try bytes.map { (bytes) throws(Problem) in try FeedSettings(decoding: bytes).engines } ?? []
    } catch {
      // A damaged file of settings is named by the verbs that write; here it asks for nothing.
      return []
    }
  }

  /// Whether a folder is a feed that has no release of the channel yet, rather than no feed at all.
  private func isNewFeed(_ problem: Problem) -> Bool {
    guard [.notFound, .fileMissing].contains(problem.code), case .directory(let root) = location else {
      return false
    }
    do {
      return try DirectoryHost(root: root).read(
        FeedLayout.settings, maxBytes: Limits.standard.maxStateBytes) != nil
    } catch {
      // Then the problem that is at hand says more.
      return false
    }
  }
}
