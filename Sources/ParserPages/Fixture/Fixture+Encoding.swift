internal import OTACrypto
internal import OTAManifest
internal import ParserEngine

/// The files of a recording: an index, and a file for each page under its digest.
struct FixtureFiles: Equatable {
  /// The bytes of `fixture.json`.
  let index: [UInt8]
  /// The pages by their digests in hexadecimal, each once.
  let pages: [String: [UInt8]]

  init(index: [UInt8], pages: [String: [UInt8]]) {
    self.index = index
    self.pages = pages
  }

  /// The files for a recording; the same for the same recording.
  init(_ fixture: Fixture) throws(CryptoError) {
    var pages: [String: [UInt8]] = [:]
    var requests: [JSONValue] = []
    for exchange in fixture.exchanges {
      if case .page(let page) = exchange.answer {
        let name = try sha256(page.body).hex
        pages[name] = page.body
        requests.append(.object(Self.members(of: exchange) + Self.members(of: page, file: name)))
      } else if case .fault(let fault) = exchange.answer {
        requests.append(.object(Self.members(of: exchange) + [JSONMember("fault", Self.value(fault))]))
      }
    }
    let document = JSONValue.object([
      JSONMember("format", .integer(Fixture.format)), JSONMember("source", .string(fixture.source.text)),
      JSONMember("domain", .string(fixture.domain)),
      JSONMember("recorded", .string(fixture.recorded.description)),
      JSONMember("bundle", .string(fixture.bundle.hex)),
      JSONMember("steps", .array(fixture.steps.map(Self.value))), JSONMember("requests", .array(requests)),
    ])
    index = document.encoded(indented: true)
    self.pages = pages
  }

  private static func members(of exchange: Exchange) -> [JSONMember] {
    var members = [JSONMember("method", .string(exchange.method)), JSONMember("url", .string(exchange.url))]
    if !exchange.body.isEmpty {
      members.append(JSONMember("body", .string(String(decoding: exchange.body, as: UTF8.self))))
    }
    return members
  }

  private static func members(of page: Page, file: String) -> [JSONMember] {
    var members = [
      JSONMember("status", .integer(Int64(page.status))), JSONMember("finalURL", .string(page.finalURL)),
    ]
    if let charset = page.charset { members.append(JSONMember("charset", .string(charset))) }
    if page.isMoved { members.append(JSONMember("moved", .bool(true))) }
    return members + [
      JSONMember("page", .string(file)), JSONMember("bytes", .integer(Int64(page.body.count))),
    ]
  }

  private static func value(_ fault: PageFault) -> JSONValue {
    var members = [JSONMember("code", .string(fault.code)), JSONMember("message", .string(fault.message))]
    if let status = fault.status { members.append(JSONMember("status", .integer(Int64(status)))) }
    return .object(members)
  }

  private static func value(_ step: Fixture.Step) -> JSONValue {
    .object([
      JSONMember("method", .string(step.method.rawValue)), JSONMember("arguments", step.arguments),
      JSONMember("answer", value(step.answer)),
    ])
  }

  private static func value(_ answer: ParserAnswer) -> JSONValue {
    switch answer {
    case .list(let entries):
      let items = entries.map { entry in
        JSONValue.object([
          JSONMember("title", .string(entry.title)), JSONMember("url", .string(entry.url)),
        ])
      }
      return .object([JSONMember("titles", .array(items))])
    case .details(let title, let chapters):
      return .object([
        JSONMember("title", .string(title)), JSONMember("chapters", .integer(Int64(chapters))),
      ])
    case .pages(let urls): return .object([JSONMember("pages", .array(urls.map(JSONValue.string)))])
    }
  }
}
