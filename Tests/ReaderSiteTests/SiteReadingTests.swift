import OTAManifest
import OTATransfer
import ParserEngine
import ParserPublisher
import ParserWorkbench
import TestSupport
import Testing

@testable import ParserPages

@Suite("Reading sites with a parser in the engine", .serialized)
struct SiteReadingTests {
  private static let first = CallArguments.list(page: 1, order: "UPDATED")

  @Test(
    "a parser reads a site behind nginx and a scripted one, and what is no fault of its own is named",
    .enabled(if: NginxServer.program != nil, "nginx is not installed"))
  func sites() async throws {
    let (site, server) = (try StaticSite(), try ScriptedSite.start())
    defer { server.stop() }
    try site.waitUntilUp()
    let folder = try TemporaryDirectory()
    let bundle = try ReaderBundle(
      ScriptedSite.sources(server) + [
        ReaderSource(id: "UTF8", domain: site.domain),
        ReaderSource(id: "SJIS", domain: site.domain, overrides: ["listPath": "/sjis/list"]),
        ReaderSource(id: "EUCKR", domain: site.domain, overrides: ["listPath": "/euckr/list"]),
      ]
    ).load(in: folder)
    var policy = SitePolicy()
    policy.allowsLoopback = true
    policy.keptFields = ["cf-mitigated"]
    policy.transfer.certificateFile = site.tls.authorityFile
    let pages = SitePages(fetcher: CurlSiteFetcher(policy: policy))
    let session = try await BundleSession(bundle, engine: Engines.engine(), pages: pages)
    try await readFiles(session, site)
    try await readScripts(session)
    await nameFaults(session)
    await session.close()
  }

  /// List, details and pages; gzip, two old encodings, and a move to another host.
  private func readFiles(_ session: BundleSession, _ site: StaticSite) async throws {
    let utf8 = try #require(SourceID("UTF8"))
    let list = try await session.call(.list, of: utf8, Self.first)
    #expect(list.texts("title") == [StaticSite.japanese, "Two"])
    #expect(list.texts("url") == ["/m/1", "/m/2"])
    let details = try await session.call(.details, of: utf8, CallArguments.details(url: "/m/2"))
    #expect(details["title"] == .string("Work 2"))
    #expect(details["chapters"]?.texts("url") == ["/c/2/1", "/c/2/2"])
    let images = try await session.call(.pages, of: utf8, CallArguments.pages(url: "/c/2/1"))
    #expect(images.texts("url") == ["\(site.nginx.url)i/1.png", "\(site.nginx.url)i/2.png"])
    for (source, title) in [("SJIS", StaticSite.japanese), ("EUCKR", StaticSite.korean)] {
      let list = try await session.call(.list, of: #require(SourceID(source)), Self.first)
      #expect(list.texts("title") == [title])
    }
    let moved = try await session.call(.details, of: utf8, CallArguments.details(url: "/old/m/1"))
    #expect(moved["title"] == .string("Work 1"))
    #expect(moved["domain"] == .string("localhost:\(site.port)"))
  }

  /// A form that wants a cookie, a query, and bytes that are no text.
  private func readScripts(_ session: BundleSession) async throws {
    let form = try #require(SourceID("FORM"))
    let details = try await session.call(.details, of: form, CallArguments.details(url: "/m/1"))
    #expect(details["chapters"]?.texts("title") == ["Nine"])
    let found = try await session.call(
      .search, of: form, CallArguments.search("b c", page: 2, order: "UPDATED"))
    #expect(found.texts("title") == ["/search?q=b%20c"])
    let binary = try await session.call(.list, of: #require(SourceID("BINARY")), Self.first)
    let bytes = binary.texts("title").first?.unicodeScalars.map { UInt8($0.value & 0xFF) }
    #expect(bytes == ScriptedSite.binary)
  }

  /// Pages that could not be had are told apart from a parser that throws.
  private func nameFaults(_ session: BundleSession) async {
    func failure(_ source: String, _ method: ParserCall.Method, _ arguments: JSONValue) async -> StepFailure?
    {
      guard let id = SourceID(source) else { return nil }
      do {
        _ = try await session.call(method, of: id, arguments)
        return nil
      } catch {
        return StepFailure(error)
      }
    }
    let expected = [
      ("GONE", "http-status", 404), ("CHALLENGE", "challenge", 503), ("HUGE", "too-large", 200),
    ]
    for (source, code, status) in expected {
      let failure = await failure(source, .list, Self.first)
      #expect(failure?.page?.code == code && failure?.page?.status == status, "\(source)")
      #expect(failure?.kind == .page)
    }
    let broken = await failure("BROKEN", .details, CallArguments.details(url: "/m/1"))
    #expect(broken?.kind == .parser && broken?.line != nil && broken?.column != nil)
    #expect(broken?.message.hasPrefix("TypeError: ") == true, "\(String(describing: broken))")
  }

  @Test("a page that never comes ends the call at its limit, and the engine goes on")
  func hang() async throws {
    let server = try ScriptedSite.start()
    defer { server.stop() }
    let folder = try TemporaryDirectory()
    let bundle = try ReaderBundle(ScriptedSite.sources(server)).load(in: folder)
    let session = try await BundleSession(
      bundle, engine: Engines.engine(callTime: .seconds(2)), pages: SitePages(allowsLoopback: true))
    let (hang, reader) = (try #require(SourceID("HANG")), try #require(SourceID("READER")))
    await #expect(throws: EngineError.callTimedOut(.seconds(2))) {
      try await session.call(.list, of: hang, Self.first)
    }
    let list = try await session.call(.list, of: reader, Self.first)
    #expect(list.texts("title") == ["One", "Two"])
    await session.close()
  }
}
