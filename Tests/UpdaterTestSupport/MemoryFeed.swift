import OTAFeed
import OTAManifest
import OTATransfer
import Synchronization

/// A feed in memory that is the fetcher too: it records each request in order, and misbehaves when it is told to.
package final class MemoryFeed: Fetcher {
  /// One request: the path below the feed (a whole URL for other hosts) and the byte that it began at.
  package struct Request: Equatable, Sendable {
    /// The path.
    package let path: String
    /// The first byte asked for.
    package let offset: Int
  }

  /// What to answer instead of the file.
  package enum Answer: Sendable {
    /// Another body, with its length announced.
    case bytes([UInt8])
    /// Another body without an announced length, as HTTP/1.0 has it.
    case unannounced([UInt8])
    /// No body at all.
    case failure(TransferError.Kind, status: Int?)
    /// No body, and a field `Retry-After` where there is one.
    case pause(_ status: Int, after: String?)
    /// This many bytes, then the connection ends.
    case cut(after: Int)
    /// This many bytes, then nothing until the task is cancelled.
    case hang(after: Int)
    /// The whole file although a range was asked for.
    case wholeFile
    /// 416 to every range.
    case rangeRefused
    /// A range that begins elsewhere, which a fetcher refuses.
    case otherRange
  }

  private struct Books {
    var files: [String: [UInt8]] = [:]
    var answers: [String: [Answer]] = [:]
    var lasting: [String: Answer] = [:]
    var hooks: [String: @Sendable () async -> Void] = [:]
    var requests: [Request] = []
  }

  /// The address of the feed.
  package static let base = "https://feed.example/"
  private let books = Mutex(Books())
  /// Signs what is published; `nil` for an unsigned feed.
  package let signer: FeedSigner?

  /// An empty feed.
  package init(signer: FeedSigner? = nil) { self.signer = signer }

  /// All files, for a mirror that keeps or changes them.
  package var files: [String: [UInt8]] {
    get { books.withLock { $0.files } }
    set { books.withLock { $0.files = newValue } }
  }

  /// What an updater must be told to believe this feed.
  package var trust: Trust { signer.map { .root($0.root()) } ?? .checksumsOnly }

  /// A reader of this feed.
  package var reader: FeedReader {
    FeedReader(Self.location, fetcher: self, allowsPlainHTTPOnLoopback: false)
  }

  /// Where the feed is.
  package static var location: FeedLocation {
    do { return try FeedLocation(base) } catch { preconditionFailure("\(error)") }
  }

  /// The paths requested so far, in order; empties the list.
  package func takeRequests() -> [String] { takeAllRequests().map(\.path) }

  /// The requests so far, in order; empties the list. The question for an express file counts where there is one.
  package func takeAllRequests() -> [Request] {
    books.withLock { books in
      defer { books.requests = [] }
      let hasExpress = books.files[ExpressFile.path] != nil
      return books.requests.filter { hasExpress || $0.path != ExpressFile.path }
    }
  }

  // MARK: Publishing

  /// Publishes a plain release, whose manifest `edit` may change.
  @discardableResult
  package func publish(
    _ version: Int64, _ content: SampleRelease.Content? = nil,
    _ edit: (inout Manifest) throws -> Void = { _ in }
  ) throws -> SampleRelease {
    let release = try SampleRelease(version, content, edit)
    publish(release)
    return release
  }

  /// Publishes a release as it is.
  package func publish(_ release: SampleRelease) {
    put(release.bundle, at: release.bundlePath)
    put(release.sources, at: release.sourcesPath)
    signer?.publish(release, on: self)
    put(release.bytes, at: release.manifest.channel.manifestPath)
  }

  /// Puts any bytes anywhere.
  package func put(_ bytes: [UInt8], at path: String) { books.withLock { $0.files[path] = bytes } }

  /// Takes a file away.
  package func remove(_ path: String) { books.withLock { $0.files[path] = nil } }

  /// Writes the whole feed to a folder.
  package func write(to folder: String) {
    for (path, bytes) in books.withLock({ $0.files }) { plant(bytes, at: "\(folder)/\(path)") }
  }

  // MARK: Misbehaviour

  /// Answers the next request for a path in another way.
  package func answerOnce(_ path: String, _ answer: Answer) {
    books.withLock { $0.answers[path, default: []].append(answer) }
  }

  /// Answers all requests for a path in another way; `nil` ends that.
  package func answer(_ path: String, _ answer: Answer?) { books.withLock { $0.lasting[path] = answer } }

  /// Does something when a path is requested, before it is answered.
  package func whenRequested(_ path: String, _ hook: (@Sendable () async -> Void)?) {
    books.withLock { $0.hooks[path] = hook }
  }

  // MARK: Fetching

  package func fetch(
    _ request: FetchRequest, into sink: any FetchSink
  ) async throws(TransferError) -> FetchResponse {
    let path = request.url.hasPrefix(Self.base) ? String(request.url.dropFirst(Self.base.count)) : request.url
    let offset = max(0, request.resume?.offset ?? 0)
    let (answer, file, hook) = books.withLock { books in
      books.requests.append(Request(path: path, offset: offset))
      var answer = books.lasting[path]
      if let next = books.answers[path]?.first {
        answer = next
        books.answers[path]?.removeFirst()
      }
      return (answer, books.files[path], books.hooks[path])
    }
    await hook?()
    let delivery = Delivery(request: request, sink: sink)
    if Task.isCancelled { throw delivery.error(.cancelled, "was cancelled") }
    if let condition = request.ifNoneMatch, answer == nil, let file, condition == Delivery.tag(of: file) {
      return FetchResponse(status: 304, finalURL: request.url, entityTag: condition)
    }
    switch answer {
    case .bytes(let bytes)?: return try delivery.send(bytes, announced: true)
    case .unannounced(let bytes)?: return try delivery.send(bytes, announced: false)
    case .pause(let status, let seconds)?:
      throw TransferError(
        status == 429 ? .throttled : .server, url: request.url, status: status, detail: "answered \(status)",
        retryAfter: seconds)
    case .failure(let kind, let status)?: throw delivery.error(kind, "failed", status)
    case .rangeRefused? where offset > 0: throw delivery.error(.httpStatus, "answered 416", 416)
    case .otherRange? where offset > 0: throw delivery.error(.protocolViolation, "sent another range")
    default: break
    }
    guard let file else { throw delivery.error(.notFound, "answered 404", 404) }
    switch answer {
    case .cut(let count)?:
      try delivery.begin(total: file.count)
      try delivery.deliver(file[..<min(count, file.count)], total: file.count)
      throw delivery.error(.truncated, "ended early")
    case .hang(let count)?:
      try delivery.begin(total: file.count)
      try delivery.deliver(file[..<min(count, file.count)], total: file.count)
      while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(2)) }
      throw delivery.error(.cancelled, "was cancelled")
    case .wholeFile?: return try delivery.send(file, announced: true)
    default:
      guard offset > 0 else { return try delivery.send(file, announced: true) }
      guard offset < file.count else { throw delivery.error(.httpStatus, "answered 416", 416) }
      return try delivery.send(file, announced: true, from: offset)
    }
  }
}

/// One answer on its way into a sink, under the rules that every fetcher keeps.
private struct Delivery {
  let request: FetchRequest
  let sink: any FetchSink

  /// An entity tag that is another one for other bytes.
  static func tag(of bytes: [UInt8]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return "\"\(String(hash, radix: 16))\""
  }

  func error(
    _ kind: TransferError.Kind, _ detail: String, _ status: Int? = nil, underlying: (any Error)? = nil
  ) -> TransferError {
    TransferError(kind, url: request.url, status: status, detail: detail, underlying: underlying)
  }

  @discardableResult
  func begin(total: Int?, from offset: Int = 0, tag: String? = nil) throws(TransferError) -> FetchResponse {
    let response = FetchResponse(
      status: offset > 0 ? 206 : 200, finalURL: request.url, resumedFrom: offset, totalBytes: total,
      entityTag: tag)
    do { try sink.begin(response) } catch {
      throw self.error(.sinkFailed, "could not be stored", underlying: error)
    }
    return response
  }

  func deliver(_ bytes: ArraySlice<UInt8>, total: Int?) throws(TransferError) {
    for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 1000) {
      let end = min(start + 1000, bytes.endIndex)
      guard end <= request.maxBytes else {
        throw error(.tooLarge, "has more than \(request.maxBytes) bytes")
      }
      do { try sink.receive(Array(bytes[start..<end])) } catch {
        throw self.error(.sinkFailed, "could not be stored", underlying: error)
      }
      request.progress?(end, total)
    }
  }

  func send(
    _ bytes: [UInt8], announced: Bool, from offset: Int = 0
  ) throws(TransferError) -> FetchResponse {
    if announced, bytes.count > request.maxBytes {
      throw error(.tooLarge, "announced \(bytes.count) bytes, more than \(request.maxBytes)")
    }
    let response = try begin(total: announced ? bytes.count : nil, from: offset, tag: Self.tag(of: bytes))
    try deliver(bytes[offset...], total: announced ? bytes.count : nil)
    return response
  }
}
