import Glibc
import OTAManifest
import ParserEngine
import Testing

@Suite("A parser in the engine") struct SessionTests {
  @Test("gets the arguments of apps, and its result comes back")
  func arguments() async throws {
    let session = try await Engines.session(
      bundle(
        list: "return [page, order, filter];", details: "return { asked: manga };",
        pages: "return [chapter.url, chapter.branch, chapter.source.id];"))
    let list = try await session.call(
      call(
        .list,
        [JSONMember("page", .integer(2)), JSONMember("order", .string("UPDATED"))]))
    #expect(list == .array([.integer(2), .string("UPDATED"), .object([])]))
    let search = try await session.call(
      call(
        .search,
        [
          JSONMember("page", .integer(1)), JSONMember("order", .string("RELEVANCE")),
          JSONMember("query", .string("é漢\u{1F600}\"\\\n")),
        ]))
    #expect(
      search
        == .array([
          .integer(1), .string("RELEVANCE"), .object([JSONMember("query", .string("é漢\u{1F600}\"\\\n"))]),
        ]))
    let details = try await session.call(call(.details, [JSONMember("url", .string("/m/1"))]))
    let source = JSONValue.object([JSONMember("id", .string("ALPHA")), JSONMember("name", .string("ALPHA"))])
    #expect(
      details
        == .object([
          JSONMember(
            "asked",
            .object([
              JSONMember("id", .string("/m/1")), JSONMember("url", .string("/m/1")),
              JSONMember("source", source),
            ]))
        ]))
    let pages = try await session.call(
      call(.pages, [JSONMember("url", .string("/c/1")), JSONMember("branch", .string("b"))]))
    #expect(pages == .array([.string("/c/1"), .string("b"), .string("ALPHA")]))
    await session.close()
  }

  @Test("has a new page with nothing of the old one, sooner than a new engine")
  func renewing() async throws {
    let start = ContinuousClock.now
    let session = try await Engines.session("var old = 1; \(bundle(list: "return typeof old;"))")
    let started = ContinuousClock.now
    let waiting = Task { try await session.call(call(.list)) }
    _ = try await waiting.value
    try await session.renew()
    let renewed = ContinuousClock.now
    guard
      case .call(let fault) = await Engines.error(of: { _ = try await session.call(call(.list)) })
    else {
      Issue.record("a parser of the old page answered")
      return
    }
    #expect(fault.message == "the bundle defines no NyoraParsers")
    try await session.evaluate(EngineScript(name: "b.js", text: bundle(list: "return typeof old;")))
    #expect(try await session.call(call(.list)) == .string("undefined"))
    #expect(renewed - started < started - start)
    await session.close()
  }

  @Test("goes when it is closed, without a search for processes that are gone already")
  func closing() async throws {
    let session = try await Engines.session(bundle())
    // Time of the processor and not of the clock: a busy machine must not matter.
    let before = processorTime()
    await session.close()
    #expect(processorTime() - before < 0.5)
    #expect(livingProcesses(in: session.groupID) == [])
  }
}

/// The seconds that this process has spent on a processor.
private func processorTime() -> Double {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
  return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
