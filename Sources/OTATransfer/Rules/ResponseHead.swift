/// One answer's status and the few fields that decide something, read line by line.
struct ResponseHead: Equatable {
  private static let kept: Set<String> = [
    "cache-control", "content-encoding", "content-length", "content-range", "content-type", "etag",
    "last-modified", "retry-after", "transfer-encoding",
  ]
  /// Fields that are lists: a second line goes on with the first.
  private static let lists: Set<String> = ["cache-control", "content-encoding", "transfer-encoding"]

  private(set) var status = 0
  /// The empty line has been read.
  private(set) var isComplete = false
  private var fields: [String: String] = [:]
  private let alsoKept: Set<String>

  /// A head of which nothing was read yet.
  ///
  /// - Parameter alsoKeeping: names of further fields, in lower case.
  init(alsoKeeping: Set<String> = []) { alsoKept = alsoKeeping }

  /// Takes one line with its end. A status line forgets everything before it: a redirect, or a 1xx answer.
  mutating func take(line: some Collection<UInt8>) {
    let content = line.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
    if content.starts(with: "HTTP/".utf8) {
      self = ResponseHead(alsoKeeping: alsoKept)
      status = Self.status(content)
    } else if content.isEmpty {
      isComplete = status != 0
    } else if let colon = content.firstIndex(of: UInt8(ascii: ":")) {
      keep(content[..<colon], content[content.index(after: colon)...])
    }
  }

  subscript(name: String) -> String? { fields[name] }

  /// `Content-Length` as a number; `nil` when it is missing or not one.
  var contentLength: Int? { fields["content-length"].flatMap(Self.number) }

  /// `Content-Range: bytes first-last/total`; `nil` when it is missing, malformed or contradicts itself.
  var contentRange: (first: Int, last: Int, total: Int?)? {
    guard let text = fields["content-range"], text.lowercased().hasPrefix("bytes ") else { return nil }
    let parts = text.dropFirst("bytes ".count).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last
    else { return nil }
    if parts[1] == "*" { return (first, last, nil) }
    guard let total = Self.number(String(parts[1])), last < total else { return nil }
    return (first, last, total)
  }

  private mutating func keep(_ name: some Collection<UInt8>, _ value: some Collection<UInt8>) {
    let name = String(decoding: name, as: UTF8.self).lowercased()
    guard Self.kept.contains(name) || alsoKept.contains(name) else { return }
    let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let trimmed = Array(value.drop(while: isSpace)).reversed().drop(while: isSpace).reversed()
    let text = String(decoding: Array(trimmed), as: UTF8.self)
    if Self.lists.contains(name), let before = fields[name] {
      fields[name] = before + ", " + text
    } else {
      fields[name] = text
    }
  }

  private static func status(_ line: some Collection<UInt8>) -> Int {
    let digits = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix(3)
    return number(String(decoding: digits, as: UTF8.self)) ?? 0
  }

  /// Digits only: no sign, no space.
  private static func number(_ text: String) -> Int? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
  }
}
