internal import OTAFeed
internal import OTAManifest
internal import OTATransfer

/// Reads a feed as it will be, by the addresses that its readers use, before anything goes out.
///
/// Three readers: a client that knows only `version`, `bundle` and `sources`, also with the addresses of the manifest
/// before; a new device; and the audit that `verify` runs.
struct AddressRehearsal {
  let host: any FeedHost
  /// Everything that is about to be written.
  let writes: [FeedWrite]
  let settings: FeedSettings
  /// The root that apps will ship; `nil` on a feed without signatures.
  let root: [UInt8]?
  let now: Timestamp

  /// Where a feed without a public address is asked.
  private static let nowhere = "https://feed.invalid/"

  /// Runs all readers.
  ///
  /// - Parameter old: the manifest that clients may have read before the switch.
  func run(old: Manifest?) async throws(Problem) {
    try await checkOldNames()
    let reader = try reader()
    try await OldClient(reader: reader).run()
    if let old { try await checkAddresses(of: old, reader) }
    try await audit(reader)
  }

  /// An old client and the names of the adopted release: what a roll back could break.
  func runOldClients() async throws(Problem) {
    try await checkOldNames()
    try await OldClient(reader: reader()).run()
  }

  private var fetcher: OverlayFetcher {
    get throws(Problem) { OverlayFetcher(host: host, writes: writes, base: try base()) }
  }

  private func base() throws(Problem) -> WebAddress {
    if let base = settings.baseURL { return base.asFolder }
    do {
      return try WebAddress(Self.nowhere)
    } catch {
      throw Problem(.misuse, "\(Self.nowhere) is not an address")
    }
  }

  private func reader() throws(Problem) -> FeedReader {
    FeedReader(.web(try base()), fetcher: try fetcher, allowsPlainHTTPOnLoopback: true)
  }

  /// What the settings promise to old clients.
  private func checkOldNames() async throws(Problem) {
    guard let names = settings.oldNames else { return }
    let overlay = OverlayHost(host, writes)
    for file in names.files {
      guard let bytes = try await overlay.read(file.path, maxBytes: Int(file.bytes)),
        try ContentLookup.digest(of: bytes) == file.sha256
      else {
        throw Self.refusal("old clients", "\(file.path) does not have the bytes of the adopted release")
      }
    }
  }

  /// A client that read the manifest before the switch fetches what that one named.
  private func checkAddresses(of old: Manifest, _ reader: FeedReader) async throws(Problem) {
    let base = try base()
    for file in FeedLayout.ContentFile.allCases {
      let artifact = file.artifact(of: old)
      if case .absolute(let address) = artifact.location {
        guard let path = address.path(below: base),
          settings.oldNames?.files.contains(where: { $0.path == path }) == true
        else { continue }
      } else if settings.oldNames == nil {
        continue
      }
      _ = try await ReleaseContent(reader: reader).bytes(of: file, in: old)
    }
  }

  private func audit(_ reader: FeedReader) async throws(Problem) {
    let report = try await Publisher.audit(reader, root: root, now: now)
    guard let fault = report.findings.first(where: { $0.severity == .error }) else { return }
    throw Self.refusal("new devices", "\(fault.place): \(fault.message)")
  }

  static func refusal(_ readers: String, _ reason: String) -> Problem {
    Problem(
      .feedIncomplete, "\(readers) would not get this release: \(reason)",
      advice: "parser-ota repair restores lost files; then run the same command again")
  }
}

/// A client from before this tool: it knows three fields, wants two files, and compares their digests.
private struct OldClient {
  let reader: FeedReader

  func run() async throws(Problem) {
    do {
      let limit = Limits.standard.maxManifestBytes
      let bytes = try await reader.read(RelativePath(Channel.stable.manifestPath), maxBytes: limit)
      let manifest = try JSONObject(JSONReader.read(bytes, maxBytes: limit))
      _ = try manifest.version("version")
      for name in ["bundle", "sources"] { try await check(manifest.object(name), name) }
    } catch let problem as Problem {
      // What may not be read here is not what old clients are served.
      if problem.code.responsibility == .notPermitted { throw problem }
      throw AddressRehearsal.refusal("old clients", problem.message)
    } catch let error as InputError {
      throw AddressRehearsal.refusal("old clients", "manifest.json: \(error.message)")
    } catch {
      throw AddressRehearsal.refusal("old clients", "manifest.json cannot be read")
    }
  }

  private func check(_ object: JSONObject, _ name: String) async throws {
    let limit = name == "bundle" ? Limits.standard.maxBundleBytes : Limits.standard.maxSourcesBytes
    let artifact = Artifact(
      location: try ArtifactLocation(object.string("url")), sha256: try object.digest("sha256"),
      bytes: try object.integer("bytes", in: 1...limit))
    let sink = MemorySink()
    do {
      try await reader.fetch(artifact, into: sink)
    } catch {
      throw Problem(error)
    }
    guard try ContentLookup.matches(sink.bytes, artifact) else {
      throw Problem(.digestMismatch, "\(artifact.location.text) is another file than the manifest says")
    }
  }
}
