internal import OTAManifest
internal import ParserEngine

/// Reads the index of a recording; strict on what it knows, and with a limit on every list.
struct FixtureIndex {
  /// A page that a request was answered with, before its file is read.
  struct StoredPage {
    let status: Int
    let finalURL: String
    let charset: String?
    let digest: Digest
    let bytes: Int
    let isMoved: Bool
  }

  enum StoredAnswer {
    case page(StoredPage)
    case fault(PageFault)
  }

  struct StoredRequest {
    let method: String
    let url: String
    let body: String
    let answer: StoredAnswer

    /// The size of the page; 0 for a fault.
    var pageBytes: Int { if case .page(let page) = answer { page.bytes } else { 0 } }
  }

  let source: SourceID
  let domain: String
  let recorded: Timestamp
  let bundle: Digest
  let steps: [Fixture.Step]
  let requests: [StoredRequest]

  private static let known = ["format", "source", "domain", "recorded", "bundle", "steps", "requests"]

  init(_ bytes: [UInt8]) throws(InputError) {
    let document = try JSONReader.read(bytes, maxBytes: Fixture.maxIndexBytes, maxDepth: 32)
    let object = try JSONObject(document, known: Self.known)
    let format = try object.integer("format")
    guard format == Fixture.format else {
      throw InputError(
        .outOfRange, field: "format",
        "is \(format); this version reads \(Fixture.format): record the source again")
    }
    source = try object.value("source", "is no id of a source") { SourceID($0) }
    domain = try object.string("domain")
    recorded = try object.value("recorded", "is no moment such as 2026-06-11T09:12:44Z") { Timestamp($0) }
    bundle = try object.value("bundle", "is not 64 hexadecimal digits") { Digest(hex: $0) }
    steps = try object.list("steps", 0...Fixture.maxSteps, Self.step)
    requests = try object.list("requests", 0...Fixture.maxExchanges, Self.request)
    let bytes = requests.reduce(0) { $0 + $1.pageBytes }
    guard bytes <= Fixture.maxTotalBytes else {
      throw InputError(
        .tooLarge, field: "requests", "have pages of \(bytes) bytes, more than \(Fixture.maxTotalBytes)")
    }
  }

  private static func step(_ object: JSONObject) throws(InputError) -> Fixture.Step {
    let method = try object.value("method", "is not list, search, details or pages") {
      ParserCall.Method(rawValue: $0)
    }
    let arguments = try object.object("arguments")
    let answer = try object.object("answer")
    let read: ParserAnswer
    switch method {
    case .list, .search:
      read = .list(
        try answer.list("titles", 0...ParserAnswer.maxItems) { entry throws(InputError) in
          ParserAnswer.Entry(title: try entry.string("title"), url: try entry.string("url"))
        })
    case .details:
      let chapters = try answer.integer("chapters", in: 0...1_000_000)
      read = .details(title: try answer.string("title"), chapters: Int(chapters))
    case .pages: read = .pages(try answer.strings("pages", 0...ParserAnswer.maxItems))
    }
    return Fixture.Step(method, .object(arguments.members), answer: read)
  }

  private static func request(_ object: JSONObject) throws(InputError) -> StoredRequest {
    let method = try object.value("method", "is not GET, HEAD or POST") {
      ["GET", "HEAD", "POST"].contains($0) ? $0 : nil
    }
    let body = try object.optional("body") { name throws(InputError) in try object.string(name) }
    let answer: StoredAnswer =
      if object["fault"] == nil { .page(try page(object)) } else { .fault(try fault(object)) }
    return StoredRequest(method: method, url: try object.string("url"), body: body ?? "", answer: answer)
  }

  private static func page(_ object: JSONObject) throws(InputError) -> StoredPage {
    StoredPage(
      status: Int(try object.integer("status", in: 100...999)), finalURL: try object.string("finalURL"),
      charset: try object.optional("charset") { name throws(InputError) in try object.string(name) },
      digest: try object.value("page", "is not 64 hexadecimal digits") { Digest(hex: $0) },
      bytes: Int(try object.integer("bytes", in: 0...Int64(Fixture.maxPageBytes))),
      isMoved: try object.optional("moved", object.bool) ?? false)
  }

  private static func fault(_ object: JSONObject) throws(InputError) -> PageFault {
    let fault = try object.object("fault")
    let status = try fault.optional("status") { name throws(InputError) in
      Int(try fault.integer(name, in: 100...999))
    }
    return PageFault(
      code: try fault.string("code"), message: try fault.string("message"), url: try object.string("url"),
      status: status)
  }
}

extension JSONObject {
  /// A string member that `read` makes something of.
  fileprivate func value<Value>(
    _ name: String, _ refusal: String, _ read: (String) -> Value?
  ) throws(InputError) -> Value {
    guard let value = read(try string(name)) else {
      throw InputError(.malformed, field: path(of: name), refusal)
    }
    return value
  }

  /// An array of objects, within a limit on their number.
  fileprivate func list<Item>(
    _ name: String, _ count: ClosedRange<Int>, _ read: (JSONObject) throws(InputError) -> Item
  ) throws(InputError) -> [Item] {
    var items: [Item] = []
    for (index, value) in try bounded(name, count).enumerated() {
      items.append(try read(JSONObject(value, path: "\(path(of: name))[\(index)]")))
    }
    return items
  }

  /// An array of strings, within a limit on their number.
  fileprivate func strings(_ name: String, _ count: ClosedRange<Int>) throws(InputError) -> [String] {
    var texts: [String] = []
    for (index, value) in try bounded(name, count).enumerated() {
      guard case .string(let text) = value else {
        throw InputError(
          .wrongType, field: "\(path(of: name))[\(index)]", "is \(value.kindName), not a string")
      }
      texts.append(text)
    }
    return texts
  }

  private func bounded(_ name: String, _ count: ClosedRange<Int>) throws(InputError) -> [JSONValue] {
    let items = try array(name)
    guard count.contains(items.count) else {
      throw InputError(
        .outOfRange, field: path(of: name),
        "has \(items.count) items, not \(count.lowerBound) to \(count.upperBound)")
    }
    return items
  }
}
