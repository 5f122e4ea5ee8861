internal import OTACrypto
internal import OTAFeed
internal import OTAManifest

/// Writes the page of a feed anew: the one way to it for every verb that changes what the page says.
///
/// A page that people wrote stays: ours says in its head that parser-ota generated it.
struct FeedPageWriter {
  static let maxBytes = 32 << 20

  let host: any FeedHost
  let state: FeedState

  /// Writes the page where it changed.
  ///
  /// - Parameter news: the release that just went out, with what it changes; `nil` when there is none.
  /// - Throws: what the host says; the feed is as good without its page, so callers make a warning of it.
  func write(_ news: (release: Manifest, digest: Digest, news: ReleaseNews)? = nil) async throws(Problem) {
    guard try await isOurs() else { return }
    let old = try await memory()
    var memory = old
    if let news { memory.learn(news.news, of: news.release, digest: news.digest) }
    let channel: Channel? = state.live[.stable] == nil ? state.live.keys.min { $0.name < $1.name } : .stable
    let catalog = try await catalog(of: channel)
    if let channel, let catalog {
      memory.keep(
        releases: Set(state.releases.map(\.digest.hex)), sources: Set(catalog.entries.map(\.id.text)),
        of: channel.name)
    }
    let root = try state.metadata.map { (metadata) throws(Problem) in
      try ContentLookup.digest(of: metadata.chain.files[0])
    }
    let model = FeedPageModel(state, channel: channel, catalog: catalog, memory: memory, rootDigest: root)
    let page = try FeedPage(model).bytes()
    if memory != old { try await host.replace(FeedLayout.pageMemory, with: memory.encoded()) }
    if try await host.read(FeedLayout.page, maxBytes: Self.maxBytes) != page {
      try await host.replace(FeedLayout.page, with: page)
    }
  }

  /// Whether the page is ours to replace: missing, generated, or one of those that `init` used to write.
  private func isOurs() async throws(Problem) -> Bool {
    do throws(Problem) {
      guard let page = try await host.read(FeedLayout.page, maxBytes: Self.maxBytes) else { return true }
      return FeedPage.isGenerated(page) || FirstPage.isOne(page)
    } catch  where error.code == .tooLarge {
      return false
    }
  }

  private func memory() async throws(Problem) -> PageMemory {
    do throws(Problem) {
      return PageMemory(
        decoding: try await host.read(FeedLayout.pageMemory, maxBytes: PageMemory.maxBytes))
    } catch  where error.code == .tooLarge {
      return PageMemory()
    }
  }

  /// The catalog that the page lists; `nil` when it is lost, which other verbs tell.
  private func catalog(of channel: Channel?) async throws(Problem) -> SourceCatalog? {
    guard let channel, let live = state.live[channel] else { return nil }
    do throws(Problem) {
      return try await ContentLookup(host: host).catalog(of: live.manifest)
    } catch  where [.feedIncomplete, .sourcesInvalid].contains(error.code) {
      return nil
    }
  }
}

extension Publisher {
  /// Writes the page of the feed anew, after something that it shows has changed beside the releases.
  ///
  /// - Returns: what a person should know, as sentences; trouble with the page never fails a verb.
  public func refreshPage() async -> [String] {
    do {
      let state = try await readState()
      try await host.locked { () async throws(Problem) in
        try await FeedPageWriter(host: host, state: state).write()
        try await host.settle(.pointers)
      }
      return []
    } catch {
      return [FeedPageWriter.unwritten(error)]
    }
  }
}

extension FeedPageWriter {
  /// The warning when the page could not be written.
  static func unwritten(_ problem: Problem) -> String { "index.html was not written: \(problem.message)" }
}
