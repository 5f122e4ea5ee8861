internal import OTAFeed
internal import OTAManifest
internal import OTATransfer

/// The newest stable release of an older feed, with both files verified.
struct AdoptedRelease {
  let manifest: VerifiedManifest
  let bundle: [UInt8]
  let sources: [UInt8]

  /// Reads it from a server or another folder.
  static func read(
    from source: FeedLocation, allowsPlainHTTPOnLoopback: Bool
  ) async throws(Problem) -> AdoptedRelease {
    let reader = FeedReader(source, allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback)
    let manifest = try await Trust.checksumsOnly.authority.newestManifest(of: .stable, from: reader)
    return try await read(manifest, reader, source.text)
  }

  /// Reads the files of a manifest that is at hand.
  static func read(
    _ manifest: VerifiedManifest, _ reader: FeedReader, _ place: String
  ) async throws(Problem) -> AdoptedRelease {
    let content = ReleaseContent(reader: reader)
    let bundle = try await content.bytes(of: .bundle, in: manifest.manifest)
    let sources = try await content.bytes(of: .sources, in: manifest.manifest)
    if let reason = ReleaseContent.refusal(bundle: bundle, sources: sources) {
      throw Problem(
        reason.code, "release \(manifest.manifest.version) of \(place): \(reason.message)",
        advice: "correct it on the old feed first")
    }
    return AdoptedRelease(manifest: manifest, bundle: bundle, sources: sources)
  }

  /// The address of the folder that the old manifest has its files below, as far as it shows one.
  ///
  /// - Returns: `nil` when every address is relative: then clients need none.
  /// - Throws: `inputRefused` when addresses are absolute, and their common folder cannot be told.
  func baseURL(from source: FeedLocation) async throws(Problem) -> WebAddress? {
    var folders: Set<WebAddress> = []
    for file in FeedLayout.ContentFile.allCases {
      guard case .absolute(let address) = file.artifact(of: manifest.manifest).location else { continue }
      switch source {
      case .web(let folder): folders.insert(folder)
      // An archive says nothing of where its feed is.
      case .archive: throw Self.needsBaseURL(address.text)
      case .directory(let root):
        guard let path = try await path(of: file, DirectoryHost(root: root)),
          let folder = address.folder(whenFileIsAt: path)
        else { throw Self.needsBaseURL(address.text) }
        folders.insert(folder)
      }
    }
    guard folders.count <= 1 else { throw Self.needsBaseURL(manifest.manifest.bundle.location.text) }
    return folders.first
  }

  /// Where a folder has a file of the release.
  private func path(
    of file: FeedLayout.ContentFile, _ host: DirectoryHost
  ) async throws(Problem) -> String? {
    let lookup = ContentLookup(host: host)
    for path in ContentLookup.candidates(file, of: manifest.manifest)
    where try await lookup.has(path, file.artifact(of: manifest.manifest)) {
      return path
    }
    return nil
  }

  private static func needsBaseURL(_ place: String) -> Problem {
    Problem(
      .inputRefused,
      "the old manifest has absolute addresses, which old clients need, and the feed's own address cannot be told "
        + "from \(place)",
      advice: "give the public address of the feed's folder with --base-url URL")
  }
}

/// Reads the files of releases as a stranger would, from a server or a folder.
struct ReleaseContent {
  let reader: FeedReader

  /// The bytes with the size and digest that the manifest says.
  func bytes(of file: FeedLayout.ContentFile, in manifest: Manifest) async throws(Problem) -> [UInt8] {
    if case .directory(let root) = reader.location {
      return try await ContentLookup(host: DirectoryHost(root: root)).bytes(of: file, in: manifest)
    }
    let artifact = file.artifact(of: manifest)
    let sink = MemorySink()
    do {
      try await reader.fetch(artifact, into: sink)
    } catch {
      throw Problem(error)
    }
    let bytes = sink.bytes
    guard bytes.count == artifact.bytes else {
      throw Problem(
        .sizeMismatch,
        "\(artifact.location.text) has \(bytes.count) bytes, not the \(artifact.bytes) announced")
    }
    guard try ContentLookup.digest(of: bytes) == artifact.sha256 else {
      throw Problem(.digestMismatch, "\(artifact.location.text) has another digest than its manifest says")
    }
    return bytes
  }

  /// Why a client would refuse a file whose digest is right; `nil` when it would not.
  static func refusal(_ file: FeedLayout.ContentFile, _ bytes: [UInt8]) -> Problem? {
    do {
      switch file {
      case .bundle: try ReleaseContentCheck.checkBundle(head: bytes)
      case .sources: _ = try SourceCatalog.decode(bytes)
      }
      return nil
    } catch {
      return Problem(
        file == .bundle ? .bundleInvalid : .sourcesInvalid, "\(file.rawValue): \(error.message)")
    }
  }

  static func refusal(bundle: [UInt8], sources: [UInt8]) -> Problem? {
    refusal(.bundle, bundle) ?? refusal(.sources, sources)
  }
}
