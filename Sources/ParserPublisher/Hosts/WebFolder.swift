internal import OTAFeed
internal import OTAManifest
internal import OTATransfer
internal import Synchronization

/// The files of a feed below an address of a web server that takes PUT and DELETE.
///
/// Some servers cannot list a folder: then a file among the publisher's own names what was ever written.
final class WebFolder: HTTPFileStore {
  /// The address of the folder.
  let base: WebAddress
  let requests: HostRequests
  /// The value of `Authorization`; `nil` for a server that wants none.
  private let authorization: String?
  private let books = Mutex<(lists: Bool?, made: Set<String>)>((nil, []))

  /// Names what was written, on servers that list nothing.
  static let inventory = "\(FeedLayout.privateFolder)/files.txt"
  private static let maxInventoryBytes = 8 << 20

  init(_ base: WebAddress, authorization: String?, _ requests: HostRequests) {
    self.base = base.asFolder
    self.authorization = authorization
    self.requests = requests
  }

  var place: String { "dav+\(base)" }

  func request(
    _ method: String, _ path: String, maxAnswerBytes: Int
  ) async throws(Problem) -> HostAnswer {
    try await ask(method, path, maxAnswerBytes: maxAnswerBytes)
  }

  func requireMissing(_ answer: HostAnswer, _ method: String, _ path: String) throws(Problem) {
    guard [404, 410].contains(answer.status) else { throw Problem(host: place, method, path, answer) }
  }

  func put(
    _ path: String, _ bytes: [UInt8], when condition: WriteCondition
  ) async throws(Problem) -> WriteOutcome {
    try await makeFolders(above: path)
    try await note(path)
    var fields: [HostRequest.Field] = [.init("Content-Type", FeedLayout.mediaType(of: path))]
    switch condition {
    case .always: break
    case .absent: fields.append(.init("If-None-Match", "*"))
    case .unchanged(let mark): fields.append(.init("If-Match", mark))
    }
    let answer = try await ask("PUT", path, fields: fields, body: bytes)
    switch answer.status {
    // A mark in this answer is that of the body as sent, which a server may have changed: it is asked for when needed.
    case 200, 201, 204: return .written(mark: nil)
    case 412: return .refused
    default: throw Problem(host: place, "PUT", path, answer)
    }
  }

  func remove(_ path: String) async throws(Problem) {
    let answer = try await ask("DELETE", path)
    guard [200, 204, 404, 410].contains(answer.status) else {
      throw Problem(host: place, "DELETE", path, answer)
    }
  }

  // MARK: Folders

  private func makeFolders(above path: String) async throws(Problem) {
    var folder = ""
    for part in path.split(separator: "/").dropLast() {
      folder += "\(part)/"
      let name = folder
      guard !books.withLock({ $0.made.contains(name) }) else { continue }
      let answer = try await ask("MKCOL", folder)
      // 405 is that of a folder that is there; others make folders with the file.
      guard [200, 201, 301, 405, 409, 501].contains(answer.status) else {
        throw Problem(host: place, "MKCOL", folder, answer)
      }
      books.withLock { _ = $0.made.insert(name) }
    }
  }

  func list(_ folder: String) async throws(Problem) -> [String] {
    if books.withLock({ $0.lists }) != false {
      let path = folder.isEmpty ? "" : folder + "/"
      let answer = try await ask(
        "PROPFIND", path, fields: [.init("Depth", "1"), .init("Content-Type", "application/xml")],
        body: Array(
          #"<?xml version="1.0"?><propfind xmlns="DAV:"><prop><resourcetype/></prop></propfind>"#.utf8),
        maxAnswerBytes: 8 << 20)
      switch answer.status {
      case 207:
        books.withLock { $0.lists = true }
        return names(in: answer, below: path)
      case 404, 410:
        if books.withLock({ $0.lists }) == true { return [] }
      case 400, 405, 501: books.withLock { $0.lists = false }
      default: throw Problem(host: place, "PROPFIND", path, answer)
      }
    }
    return try await listed(folder)
  }

  private func names(in answer: HostAnswer, below path: String) -> [String] {
    let folder = base.path + path
    let names = XMLText.values("href", in: String(decoding: answer.body, as: UTF8.self)).compactMap {
      href -> String? in
      var plain = href.percentDecoded ?? href
      if let scheme = plain.firstRange(of: "://") {
        plain = String(plain[scheme.upperBound...].drop { $0 != "/" })
      }
      guard plain.hasPrefix(folder) else { return nil }
      let name = plain.dropFirst(folder.count).prefix { $0 != "/" }
      return name.isEmpty ? nil : String(name)
    }
    return Set(names).sorted()
  }

  // MARK: Servers that list nothing

  /// The names that were written below a folder, as far as their files are there.
  private func listed(_ folder: String) async throws(Problem) -> [String] {
    let prefix = folder.isEmpty ? "" : folder + "/"
    var names: Set<String> = []
    for path in try await inventory() where path.hasPrefix(prefix) {
      let rest = path.dropFirst(prefix.count)
      let name = String(rest.prefix { $0 != "/" })
      guard !names.contains(name), try await size(of: path) != nil else { continue }
      names.insert(name)
    }
    return names.sorted()
  }

  private func inventory() async throws(Problem) -> [String] {
    let bytes = try await get(Self.inventory, maxBytes: Self.maxInventoryBytes)?.bytes ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Names a file before it is written, so that none is ever there without its name.
  private func note(_ path: String) async throws(Problem) {
    guard path != FeedLayout.lock, path != Self.inventory else { return }
    if books.withLock({ $0.lists }) == nil { _ = try await list(FeedLayout.privateFolder) }
    guard books.withLock({ $0.lists }) == false else { return }
    var paths = try await inventory()
    guard !paths.contains(path) else { return }
    paths.append(path)
    let answer = try await ask(
      "PUT", Self.inventory, fields: [.init("Content-Type", "text/plain")],
      body: Array((paths.sorted().joined(separator: "\n") + "\n").utf8))
    guard [200, 201, 204].contains(answer.status) else {
      throw Problem(host: place, "PUT", Self.inventory, answer)
    }
  }

  private func ask(
    _ method: String, _ path: String, fields: [HostRequest.Field] = [], body: [UInt8]? = nil,
    maxAnswerBytes: Int = 64 << 10
  ) async throws(Problem) -> HostAnswer {
    let own = authorization.map { [HostRequest.Field("Authorization", $0)] } ?? []
    let encoded = percentEncoded(path, keeping: { $0 == UInt8(ascii: "/") })
    return try await requests.send(
      HostRequest(
        method, base.text + encoded, fields: own + fields, body: body, maxAnswerBytes: maxAnswerBytes))
  }
}

/// What a publisher shows to a web server, from the environment or from `.netrc`.
enum WebCredentials {
  /// The value of `Authorization`; `nil` when there is nothing for this host.
  static func authorization(
    for address: WebAddress, _ environment: [String: String], files: (String) -> String?
  ) -> String? {
    if let token = environment["PARSER_OTA_DAV_TOKEN"], !token.isEmpty { return "Bearer \(token)" }
    if let user = environment["PARSER_OTA_DAV_USER"], let password = environment["PARSER_OTA_DAV_PASSWORD"] {
      return basic(user, password)
    }
    let path = environment["NETRC"] ?? "\(environment["HOME"] ?? "")/.netrc"
    guard let (user, password) = files(path).flatMap({ netrc($0, address.host) }) else { return nil }
    return basic(user, password)
  }

  private static func basic(_ user: String, _ password: String) -> String {
    "Basic \(base64(Array("\(user):\(password)".utf8)))"
  }

  /// The entry of a host, or the default one. Source: the form that ftp and curl read.
  private static func netrc(_ text: String, _ host: String) -> (String, String)? {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    var entries: [(host: String?, values: [String: String])] = []
    var index = 0
    while index < words.count {
      if words[index] == "default" {
        entries.append((nil, [:]))
        index += 1
      } else if index + 1 < words.count {
        if words[index] == "machine" {
          entries.append((words[index + 1], [:]))
        } else if !entries.isEmpty {
          entries[entries.count - 1].values[words[index]] = words[index + 1]
        }
        index += 2
      } else {
        index += 1
      }
    }
    let entry = entries.first { $0.host == host } ?? entries.first { $0.host == nil }
    guard let values = entry?.values, let user = values["login"], let password = values["password"] else {
      return nil
    }
    return (user, password)
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      let number = part.enumerated().reduce(0) { $0 | Int($1.element) << (16 - 8 * $1.offset) }
      for place in 0..<4 {
        text.append(place <= part.count ? digits[number >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
