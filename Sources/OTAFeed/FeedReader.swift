public import OTAManifest
package import OTATransfer

/// Reads the files of one feed under limits, wherever it is; knows nothing of devices.
public struct FeedReader: Sendable {
  /// Where the feed is.
  public let location: FeedLocation
  private let fetcher: any Fetcher
  private let allowsPlainHTTPOnLoopback: Bool
  /// Whether files that the manifest has at another address are looked for here, where a copy of the feed is.
  private let isMirror: Bool
  private var patience = FeedPatience()

  /// Reads a feed over the network or from a folder.
  ///
  /// - Parameters:
  ///   - allowsPlainHTTPOnLoopback: whether `http` to this machine is allowed; never to another host.
  ///   - patience: how long transfers may take.
  public init(
    _ location: FeedLocation, allowsPlainHTTPOnLoopback: Bool = false, patience: FeedPatience = FeedPatience()
  ) {
    self.init(
      location, allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback, patience: patience, isMirror: false)
  }

  /// Reads a copy of a feed: whatever address its manifests have for the files of a release, they are taken from here.
  package static func mirror(
    _ location: FeedLocation, allowsPlainHTTPOnLoopback: Bool, patience: FeedPatience = FeedPatience()
  ) -> FeedReader {
    FeedReader(
      location, allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback, patience: patience, isMirror: true)
  }

  private init(
    _ location: FeedLocation, allowsPlainHTTPOnLoopback: Bool, patience: FeedPatience, isMirror: Bool
  ) {
    switch location {
    case .directory(let root):
      self.init(
        location, fetcher: DirectoryFetcher(root: root), allowsPlainHTTPOnLoopback: false, isMirror: isMirror)
    case .archive(let archive):
      self.init(location, fetcher: ArchiveFetcher(archive: archive), allowsPlainHTTPOnLoopback: false)
    case .web:
      var policy = TransferPolicy()
      policy.allowsPlainHTTPOnLoopback = allowsPlainHTTPOnLoopback
      policy.total = .init(start: patience.start, bytesPerSecond: patience.bytesPerSecond)
      self.init(
        location, fetcher: CurlFetcher(policy: policy), allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback,
        isMirror: isMirror)
      self.patience = patience
    }
  }

  /// Reads a feed through another fetcher, such as the HTTP stack of an app.
  package init(
    _ location: FeedLocation, fetcher: any Fetcher, allowsPlainHTTPOnLoopback: Bool, isMirror: Bool = false
  ) {
    self.location = location
    self.isMirror = isMirror
    self.fetcher = fetcher
    self.allowsPlainHTTPOnLoopback = allowsPlainHTTPOnLoopback
  }

  /// Whether the feed is behind a server, so that each request counts.
  package var isOnNetwork: Bool {
    if case .web = location { true } else { false }
  }

  /// The archive that answers for the feed; `nil` for a feed itself.
  package var archive: ReleaseArchive? {
    if case .archive(let archive) = location { archive } else { nil }
  }

  /// Reads a small file of the feed into memory.
  public func read(_ path: RelativePath, maxBytes: Int) async throws(Problem) -> [UInt8] {
    let sink = MemorySink()
    let request = FetchRequest(url: try address(of: .relative(path)), maxBytes: maxBytes)
    let response = try await fetch(request, into: sink)
    if let coding = response.trueCoding(of: sink.bytes) { throw Problem(path.text, compressedAs: coding) }
    return sink.bytes
  }

  /// The same reader, trying again what may pass; a folder or an archive has nothing that passes.
  package func retrying(
    _ policy: RetryPolicy, _ pace: Pace, observe: @escaping @Sendable (RetryNote) -> Void = { _ in }
  ) -> FeedReader {
    guard case .web = location, policy.attempts > 1 else { return self }
    let base = (fetcher as? RetryingFetcher)?.base ?? fetcher
    var reader = FeedReader(
      location, fetcher: RetryingFetcher(base: base, policy: policy, pace: pace, observe: observe),
      allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback, isMirror: isMirror)
    reader.patience = patience
    return reader
  }

  /// The same reader, telling of each answer that came whole.
  package func observing(
    _ observe: @escaping @Sendable (_ url: String, _ response: FetchResponse) -> Void
  ) -> FeedReader {
    var reader = FeedReader(
      location, fetcher: ObservingFetcher(base: fetcher, observe: observe),
      allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback, isMirror: isMirror)
    reader.patience = patience
    return reader
  }

  /// The full address of a file by its path below the feed.
  package func address(of path: String) throws(Problem) -> String {
    do {
      return try address(of: .relative(RelativePath(path)))
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem(.forbiddenURL, "\(path.printable()) is not a file path of this feed")
    }
  }

  /// Streams a file of a release into `sink`; never more bytes than its manifest says.
  @discardableResult
  package func fetch(
    _ artifact: Artifact, resume: ResumePoint? = nil, into sink: any FetchSink,
    progress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)? = nil
  ) async throws(TransferError) -> FetchResponse {
    let url: String
    do throws(Problem) {
      if let name = archive?.contents[artifact.sha256] {
        url = ArchiveFetcher.prefix + name
      } else {
        url = try address(of: artifact.location)
      }
    } catch {
      throw TransferError(.refusedURL, url: artifact.location.text, detail: error.message)
    }
    let request = FetchRequest(url: url, maxBytes: Int(artifact.bytes), resume: resume, progress: progress)
    return try await fetcher.fetch(request, into: sink)
  }

  /// The signed metadata and files of the feed, asked for over the same connection.
  package var repository: TUFRepository {
    get throws(Problem) {
      let base: String
      switch location {
      case .directory, .archive: base = DirectoryFetcher.prefix
      case .web(let folder): base = try checked(folder.asFolder)
      }
      return TUFRepository(
        fetcher: fetcher, metadataBase: base + FeedLayout.metadataFolder + "/",
        targetsBase: base + FeedLayout.targetsFolder + "/",
        budget: patience.metadata)
    }
  }

  private func fetch(_ request: FetchRequest, into sink: any FetchSink) async throws(Problem) -> FetchResponse
  {
    do {
      return try await fetcher.fetch(request, into: sink)
    } catch {
      throw Problem(error)
    }
  }

  /// Refuses a manifest that names a file where this feed may not have one, before anything is asked for.
  package func requireUsableAddresses(in manifest: Manifest) throws(Problem) {
    // The files of an archive are found by their digests, whatever the manifest calls them.
    if archive != nil { return }
    _ = try address(of: manifest.bundle.location)
    _ = try address(of: manifest.sources.location)
  }

  /// The full address of a file, checked against what this feed may use.
  package func address(of location: ArtifactLocation) throws(Problem) -> String {
    switch (self.location, location) {
    case (.directory, .relative(let path)), (.archive, .relative(let path)):
      return DirectoryFetcher.prefix + path.text
    case (.directory, .absolute(let address)), (.archive, .absolute(let address)):
      guard let path = Self.pathBelowFeed(of: address) else {
        throw Problem(
          .forbiddenURL,
          "the manifest names \(address), which is not a file of the feed in \(self.location.text)")
      }
      return DirectoryFetcher.prefix + path.text
    case (.web(let folder), .relative(let path)): return try checked(folder.appending(path))
    case (.web(let folder), .absolute(let address)):
      let copy = isMirror ? Self.pathBelowFeed(of: address) : nil
      return try checked(copy.map(folder.appending) ?? address)
    }
  }

  private func checked(_ address: WebAddress) throws(Problem) -> String {
    if address.scheme == "http" {
      guard address.isLoopback else {
        throw Problem(
          .forbiddenURL, "\(address) is plain http: only https is used", advice: "serve the feed over https")
      }
      guard allowsPlainHTTPOnLoopback else {
        throw Problem(
          .forbiddenURL, "\(address) is blocked: plain http to this machine",
          advice: "for a test on your own machine, add --allow-http-loopback")
      }
    }
    return address.text
  }

  /// Where a file with an absolute address lies in a copy of the feed: the part from `files/releases/` on.
  private static func pathBelowFeed(of address: WebAddress) -> RelativePath? {
    guard let range = address.path.ranges(of: "/\(FeedLayout.releasesFolder)/").last else { return nil }
    do {
      return try RelativePath(String(address.path[range.lowerBound...].dropFirst()))
    } catch {
      // Not a name of our layout, so not a file of this feed: the caller says so.
      return nil
    }
  }
}

/// How long the transfers of one update may take, against hosts that drip just fast enough not to stall.
///
/// A file may take `start` and the time that its size needs at `bytesPerSecond`. What came of a release is kept, so an
/// update over a slower line still completes, in several runs.
public struct FeedPatience: Equatable, Sendable {
  /// The time for one small file, connection and redirects included.
  public var start: Duration
  /// The average rate that a large file must keep up.
  public var bytesPerSecond: Int
  /// The time for all signed metadata of one check together.
  public var metadata: Duration

  /// The usual patience; 550 kB may take 97 s.
  public init(
    start: Duration = .seconds(30), bytesPerSecond: Int = 8192, metadata: Duration = .seconds(60)
  ) {
    self.start = start
    self.bytesPerSecond = bytesPerSecond
    self.metadata = metadata
  }
}
