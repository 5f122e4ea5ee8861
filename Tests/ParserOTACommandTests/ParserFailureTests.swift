import OTAManifest
import ParserEngine
import ParserPages
import ParserPublisher
import Testing

@testable import ParserOTACommand

@Suite("Who is at fault when a parser gives nothing")
struct ParserFailureTests {
  private func failure(_ error: EngineError) -> CommandFailure {
    ParserVerb.failure(error, of: "list of ABC", in: "parsers.bundle.js")
  }

  @Test("a parser that throws is named with its place, and ends with 1")
  func thrown() {
    let fault = CallFault(
      name: "TypeError", message: "this.x is not a function", script: "parsers.bundle.js", line: 12, column: 3
    )
    let failure = failure(.call(fault))
    #expect(failure.status == .notAchieved && failure.code == "parser-failed")
    #expect(
      failure.message
        == "list of ABC failed: TypeError: this.x is not a function (parsers.bundle.js:12:3)")
    #expect(failure.hint?.contains("the parser is at fault") == true)
    #expect(failure.payload.map(\.value) == [.integer(12), .integer(3)])
  }

  @Test(
    "a page that could not be had ends with 4, unless the parser asked for what nobody may have",
    arguments: PageFaultCode.allCases)
  func pages(code: PageFaultCode) {
    let page = PageFault(code, "something happened", url: "https://abc.example/", status: 503)
    let failure = failure(.call(CallFault(name: "PageError", message: "x", page: page)))
    let isOfParser = [.refusedURL, .refusedRequest, .notRecorded].contains(code)
    #expect(failure.status == (isOfParser ? .notAchieved : .tryLater))
    #expect(failure.code == (isOfParser ? "parser-failed" : "page-unavailable"))
    #expect(
      failure.message
        == "list of ABC got no page from https://abc.example/: something happened [\(code.rawValue)]")
    #expect(failure.hint == code.advice)
    #expect(failure.payload.map(\.key) == ["page"])
  }

  @Test("what the engine ended is the parser's fault; what the engine itself lacks is not")
  func engine() {
    let ended: [EngineError] = [
      .callTimedOut(.seconds(45)), .timedOut(during: "list", after: .seconds(2)),
      .outOfMemory(bytes: 2 << 30, limit: 1 << 30), .flooded("messages"), .webProcessGone("crashed"),
      .engineGone("signal"), .malformed("x"),
      .script(ScriptFault(.syntax, script: "parsers.bundle.js", message: "SyntaxError", line: 1, column: 2)),
    ]
    for error in ended { #expect(failure(error).code == "parser-failed", "\(error)") }
    #expect(failure(.notInstalled("/x")).code == "no-engine")
    #expect(failure(.notStarted("no display")).code == "no-engine")
    #expect(failure(.cancelled).status == .tryLater)
  }

  @Test("a recording that is missing, damaged or on a bad disk has three different answers")
  func recordings() throws {
    let source = try #require(SourceID("ABC"))
    #expect(ParserVerb.failure(.missing(path: "fixtures", source)).code == "not-recorded")
    let damaged = ParserVerb.failure(.malformed(path: "f.json", InputError(.syntax, "is no JSON")))
    #expect(damaged.status == .untrustedContent && damaged.code == "fixture-invalid")
  }

  @Test("a traced request tells status, size, time, encoding and where it led; a fault its code")
  func trace() {
    let request = PageRequest(method: "GET", url: "https://abc.example/a\u{1B}[31m")
    let page = Page(status: 200, finalURL: "https://abc.example/b", charset: "shift_jis", body: [1, 2, 3])
    #expect(
      TraceLines.line(PageTrace(request: request, answer: .page(page), duration: .milliseconds(41)))
        == "GET https://abc.example/a\u{FFFD}[31m  200  3 bytes  41 ms  shift_jis  from https://abc.example/b"
    )
    let fault = PageAnswer.fault(PageFault(.timedOut, "slow", url: "https://abc.example/"))
    #expect(
      TraceLines.line(PageTrace(request: request, answer: fault, duration: .seconds(1))).hasSuffix(
        "no page: slow [timed-out]  1000 ms"))
  }

  @Test("a source is found by any spelling, and a slip gets a hint")
  func sources() throws {
    let entry = { (id: String) in
      """
      {"id":"\(id)","className":"A","title":"A","locale":"en","domain":"a.example","family":"A",\
      "isNsfw":false,"overrides":{}}
      """
    }
    let catalog = try SourceCatalog.decode(Array("[\(entry("ASURA")),\(entry("BATO"))]".utf8))
    for name in ["ASURA", "JS_ASURA", "parser:asura"] {
      let found = try ParserVerb.source(name, in: catalog)
      #expect(found.id.text == "ASURA")
    }
    do throws(CommandFailure) {
      _ = try ParserVerb.source("ASUAR", in: catalog)
      Issue.record("a source was found")
    } catch {
      #expect(error.status == .notAchieved && error.hint == "did you mean ASURA")
    }
  }
}
