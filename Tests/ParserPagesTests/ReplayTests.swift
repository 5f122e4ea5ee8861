import ParserEngine
import Testing

@testable import ParserPages

private func page(_ text: String) -> PageAnswer {
  .page(Page(status: 200, finalURL: "https://a/", body: Array(text.utf8)))
}

@Suite("Replaying a recording")
struct ReplayTests {
  private func answer(_ pages: FixturePages, _ url: String, _ body: String? = nil) async -> PageAnswer {
    await pages.answer(
      PageRequest(method: body == nil ? "GET" : "POST", url: url, body: body.map { Array($0.utf8) }))
  }

  @Test("what passes through is recorded, faults too, and replayed in the same order")
  func recordAndReplay() async {
    let fault = PageAnswer.fault(PageFault(.timedOut, "slow", url: "https://a/slow"))
    let live = StubPages(["https://a/1": page("one"), "https://a/slow": fault], fallback: page("other"))
    let recording = RecordingPages(live)
    for url in ["https://a/1", "https://a/slow", "https://a/2"] {
      _ = await recording.answer(PageRequest(method: "get", url: url))
    }
    #expect(recording.exchanges.map(\.method) == ["GET", "GET", "GET"])
    let replay = FixturePages(recording.exchanges)
    #expect(await answer(replay, "https://a/1") == page("one"))
    #expect(await answer(replay, "https://a/slow") == fault)
    #expect(await answer(replay, "https://a/2") == page("other"))
  }

  @Test("a parser that asks without an end is stopped at the limit of a recording")
  func limits() async {
    let large = PageAnswer.page(
      Page(status: 200, finalURL: "https://a/", body: Array(repeating: 0, count: 1 << 20)))
    let recording = RecordingPages(StubPages(fallback: large))
    let request = PageRequest(method: "GET", url: "https://a/")
    for _ in 0..<(Fixture.maxTotalBytes >> 20) { _ = await recording.answer(request) }
    guard case .fault(let fault) = await recording.answer(request) else {
      Issue.record("more was recorded than may be")
      return
    }
    #expect(fault.code == "too-large")
    #expect(recording.exchanges.count == Fixture.maxTotalBytes >> 20)
  }

  @Test("the answers to one request come in turn, and the last one stays")
  func turns() async {
    let pages = FixturePages(
      ["first", "second"].map { Exchange(method: "GET", url: "https://a/", answer: page($0)) })
    #expect(await answer(pages, "https://a/") == page("first"))
    #expect(await answer(pages, "https://a/") == page("second"))
    #expect(await answer(pages, "https://a/") == page("second"))
  }

  @Test("a request that was not recorded is named", arguments: ["https://a/other", "https://a/?p=2"])
  func notRecorded(url: String) async {
    let pages = FixturePages([Exchange(method: "GET", url: "https://a/?p=1", answer: page("x"))])
    guard case .fault(let fault) = await answer(pages, url) else {
      Issue.record("a page came")
      return
    }
    #expect(fault.code == "not-recorded" && fault.message.contains("GET \(url)"))
  }

  @Test("method and body belong to the request")
  func forms() async {
    let pages = FixturePages([
      Exchange(method: "POST", url: "https://a/", body: Array("p=1".utf8), answer: page("one")),
      Exchange(method: "POST", url: "https://a/", body: Array("p=2".utf8), answer: page("two")),
    ])
    #expect(await answer(pages, "https://a/", "p=2") == page("two"))
    #expect(await answer(pages, "https://a/") != page("one"))
  }

  @Test(
    "two spellings of one address are one request",
    arguments: [
      ("HTTPS://Example.org:443/a?b#c", "https://example.org/a?b"), ("http://a:80", "http://a/"),
      ("https://a?x=1", "https://a/?x=1"), ("https://a/b c", "https://a/b%20c"),
    ])
  func spellings(left: String, right: String) {
    #expect(
      RequestKey(method: "get", url: left, body: []) == RequestKey(method: "GET", url: right, body: []))
  }

  @Test(
    "two addresses are two requests",
    arguments: [
      ("https://a/x", "http://a/x"), ("https://a:444/", "https://a/"), ("https://a/X", "https://a/x"),
      ("https://a/?a=1&b=2", "https://a/?b=2&a=1"),
    ])
  func differences(left: String, right: String) {
    #expect(
      RequestKey(method: "GET", url: left, body: []) != RequestKey(method: "GET", url: right, body: []))
  }

  @Test("a moment in a query does not hide a recorded page, but an exact request comes first")
  func moments() async {
    let pages = FixturePages([
      Exchange(method: "GET", url: "https://a/?_=1700000000001", answer: page("one")),
      Exchange(method: "GET", url: "https://a/?_=1700000000002", answer: page("two")),
      Exchange(method: "GET", url: "https://a/?id=1700", answer: page("id")),
    ])
    #expect(await answer(pages, "https://a/?_=1700000000002") == page("two"))
    #expect(await answer(pages, "https://a/?_=1799999999999") == page("one"))
    #expect(await answer(pages, "https://a/?id=1701") != page("id"))
  }
}
