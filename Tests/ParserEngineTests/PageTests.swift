import OTAManifest
import ParserEngine
import Synchronization
import Testing

/// Answers from a table of URLs, and remembers what was asked.
private final class TablePages: PageProvider {
  let answers: [String: PageAnswer]
  private let asked = Mutex<[PageRequest]>([])

  init(_ answers: [String: PageAnswer]) { self.answers = answers }

  var requests: [PageRequest] { asked.withLock { $0 } }

  func answer(_ request: PageRequest) async -> PageAnswer {
    asked.withLock { $0.append(request) }
    return answers[request.url]
      ?? .page(Page(status: 200, finalURL: request.url, body: Array(request.url.utf8)))
  }
}

@Suite("A request of a parser") struct PageTests {
  private let own: [PageRequest.Header] = [
    .init("X-Own", "parser"), .init("Referer", "https://own.invalid/"),
  ]

  /// The expression, whether the parser is known by it, and the headers that it adds.
  private let expressions: [(String, Bool, [String])] = [
    ("httpGet(u)", false, []), ("httpGet(u, this)", true, []),
    ("httpGet(u, { Accept: 'x' }, this)", true, ["Accept: x"]),
    ("httpGet(u, this, { Accept: 'x' })", true, ["Accept: x"]), ("httpGet(u, null, this)", true, []),
    ("httpGet(u, new Headers({ accept: 'x' }))", false, ["accept: x"]),
    ("httpGet(u, { 'x-OWN': 'call' }, this)", true, ["x-OWN: call"]),
    ("httpPost(u, 'a=1', { Accept: 'x' }, this)", true, ["Accept: x"]),
    ("httpPost(u, 'a=1', {}, this)", true, []), ("httpPost(u, 'a=1', this)", true, []),
    ("httpPost(u, new URLSearchParams({ a: 1 }), {}, this)", true, []),
  ]

  @Test("is understood however it counts its arguments")
  func arguments() async throws {
    let pages = TablePages([:])
    let session = try await Engines.session(
      bundle(
        list: """
          const u = 'https://site.invalid/a'; this.headers = { 'X-Own': 'parser', Referer: 'https://own.invalid/' };
          return eval('this.context.' + filter.query);
          """),
      pages: pages)
    for (expression, hasParser, extra) in expressions {
      let asked = call(.search, [JSONMember("query", .string(expression))])
      #expect(try await session.call(asked) == .string("https://site.invalid/a"))
      let request = try #require(pages.requests.last)
      let isPost = expression.hasPrefix("httpPost")
      #expect(request.method == (isPost ? "POST" : "GET"), "\(expression)")
      #expect(request.body == (isPost ? Array("a=1".utf8) : nil), "\(expression)")
      #expect(request.domain == (hasParser ? "site.invalid" : ""), "\(expression)")
      #expect(request.source == (hasParser ? "ALPHA" : nil), "\(expression)")
      #expect(request.headers == merged(hasParser ? own : [], extra), "\(expression)")
    }
    await session.close()
  }

  /// The fields of the parser under those of the call, as `Name: value`; upper and lower case are one name.
  private func merged(_ own: [PageRequest.Header], _ extra: [String]) -> [PageRequest.Header] {
    var fields = own
    for line in extra {
      let parts = line.split(separator: ": ").map(String.init)
      let field = PageRequest.Header(parts[0], parts[1])
      if let index = fields.firstIndex(where: { $0.name.lowercased() == field.name.lowercased() }) {
        fields[index] = field
      } else {
        fields.append(field)
      }
    }
    return fields
  }

  /// The body, the encoding that the answer names, and the text that the parser gets.
  private let texts: [([UInt8], String?, String)] = [
    ([0xE6, 0xBC, 0xAB], nil, "漫"), ([0x96, 0x9F], "Shift_JIS", "漫"), ([0xB8, 0xB8], "euc-kr", "만"),
    ([0xEF, 0xBB, 0xBF, 0x61], nil, "a"), ([0xFF, 0xFE, 0x2B, 0x6F], nil, "漫"),
    (Array("<meta charset=\"shift_jis\">".utf8) + [0x96, 0x9F], nil, "<meta charset=\"shift_jis\">漫"),
    ([0xE6, 0xBC, 0xAB], "no-such-encoding", "漫"), ([0x61, 0xFF, 0x62], nil, "a\u{FFFD}b"), ([], nil, ""),
  ]

  @Test("comes back as text in the encoding that the answer, the bytes or the page name")
  func text() async throws {
    var answers: [String: PageAnswer] = [:]
    for (number, (body, charset, _)) in texts.enumerated() {
      let url = "https://site.invalid/\(number)"
      answers[url] = .page(Page(status: 200, finalURL: url, charset: charset, body: body))
    }
    let session = try await Engines.session(
      bundle(list: "return this.context.httpGet(filter.query, this);"), pages: TablePages(answers))
    for (number, (_, _, expected)) in texts.enumerated() {
      let asked = call(.search, [JSONMember("query", .string("https://site.invalid/\(number)"))])
      #expect(try await session.call(asked) == .string(expected), "\(expected)")
    }
    await session.close()
  }

  @Test("of a megabyte keeps every byte on its way")
  func large() async throws {
    let url = "https://site.invalid/a"
    let body = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: 0x20 + $0 % 90) }
    let pages = TablePages([url: .page(Page(status: 200, finalURL: url, charset: "iso-8859-1", body: body))])
    let session = try await Engines.session(
      bundle(list: "return this.context.httpGet('\(url)', this);"), pages: pages)
    #expect(try await session.call(call(.list)) == .string(String(decoding: body, as: UTF8.self)))
    await session.close()
  }

  @Test("that moved to another host takes its parser along")
  func moved() async throws {
    let pages = TablePages([
      "https://site.invalid/a": .page(Page(status: 200, finalURL: "https://new.invalid:8080/a", body: []))
    ])
    let session = try await Engines.session(
      bundle(
        list: """
          await this.context.httpGet('https://site.invalid/a', this);
          await this.context.httpGet('https://' + this.domain + '/b', this);
          return this.domain;
          """),
      pages: pages)
    #expect(try await session.call(call(.list)) == .string("new.invalid:8080"))
    #expect(pages.requests.last?.url == "https://new.invalid:8080/b")
    #expect(pages.requests.last?.domain == "new.invalid:8080")
    await session.close()
  }

  @Test("without a page is told as that, and not as a fault of the parser")
  func faults() async throws {
    let fault = PageFault(
      code: "challenge", message: "a challenge page", url: "https://site.invalid/a", status: 403)
    let pages = TablePages([
      "https://site.invalid/a": .fault(fault),
      "https://site.invalid/b": .page(Page(status: 404, finalURL: "https://site.invalid/b", body: [1])),
    ])
    let session = try await Engines.session(
      bundle(
        list: "return this.context.httpGet('https://site.invalid/a', this);",
        details: "return this.context.httpGet('https://site.invalid/b', this);",
        pages:
          "try { return await this.context.httpGet('https://site.invalid/a', this); } catch (e) { return e.message; }"
      ),
      pages: pages)
    func page(_ method: ParserCall.Method) async -> PageFault? {
      guard case .call(let found) = await Engines.error(of: { _ = try await session.call(call(method)) })
      else {
        return nil
      }
      #expect(found.name == "PageError")
      return found.page
    }
    #expect(await page(.list) == fault)
    #expect(
      await page(.details)
        == PageFault(code: "http-status", message: "HTTP 404", url: "https://site.invalid/b", status: 404))
    #expect(try await session.call(call(.pages)) == .string("a challenge page"))
    await session.close()
  }
}

@Suite("Base64") struct Base64Tests {
  @Test("knows the vectors of RFC 4648, and refuses what is none")
  func vectors() {
    let vectors = [
      "": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "fooba": "Zm9vYmE=",
      "foobar": "Zm9vYmFy",
    ]
    for (plain, text) in vectors {
      #expect(Base64Text.encode(Array(plain.utf8)) == text)
      #expect(Base64Text.decode(text) == Array(plain.utf8))
    }
    for text in ["Z", "Zg", "Zg=", "Z===", "Zg==Zg==", "Zm9v\n", "Zm 9", "====", "Zm9=v"] {
      #expect(Base64Text.decode(text) == nil, "\(text)")
    }
    let all = (0...255).map { UInt8($0) }
    #expect(Base64Text.decode(Base64Text.encode(all)) == all)
  }
}
