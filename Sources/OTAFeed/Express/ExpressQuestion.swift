internal import OTACrypto
package import OTAManifest
internal import OTAStorage
internal import OTATransfer
internal import OTATrust

/// Asks a feed for its express file, on condition that it is not the one that was seen before.
package struct ExpressQuestion: Sendable {
  private let repository: TUFRepository
  private let store: any TrustedMetadataStore
  private let now: Timestamp
  /// How long it may take: the ordinary way must still have its time.
  private static let patience = Duration.seconds(10)

  /// Asks for a device with this store.
  package init(_ repository: TUFRepository, store: any TrustedMetadataStore, now: Timestamp) {
    self.repository = repository
    self.store = store
    self.now = now
  }

  /// What came: a repository that answers from it, and what to remember once that went well.
  package struct Answer: Sendable {
    /// The feed with the express file in front.
    package let repository: TUFRepository
    /// The parts by their paths; none when nothing is new.
    package let parts: [String: [UInt8]]
    fileprivate let url: String
    fileprivate let tag: String?
    fileprivate let since: Timestamp
  }

  /// The answer; `nil` when the feed is to be asked in the ordinary way.
  ///
  /// - Throws: where the host cannot be reached at all, so that the ordinary way would fail in the same way.
  package func ask() async throws(Problem) -> Answer? {
    // A store that cannot be read is for the ordinary way to report.
    guard let folder = repository.feedFolder, let stored = try? storedState() else { return nil }
    let note = stored.note.flatMap { $0.url == folder + ExpressFile.path ? $0 : nil }
    guard stored.isAnnounced, note?.isOver(at: now) != true else { return nil }
    let condition = note.flatMap { $0.timestamp == stored.digest ? $0.tag : nil }
    let url = folder + ExpressFile.path
    let sink = MemorySink()
    let response: FetchResponse
    do {
      response = try await repository.fetcher.fetch(
        FetchRequest(
          url: url, maxBytes: ExpressFile.maxPackedBytes, ifNoneMatch: condition,
          budget: TransferBudget(Self.patience)), into: sink)
    } catch {
      if error.isSameForEveryFile { throw Problem(error) }
      return nil
    }
    let since = note?.since ?? now
    if response.status == 304, let timestamp = stored.timestamp {
      let same = ExpressFile(parts: [FeedLayout.timestamp: timestamp])
      let fetcher = ExpressFetcher(
        base: repository.fetcher, folder: folder, express: same, newestRoot: nil)
      return Answer(
        repository: repository.through(fetcher), parts: [:], url: url, tag: condition, since: since)
    }
    return answer(sink.bytes, response, folder, since)
  }

  private func answer(
    _ packed: [UInt8], _ response: FetchResponse, _ folder: String, _ since: Timestamp
  ) -> Answer? {
    do {
      let express = try ExpressFile(decoding: packed)
      // Without a timestamp it says nothing.
      guard express.parts[FeedLayout.timestamp] != nil else { return nil }
      let fetcher = ExpressFetcher(
        base: repository.fetcher, folder: folder, express: express, newestRoot: express.newestRoot)
      return Answer(
        repository: repository.through(fetcher), parts: express.parts, url: folder + ExpressFile.path,
        tag: response.entityTag, since: since)
    } catch {
      // Not ours, cut short or damaged: everything is on the feed under its own name as well.
      return nil
    }
  }

  private struct Stored {
    let timestamp: [UInt8]?
    let digest: Digest?
    let note: ExpressNote?
    /// Whether the feed is known to have an express file, or not known at all.
    let isAnnounced: Bool
  }

  private func storedState() throws -> Stored {
    guard let timestamp = try store.load(.newest(role: "timestamp")) else {
      return Stored(timestamp: nil, digest: nil, note: nil, isAnnounced: true)
    }
    return Stored(
      timestamp: timestamp, digest: try sha256(timestamp),
      note: try store.load(.express).flatMap { ExpressNote(decoding: $0) },
      isAnnounced: TimestampMetadata.announcesExpress(timestamp))
  }

  // MARK: What is remembered

  /// Remembers an express file from which all went well.
  package func remember(_ answer: Answer) { remember(url: answer.url, tag: answer.tag, since: answer.since) }

  /// Remembers that the feed was asked in the ordinary way, where that was due.
  package func rememberOrdinaryWay() {
    guard let folder = repository.feedFolder else { return }
    do {
      let stored = try storedState()
      guard let note = stored.note, note.isOver(at: now) else { return }
      guard note.url == folder + ExpressFile.path, note.timestamp == stored.digest else {
        return try store.remove(.express)
      }
      remember(url: note.url, tag: note.tag, since: now)
    } catch {
      // Without the note the next run asks without a condition.
    }
  }

  private func remember(url: String, tag: String?, since: Timestamp) {
    do {
      guard let timestamp = try store.load(.newest(role: "timestamp")) else { return }
      let bytes = ExpressNote(url: url, tag: tag, timestamp: try sha256(timestamp), since: since).encoded()
      if try store.load(.express) != bytes { try store.store(bytes, as: .express) }
    } catch {
      // Without the note the next run asks without a condition.
    }
  }
}

extension TransferError {
  /// Whether every other file of the host would fail in the same way.
  fileprivate var isSameForEveryFile: Bool {
    switch kind {
    case .unreachable, .offline, .refused, .unknownHost, .proxy, .throttled, .cancelled, .libraryMissing,
      .tls, .tlsExpired, .tlsNotYetValid, .tlsWrongHost, .tlsUnknownAuthority:
      true
    default: false
    }
  }
}
