public import OTAFeed
public import OTAManifest
internal import OTAStorage

extension Publisher {
  /// Copies a release into an app's folder, as the fallback that ships with the app.
  ///
  /// From a signed feed, `root.json` comes along: the newest root, from which the app trusts what follows.
  ///
  /// - Parameter version: a release on the feed; `nil` takes the live one of `channel`.
  public func embed(
    _ version: ReleaseVersion?, channel: Channel, into directory: String
  ) async throws(Problem) -> EmbedReport {
    let state = try await readState()
    let release = try chosen(version, channel, state)
    let bundle = try await lookup.bytes(of: .bundle, in: release.manifest)
    let sources = try await lookup.bytes(of: .sources, in: release.manifest)
    var report = try Self.write(
      release, bundle: bundle, sources: sources, root: state.metadata?.chain.newestFile, into: directory)
    report.warnings = await note(release.manifest.version)
    return report
  }

  /// Remembers on the feed that a release ships inside an app, so that patches are made from it.
  private func note(_ version: ReleaseVersion) async -> [String] {
    do throws(Problem) {
      try await host.locked(wait: .seconds(2)) { () async throws(Problem) in
        var settings = try await FeedState.settings(of: host, place: place)
        guard settings.embedded.last != version else { return }
        settings.embedded = (settings.embedded.filter { $0 != version } + [version])
          .suffix(FeedSettings.maxEmbedded)
        try await host.replace(FeedLayout.settings, with: settings.encoded())
        try await host.settle(.pointers)
      }
      return []
    } catch {
      return [
        "the feed could not note that release \(version) ships in an app, so it makes no patches from it: \(error.message)"
      ]
    }
  }

  /// Copies the release of an archive into an app's folder, as `embed` does from a feed.
  ///
  /// - Parameter root: what authenticates the archive; `nil` takes its own first root. Expired metadata counts, since
  ///   nothing goes to a device.
  public static func embed(
    _ archive: ReleaseArchive, root: [UInt8]?, into directory: String
  ) async throws(Problem) -> EmbedReport {
    let trust = ArchiveTrust(archive, root: root)
    let release = try await trust.release(now: nil)
    let content = ReleaseContent(reader: FeedReader(.archive(archive)))
    let bundle = try await content.bytes(of: .bundle, in: release.manifest)
    let sources = try await content.bytes(of: .sources, in: release.manifest)
    if let refusal = ReleaseContent.refusal(bundle: bundle, sources: sources) { throw refusal }
    return try write(
      release, bundle: bundle, sources: sources, root: try trust.newestRoot, into: directory)
  }

  private static func write(
    _ release: VerifiedManifest, bundle: [UInt8], sources: [UInt8], root: [UInt8]?, into directory: String
  ) throws(Problem) -> EmbedReport {
    var files = [
      ("parsers.bundle.js", bundle), ("sources.json", sources),
      ("ParserOTAEmbedded.swift", Array(EmbeddedConstants(release).source.utf8)),
    ]
    if let root { files.append(("root.json", root)) }
    files.append(("manifest.json", release.bytes))
    try requireOwn(directory)
    do {
      let folder = try Directory.create(directory, mode: 0o755)
      let replaced = try embeddedVersion(in: folder)
      for (name, bytes) in files { try folder.replace(name, with: bytes, mode: 0o644) }
      return EmbedReport(
        version: release.manifest.version, replaced: replaced, directory: directory, files: files.map(\.0))
    } catch {
      throw Problem(onFeed: error)
    }
  }

  private func chosen(
    _ version: ReleaseVersion?, _ channel: Channel, _ state: FeedState
  ) throws(Problem) -> VerifiedManifest {
    let found =
      version.map { wanted in state.releases.first { $0.manifest.version == wanted } } ?? state.live[channel]
    if let found { return found }
    if let version, let lost = state.problem(ofLost: version) { throw lost }
    let versions = state.releases.map { "\($0.manifest.version)" }.joined(separator: ", ")
    let message =
      version.map { "release \($0) is not on the feed; available: \(versions.isEmpty ? "none" : versions)" }
      ?? "channel \(channel) has no releases yet"
    throw Problem(.noSuchRelease, message, advice: "parser-ota releases lists them with their channels")
  }

  /// The names that a copy inside an app may have.
  private static let names: Set<String> = [
    "parsers.bundle.js", "sources.json", "ParserOTAEmbedded.swift", "root.json", "manifest.json",
  ]

  /// Refuses a folder whose other files the copy would be mixed with.
  private static func requireOwn(_ directory: String) throws(Problem) {
    let others: [String]
    do throws(StorageError) {
      let entries = try Directory.open(directory).entries().map(\.name)
      // A copy has its manifest last: one without the generated source belongs to something else.
      let isForeign = entries.contains("manifest.json") && !entries.contains("ParserOTAEmbedded.swift")
      others = entries.filter {
        (isForeign || !names.contains($0)) && !$0.hasPrefix(".") && !$0.hasPrefix("README")
      }
    } catch  where error.kind == .missing {
      return
    } catch {
      throw Problem(onFeed: error)
    }
    guard others.isEmpty else { throw FeedFolder.occupied(directory, others) }
  }

  private static func embeddedVersion(in folder: Directory) throws(StorageError) -> ReleaseVersion? {
    do {
      let bytes = try folder.read("manifest.json", maxBytes: Limits.standard.maxManifestBytes)
      // Whatever stands there is replaced; its version is for the report alone.
      return (try? Manifest.decode(bytes))?.version
    } catch  where error.kind == .missing || error.kind == .tooLarge {
      return nil
    }
  }
}

/// The generated source file by which an app knows at compile time which release it carries.
struct EmbeddedConstants {
  private let release: VerifiedManifest

  init(_ release: VerifiedManifest) { self.release = release }

  /// Swift source without imports; only numbers and hexadecimal digits come from the manifest.
  var source: String {
    let manifest = release.manifest
    return """
      // Made by parser-ota embed. Do not edit: run it again.

      /// The parser release that ships with this app.
      public enum EmbeddedParserRelease {
        /// The number of the release.
        public static let version: Int64 = \(manifest.version)
        /// SHA-256 of manifest.json.
        public static let manifestSHA256 = "\(release.digest)"
        /// SHA-256 of parsers.bundle.js.
        public static let bundleSHA256 = "\(manifest.bundle.sha256)"
        /// SHA-256 of sources.json.
        public static let sourcesSHA256 = "\(manifest.sources.sha256)"
      }

      """
  }
}
