public import OTAManifest
internal import Synchronization

/// Those who want to hear of new advisories in this process.
final class AdvisoryListeners: Sendable {
  private struct Books {
    var last: Advisories?
    var hasLast = false
    var listeners: [Int: AsyncStream<Advisories?>.Continuation] = [:]
    var next = 0
  }

  private let books = Mutex(Books())

  /// A stream that begins with the advisories of now, and goes on with each change.
  func stream(from current: Advisories?) -> AsyncStream<Advisories?> {
    let (stream, continuation) = AsyncStream<Advisories?>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = books.withLock { books in
      books.next += 1
      books.listeners[books.next] = continuation
      (books.last, books.hasLast) = (current, true)
      return books.next
    }
    continuation.onTermination = { [weak self] _ in
      self?.books.withLock { _ = $0.listeners.removeValue(forKey: number) }
    }
    continuation.yield(current)
    return stream
  }

  /// Whether somebody listens.
  var isEmpty: Bool { books.withLock { $0.listeners.isEmpty } }

  /// Tells of advisories, unless they are the ones that were told last.
  func tell(_ advisories: Advisories?) {
    let listeners = books.withLock { books -> [AsyncStream<Advisories?>.Continuation] in
      guard !books.hasLast || books.last != advisories else { return [] }
      (books.last, books.hasLast) = (advisories, true)
      return Array(books.listeners.values)
    }
    for listener in listeners { listener.yield(advisories) }
  }
}

extension Updater {
  /// What the feed says of sources now; `nil` when it says nothing, or the store cannot be read.
  ///
  /// Offline. The advisories are those of the last check or update of any process, without what has run out.
  public func advisories() -> Advisories? {
    StoreQuestion(configuration, now: change.now).advisories()
  }

  /// The advisories of now, and then each change that a check or update of this updater brings.
  public var advisoryChanges: AsyncStream<Advisories?> { advisoryListeners.stream(from: advisories()) }

  /// Tells listeners what a check or update heard.
  func tellOfAdvisories() {
    if !advisoryListeners.isEmpty { advisoryListeners.tell(advisories()) }
  }
}

extension ActiveRelease {
  /// Decodes the catalog with the domains that advisories give to its sources.
  ///
  /// Only public host names replace a domain, and nothing else of a source changes.
  /// - Throws: `InputError` for a catalog that is not one.
  public func catalog(applying advisories: Advisories?, at moment: Timestamp) throws(InputError)
    -> SourceCatalog
  {
    let catalog = try catalog()
    return advisories.map { catalog.applying($0, at: moment) } ?? catalog
  }
}
