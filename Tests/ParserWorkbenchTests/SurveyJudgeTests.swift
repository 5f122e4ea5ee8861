import OTAManifest
import ParserEngine
import ParserPages
import Testing

@testable import ParserWorkbench

private func page(_ status: Int = 200, _ url: String = "https://a.example/list", moved: Bool = false)
  -> PageAnswer
{
  var page = Page(status: status, finalURL: url, body: [])
  page.isMoved = moved
  return .page(page)
}

private func exchange(_ answer: PageAnswer, _ url: String = "https://a.example/list") -> Exchange {
  Exchange(method: "GET", url: url, answer: answer)
}

private func fault(_ code: PageFaultCode, status: Int? = nil) -> PageAnswer {
  .fault(PageFault(code, "words", url: "https://a.example/list", status: status))
}

private let nothing = StepOutcome.answered(.list([]))
private let something = StepOutcome.answered(.list([ParserAnswer.Entry(title: "A", url: "/a")]))
private let thrown = StepOutcome.failed(StepFailure(.parser, "TypeError: x", line: 3, column: 9))

@Suite("What a step of a survey comes to")
struct SurveyJudgeTests {
  private func verdict(_ outcome: StepOutcome, _ exchanges: [Exchange]) -> SurveyVerdict {
    SurveyJudge(outcome: outcome, exchanges: exchanges, host: "a.example").step(.list).verdict
  }

  @Test(
    "the truth table: a parser is not to blame for what its site did",
    arguments: [
      (something, page(), SurveyVerdict.ok), (nothing, page(), .empty), (thrown, page(), .fault),
      (thrown, page(500), .status), (nothing, page(503), .status), (something, page(500), .ok),
      (thrown, page(403), .blocked), (thrown, page(429), .blocked), (thrown, page(451), .blocked),
      (thrown, page(401), .login), (nothing, page(200, "https://a.example/login?next=/list"), .login),
      (nothing, page(200, "https://a.example/blogins"), .empty), (thrown, page(404), .status),
      (thrown, fault(.challenge, status: 503), .challenge), (thrown, fault(.unknownHost), .dns),
      (thrown, fault(.tls), .tls), (nothing, fault(.timedOut), .timeout),
      (thrown, fault(.unreachable), .unreachable),
      (thrown, fault(.truncated), .answer), (thrown, fault(.tooManyRedirects), .answer),
      (thrown, fault(.refusedURL), .fault), (thrown, fault(.refusedURL, status: 302), .answer),
      (thrown, fault(.notRecorded), .unknown), (thrown, fault(.proxy), .unknown),
      (something, page(200, "https://b.example/list", moved: true), .moved),
      (thrown, page(404, "https://b.example/list", moved: true), .moved),
    ])
  func table(outcome: StepOutcome, answer: PageAnswer, expected: SurveyVerdict) {
    #expect(verdict(outcome, [exchange(answer)]) == expected)
  }

  @Test("a page that is missing on the way is no excuse for what the parser does with the next one")
  func missingOnTheWay() {
    let missing = exchange(page(404), "https://a.example/ajax")
    #expect(verdict(thrown, [missing, exchange(page())]) == .fault)
    #expect(verdict(thrown, [exchange(page()), missing]) == .status)
  }

  @Test("pictures on another host that moved do not move the source")
  func otherHost() {
    let picture = exchange(page(200, "https://c.example/1", moved: true), "https://cdn.example/1")
    #expect(verdict(something, [exchange(page()), picture]) == .ok)
  }
}
