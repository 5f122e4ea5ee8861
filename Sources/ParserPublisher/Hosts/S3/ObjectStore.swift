internal import OTACrypto
internal import OTAFeed
internal import OTAManifest
internal import OTATransfer
internal import Synchronization

/// The files of a feed as objects of an S3-compatible store.
final class ObjectStore: HTTPFileStore {
  let settings: ObjectStoreSettings
  let requests: HostRequests
  private let now: @Sendable () -> Timestamp
  /// Whether the store wants marks in conditions without their quotes, as radosgw does.
  private let wantsPlainMarks = Mutex(false)

  /// From here on a file goes up in parts.
  static let multipartBytes = 64 << 20
  static let partBytes = 16 << 20

  init(
    _ settings: ObjectStoreSettings, _ requests: HostRequests, now: @escaping @Sendable () -> Timestamp
  ) {
    self.settings = settings
    self.requests = requests
    self.now = now
  }

  var place: String { "s3://\(settings.bucket)/\(settings.prefix)" }

  func request(
    _ method: String, _ path: String, maxAnswerBytes: Int
  ) async throws(Problem) -> HostAnswer {
    try await ask(method, path, maxAnswerBytes: maxAnswerBytes)
  }

  func put(
    _ path: String, _ bytes: [UInt8], when condition: WriteCondition
  ) async throws(Problem) -> WriteOutcome {
    if bytes.count > Self.multipartBytes, condition == .always {
      return try await MultipartUpload(store: self, path: path, partBytes: Self.partBytes).run(bytes)
    }
    let answer = try await put(path, bytes, fields(for: condition))
    guard case .unchanged(let mark) = condition, answer.status == 412, !wantsPlainMarks.withLock({ $0 })
    else {
      return try outcome(answer, path)
    }
    // Some stores know a mark only without its quotes: ask again where the file is still the one that was meant.
    let found = try await ask("HEAD", path)
    guard found.status == 200, Self.mark(found.etag) == mark else { return .refused }
    let again = try outcome(try await put(path, bytes, [.init("If-Match", Self.plain(mark))]), path)
    if again != .refused { wantsPlainMarks.withLock { $0 = true } }
    return again
  }

  private func put(
    _ path: String, _ bytes: [UInt8], _ condition: [HostRequest.Field]
  ) async throws(Problem) -> HostAnswer {
    try await ask("PUT", path, fields: condition + contentFields(path), body: bytes)
  }

  /// What every reader gets along with a file.
  func contentFields(_ path: String) -> [HostRequest.Field] {
    [
      .init("Content-Type", FeedLayout.mediaType(of: path)),
      .init("Cache-Control", FeedLayout.cacheControl(of: path)),
    ]
  }

  private func fields(for condition: WriteCondition) -> [HostRequest.Field] {
    switch condition {
    case .always: []
    case .absent: [.init("If-None-Match", "*")]
    case .unchanged(let mark):
      [.init("If-Match", wantsPlainMarks.withLock { $0 } ? Self.plain(mark) : mark)]
    }
  }

  private func outcome(_ answer: HostAnswer, _ path: String) throws(Problem) -> WriteOutcome {
    switch answer.status {
    case 200, 201, 204: return .written(mark: Self.mark(answer.etag))
    // 409: another conditional write is under way; 404: the file that must be unchanged is gone.
    case 404 where Self.code(answer) != "NoSuchBucket": return .refused
    case 409, 412: return .refused
    default: throw problem(answer, "PUT", path)
    }
  }

  func remove(_ path: String) async throws(Problem) {
    let answer = try await ask("DELETE", path)
    guard [200, 204, 404].contains(answer.status), Self.code(answer) != "NoSuchBucket" else {
      throw problem(answer, "DELETE", path)
    }
  }

  func list(_ folder: String) async throws(Problem) -> [String] {
    let prefix = settings.prefix + (folder.isEmpty ? "" : folder + "/")
    var names: Set<String> = []
    var token: String?
    repeat {
      let answer = try await askList(prefix, token)
      guard answer.status == 200 else { throw problem(answer, "the list of", folder) }
      let text = String(decoding: answer.body, as: UTF8.self)
      let found =
        XMLText.values("Key", in: text)
        + XMLText.values("CommonPrefixes", in: text).flatMap { XMLText.values("Prefix", in: $0) }
      for key in found where key.hasPrefix(prefix) {
        let name = key.dropFirst(prefix.count).prefix { $0 != "/" }
        if !name.isEmpty { names.insert(String(name)) }
      }
      let isCut = XMLText.values("IsTruncated", in: text).first == "true"
      token = isCut ? XMLText.values("NextContinuationToken", in: text).first : nil
    } while token != nil
    return names.sorted()
  }

  private func askList(_ prefix: String, _ token: String?, limit: Int = 1000) async throws(Problem)
    -> HostAnswer
  {
    var query = [("list-type", "2"), ("delimiter", "/"), ("prefix", prefix), ("max-keys", "\(limit)")]
    if let token { query.append(("continuation-token", token)) }
    return try await ask("GET", key: "", query: query, maxAnswerBytes: 4 << 20)
  }

  // MARK: Answers

  /// A store that may not tell says 403 for what is missing: then the list of its names decides.
  func requireMissing(_ answer: HostAnswer, _ method: String, _ path: String) async throws(Problem) {
    if answer.status == 404, Self.code(answer) != "NoSuchBucket" { return }
    // The body of a HEAD has no code, so that 403 may mean anything there.
    let isDenied = answer.status == 403 && [nil, "AccessDenied"].contains(Self.code(answer))
    guard isDenied else { throw problem(answer, method, path) }
    let key = settings.prefix + path
    let listing = try await askList(key, nil, limit: 10)
    guard listing.status == 200 else {
      throw Problem(
        .forbidden,
        "\(place) answers 403 for \(path) and does not show its list, so nobody can tell whether it is there",
        advice: "let the credentials list the bucket (s3:ListBucket) and read it (s3:GetObject)")
    }
    let names = XMLText.values("Key", in: String(decoding: listing.body, as: UTF8.self))
    if names.contains(key) { throw problem(answer, method, path) }
  }

  private func problem(_ answer: HostAnswer, _ method: String, _ path: String) -> Problem {
    let code = Self.code(answer)
    switch code {
    case "NoSuchBucket":
      return Problem(
        .notFound, "the bucket \(settings.bucket) does not exist",
        advice: "make it, or check its name and the endpoint")
    case "RequestTimeTooSkewed":
      return Problem(
        .clockUnreliable, "\(place) refuses the request: this machine's clock is wrong",
        advice: "set the clock, then run the same command again")
    case "SignatureDoesNotMatch", "InvalidAccessKeyId", "ExpiredToken", "InvalidToken":
      return Problem(
        .forbidden, "\(place) refuses the credentials: \(code ?? "")",
        advice: "check the access key, its secret and the session token in the environment or the profile")
    case "AuthorizationHeaderMalformed", "PermanentRedirect":
      let region = XMLText.values("Region", in: String(decoding: answer.body, as: UTF8.self)).first
      return Problem(
        .misuse, "the bucket \(settings.bucket) is not in the region \(settings.region)",
        advice: "set AWS_REGION\(region.map { " to \($0.printable())" } ?? " to the region of the bucket")")
    default: return Problem(host: place, method, path, answer, words: code)
    }
  }

  /// The code in the answer of a store that refuses.
  static func code(_ answer: HostAnswer) -> String? {
    guard answer.status >= 300 else { return nil }
    return XMLText.values("Code", in: String(decoding: answer.body.prefix(4096), as: UTF8.self)).first?
      .printable(maxCharacters: 60)
  }

  /// A mark with its quotes, as conditions have it; weak ones can stand in none.
  static func mark(_ etag: String?) -> String? {
    guard let etag, !etag.isEmpty, !etag.hasPrefix("W/") else { return nil }
    return etag.hasPrefix("\"") ? etag : "\"\(etag)\""
  }

  private static func plain(_ mark: String) -> String { mark.filter { $0 != "\"" } }

  // MARK: Requests

  func ask(
    _ method: String, _ path: String, query: [(String, String)] = [], fields: [HostRequest.Field] = [],
    body: [UInt8]? = nil, maxAnswerBytes: Int = 64 << 10
  ) async throws(Problem) -> HostAnswer {
    try await ask(
      method, key: settings.prefix + path, query: query, fields: fields, body: body,
      maxAnswerBytes: maxAnswerBytes)
  }

  private func ask(
    _ method: String, key: String, query: [(String, String)], fields: [HostRequest.Field] = [],
    body: [UInt8]? = nil, maxAnswerBytes: Int
  ) async throws(Problem) -> HostAnswer {
    do {
      let signed = try RequestSignature(credentials: settings.credentials, region: settings.region).sign(
        method, host: settings.host, path: settings.path(of: key), query: query, fields: fields,
        body: body ?? [], at: RequestSignature.text(of: now()))
      return try await requests.send(
        HostRequest(
          method, "\(settings.endpoint.scheme)://\(settings.host)\(signed.pathAndQuery)",
          fields: signed.fields, body: body, maxAnswerBytes: maxAnswerBytes))
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem(.cryptoUnavailable, "a request cannot be signed on this machine")
    }
  }
}

/// A large file on its way to a store in parts; nobody sees it before the last one is there.
struct MultipartUpload {
  let store: ObjectStore
  let path: String
  let partBytes: Int

  func run(_ bytes: [UInt8]) async throws(Problem) -> WriteOutcome {
    let begun = try await store.ask(
      "POST", path, query: [("uploads", "")], fields: store.contentFields(path), body: [])
    guard begun.status == 200,
      let id = XMLText.values("UploadId", in: String(decoding: begun.body, as: UTF8.self)).first
    else { throw Problem(host: store.place, "POST", path, begun, words: ObjectStore.code(begun)) }
    do throws(Problem) {
      return try await complete(id, try await parts(id, bytes))
    } catch {
      // Parts that were sent cost their owner money until somebody gives them up; that failing changes nothing here.
      _ = try? await store.ask("DELETE", path, query: [("uploadId", id)])
      throw error
    }
  }

  private func parts(_ id: String, _ bytes: [UInt8]) async throws(Problem) -> [String] {
    var marks: [String] = []
    for start in stride(from: 0, to: bytes.count, by: partBytes) {
      let answer = try await store.ask(
        "PUT", path, query: [("partNumber", "\(marks.count + 1)"), ("uploadId", id)],
        body: Array(bytes[start..<min(start + partBytes, bytes.count)]))
      guard answer.status == 200, let mark = ObjectStore.mark(answer.etag) else {
        throw Problem(host: store.place, "PUT", path, answer, words: ObjectStore.code(answer))
      }
      marks.append(mark)
    }
    return marks
  }

  private func complete(_ id: String, _ marks: [String]) async throws(Problem) -> WriteOutcome {
    let list = marks.enumerated().map { index, mark in
      "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(mark)</ETag></Part>"
    }
    let answer = try await store.ask(
      "POST", path, query: [("uploadId", id)], fields: [.init("Content-Type", "application/xml")],
      body: Array("<CompleteMultipartUpload>\(list.joined())</CompleteMultipartUpload>".utf8))
    // A store may have said 200 before it noticed that it cannot join the parts.
    let isError = String(decoding: answer.body, as: UTF8.self).contains("<Error>")
    guard answer.status == 200, !isError else {
      throw Problem(host: store.place, "POST", path, answer, words: ObjectStore.code(answer))
    }
    return .written(mark: nil)
  }
}

/// Reads the few elements of a store's answers that matter; nothing in them is nested in one of the same name.
enum XMLText {
  /// The content of each element with a name, whatever its prefix, with the five usual entities resolved.
  static func values(_ name: String, in text: String) -> [String] {
    var values: [String] = []
    var rest = text[...]
    while let start = opening(name, in: rest) {
      guard let end = closing(name, in: rest[start...]) else { break }
      values.append(plain(rest[start..<end.lowerBound]))
      rest = rest[end.upperBound...]
    }
    return values
  }

  private static func opening(_ name: String, in text: Substring) -> Substring.Index? {
    var rest = text
    while let open = rest.firstIndex(of: "<") {
      let tag = rest[rest.index(after: open)...]
      guard let close = tag.firstIndex(of: ">") else { return nil }
      let found = tag[..<close].prefix { $0 != " " && $0 != "/" && $0 != "\n" }
      if localName(found) == name, tag[..<close].last != "/" { return tag.index(after: close) }
      rest = tag[tag.index(after: close)...]
    }
    return nil
  }

  private static func closing(_ name: String, in text: Substring) -> Range<Substring.Index>? {
    var rest = text
    while let open = rest.firstRange(of: "</") {
      guard let close = rest[open.upperBound...].firstIndex(of: ">") else { return nil }
      if localName(rest[open.upperBound..<close]) == name {
        return open.lowerBound..<rest.index(after: close)
      }
      rest = rest[close...]
    }
    return nil
  }

  private static func localName(_ name: Substring) -> Substring { name.split(separator: ":").last ?? name }

  private static func plain(_ text: Substring) -> String {
    text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&#34;", with: "\"").replacing("&apos;", with: "'").replacing("&#39;", with: "'")
      .replacing("&amp;", with: "&").description
  }
}
