import OTATransfer
import ParserEngine
import Testing

@testable import ParserPages

@Suite("A request that is followed redirect by redirect")
struct RedirectWalkTests {
  private func isMoved(_ hops: [(status: Int, url: String)]) -> Bool? {
    var url = "https://a.example/list"
    var walk = RedirectWalk(SiteRequest(url: url))
    for hop in hops {
      walk.take(.page(Page(status: hop.status, finalURL: url, body: [])), next: SiteRequest(url: hop.url))
      url = hop.url
    }
    walk.take(.page(Page(status: 200, finalURL: url, body: [])), next: nil)
    guard case .page(let page) = walk.answer, walk.next == nil else { return nil }
    return page.isMoved
  }

  @Test("only permanent redirects to another name are a move; www and https are the same site")
  func moves() {
    #expect(isMoved([(301, "https://b.example/")]) == true)
    #expect(isMoved([(308, "https://www.b.example/")]) == true)
    #expect(isMoved([(302, "https://b.example/")]) == false)
    #expect(isMoved([(301, "https://www.a.example/")]) == false)
    #expect(isMoved([(301, "https://a.example/new")]) == false)
    #expect(isMoved([]) == false)
    #expect(isMoved([(302, "https://a.example/x"), (301, "https://b.example/")]) == true)
    #expect(isMoved([(301, "https://b.example/"), (302, "https://c.example/")]) == false)
  }

  @Test("circles end")
  func circle() {
    var walk = RedirectWalk(SiteRequest(url: "https://a.example/"))
    var hops = 0
    while let next = walk.next, hops < 100 {
      walk.take(.page(Page(status: 302, finalURL: next.url, body: [])), next: next)
      hops += 1
    }
    #expect(hops == RedirectWalk.maxRedirects + 1)
    guard case .fault(let fault) = walk.answer else {
      Issue.record("a circle has no page")
      return
    }
    #expect(fault.code == "too-many-redirects")
  }
}
