internal import OTAFeed
public import OTAManifest
internal import OTAStorage

/// Looks at new files as readers get them, before anything speaks of them.
///
/// A host may take a file and serve it minutes later, or changed: whoever is told of it too early finds nothing.
struct PublicFiles: Sendable {
  /// Where readers get the feed; `nil` takes the base URL of its settings.
  var address: WebAddress?
  let patience: Duration
  /// The pause before the first further look; it grows.
  var pause: Duration = .milliseconds(500)

  /// Returns once each file is there as it was written.
  ///
  /// - Parameter address: where readers get the feed.
  func wait(for files: [FeedWrite], at address: WebAddress) async throws(Problem) {
    let reader = FeedReader(.web(address.asFolder), allowsPlainHTTPOnLoopback: address.isLoopback)
    let deadline = ContinuousClock.now + patience
    for file in files where FeedLayout.kind(of: file.path) == .immutable {
      var pause = pause
      while let fault = try await fault(of: file, reader) {
        guard ContinuousClock.now + pause < deadline else {
          throw Problem(
            .timedOut,
            "\(address.asFolder)\(file.path) \(fault), \(patience.components.seconds) s after it was written",
            advice:
              "look at the address in a browser; give the right one with --public-url, or more time with --wait SECONDS"
          )
        }
        try await Problem.sleep(pause)
        pause = min(pause * 1.5, .seconds(5))
      }
    }
  }

  /// What is wrong with a file for readers; `nil` when it is as it was written.
  private func fault(of file: FeedWrite, _ reader: FeedReader) async throws(Problem) -> String? {
    do throws(Problem) {
      let bytes = try await reader.read(relative(file.path), maxBytes: file.bytes.count)
      return bytes == file.bytes ? nil : "has other bytes"
    } catch {
      switch error.code {
      case .cancelled, .libraryMissing, .forbiddenURL, .misuse: throw error
      default: return "cannot be had: \(error.message)"
      }
    }
  }

  private func relative(_ path: String) throws(Problem) -> RelativePath {
    do {
      return try RelativePath(path)
    } catch {
      throw Problem(.misuse, "the path \(path.printable()) cannot be used")
    }
  }
}

extension Publisher {
  /// Returns once a new device at the public address gets a release of a channel, or a newer one.
  ///
  /// - Returns: how long it took.
  /// - Throws: `timedOut` when it does not in time; the release is published all the same.
  public func waitForDevices(
    _ version: ReleaseVersion, channel: Channel = .stable, atMost limit: Duration
  ) async throws(Problem) -> Duration {
    let begin = ContinuousClock.now
    let settings = try await FeedState.settings(of: host, place: place)
    guard let address = publicFiles?.address ?? settings.baseURL else {
      throw Problem(
        .inputRefused, "nobody knows at which address devices get \(place)",
        advice: "give it with --public-url URL, or set it with parser-ota init --base-url URL")
    }
    let root = try await host.read(FeedLayout.firstRoot, maxBytes: FeedLayout.maxRootBytes)
    let trust =
      settings.trust == .checksumsOnly ? Trust.checksumsOnly : root.map { .root($0) } ?? .checksumsOnly
    var pause = Duration.milliseconds(300)
    while let fault = await Self.newDevice(version, channel, trust, address) {
      guard ContinuousClock.now + pause - begin < limit else {
        throw Problem(
          .timedOut, "a new device at \(address.asFolder) does not get release \(version) yet: \(fault)",
          kept: "release \(version) is published",
          advice: "wait for the host, and look with parser-ota verify --feed \(address)")
      }
      try await Problem.sleep(pause)
      pause = min(pause * 1.5, .seconds(5))
    }
    return .now - begin
  }

  /// What keeps a device that knows nothing of the feed from a release; `nil` when it gets it whole.
  private static func newDevice(
    _ version: ReleaseVersion, _ channel: Channel, _ trust: Trust, _ address: WebAddress
  ) async -> String? {
    let reader = FeedReader(.web(address.asFolder), allowsPlainHTTPOnLoopback: address.isLoopback)
    do throws(Problem) {
      let newest = try await trust.authority.newestManifest(of: channel, from: reader).manifest
      guard newest.version >= version else { return "it gets release \(newest.version)" }
      let content = ReleaseContent(reader: reader)
      for file in FeedLayout.ContentFile.allCases { _ = try await content.bytes(of: file, in: newest) }
      return nil
    } catch {
      return error.message
    }
  }
}
