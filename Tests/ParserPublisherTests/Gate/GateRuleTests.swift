import OTAFeed
import OTAManifest
import TestSupport
import Testing

@testable import ParserPublisher

@Suite("Allowances name what is meant, and nothing more")
struct AllowanceTests {
  private func finding(_ sources: [String] = [], subject: String? = nil) -> Finding {
    Finding(.danglingCall, .error, "x").with {
      $0.sources = sources
      $0.subject = subject
    }
  }

  private func apply(_ texts: [String], to finding: Finding, ids: [String] = ["ABC"]) throws -> [Finding] {
    var rules = AllowanceRules(
      try texts.map { try Allowance(text: $0) },
      catalogs: [try SourceCatalog.decode(Fixtures.smallCatalog(ids: ids))])
    return rules.apply(to: [finding])
  }

  @Test("they are CODE or CODE:ID, and a code that is none is refused with the list")
  func reading() throws {
    #expect(try Allowance(text: "size") == Allowance(.size))
    #expect(try Allowance(text: "dangling-call:A:B") == Allowance(.danglingCall, "A:B"))
    #expect(try Allowance(text: "ids-removed:ABC").text == "ids-removed:ABC")
    for text in [
      "", "everything", "size:", ":ABC", "Size", "input", "syntax", "load", "entry-points:A",
      "size " + String(repeating: "x", count: 400),
    ] {
      #expect(throws: InputError.self, "\(text)") { try Allowance(text: text) }
    }
  }

  @Test("a code lets all through, an id its source, a subject its thing")
  func coverage() throws {
    for text in ["dangling-call", "dangling-call:apiBase", "dangling-call:ABC", "dangling-call:JS_abc"] {
      let found = try apply([text], to: finding(["ABC"], subject: "apiBase"))
      #expect(found.count == 1 && !found[0].refuses, "\(text)")
      #expect(found[0].allowedBy.map(\.text) == [text])
    }
    for text in ["dry-run", "dangling-call:DEF", "dangling-call:apibase", "size:ABC"] {
      #expect(
        try apply([text], to: finding(["ABC"], subject: "apiBase")).contains(where: \.refuses), "\(text)")
    }
  }

  @Test("what is allowed for some sources still refuses for the others")
  func split() throws {
    let found = try apply(
      ["dangling-call:B", "dangling-call:C"], to: finding(["A", "B", "C"]), ids: ["A", "B", "C"])
    #expect(found.map(\.sources) == [["A"], ["B", "C"]] && found.map(\.refuses) == [true, false])
  }

  @Test("what a finding says to allow is what lets it through")
  func advice() throws {
    for finding in [finding(["ABC"], subject: "x"), finding(["ABC", "D"], subject: "x"), finding()] {
      let text = try #require(finding.allowanceText)
      #expect(try !apply([text], to: finding).contains(where: \.refuses), "\(text)")
    }
    for code in [GateCode.input, .syntax, .load, .entryPoints] {
      #expect(Finding(code, .error, "x").allowanceHint == nil, "no app could do anything with such a release")
    }
  }

  @Test("a hint names each of a few sources, and never a whole check for the fault of some")
  func hints() throws {
    func dryRun(_ sources: [String]) -> Finding {
      Finding(.dryRun, .error, "x").with { $0.sources = sources }
    }
    #expect(dryRun(["A", "B"]).allowanceHint == "--allow dry-run:A --allow dry-run:B")
    #expect(dryRun(["A", "B"]).allowanceText == nil && dryRun(["A"]).allowanceText == "dry-run:A")
    #expect(dryRun((0..<9).map { "S\($0)" }).allowanceHint == "--allow dry-run:ID for each of the sources")
    #expect(dryRun([]).allowanceHint == nil && Finding(.size, .error, "x").allowanceHint == "--allow size")
    let covered = try apply(
      dryRun(["A", "B"]).allowanceTexts, to: dryRun(["A", "B"]), ids: ["A", "B"])
    #expect(covered.allSatisfy { !$0.refuses }, "what a hint says lets the finding through")
  }

  @Test("a fingerprint stays when lines move, and differs between sources")
  func fingerprints() {
    let one = Finding(.load, .error, "throws at 12", place: .init(file: "a", line: 3))
    let moved = Finding(.load, .error, "throws at 345", place: .init(file: "a", line: 9))
    #expect(one.fingerprint == moved.fingerprint && one.fingerprint.count == 16)
    #expect(one.fingerprint != one.with { $0.sources = ["A"] }.fingerprint)
  }
}

@Suite("The checks that need no engine, against the live release")
struct ComparisonTests {
  /// A feed with one release, and a gate without an engine that allows that.
  private func check(
    live: (bundle: String, sources: [UInt8]), new: (bundle: String, sources: [UInt8]),
    _ allowances: [String] = [], aliases: [SourceAlias] = []
  ) async throws -> GateReport {
    let feed = try await TestFeed()
    _ = try await feed.publisher.publish(
      try feed.request(bundle: Array(live.bundle.utf8), sources: live.sources))
    var request = CheckRequest(
      bundlePath: try feed.write("b.js", Array(new.bundle.utf8)),
      sourcesPath: try feed.write("s.json", new.sources))
    (request.bundleName, request.sourcesName, request.aliases) = ("b.js", "s.json", aliases)
    request.against = .init(.directory(feed.feed), trust: nil)
    let gate = ReleaseGate(allowances: try allowances.map { try Allowance(text: $0) })
    return try await gate.check(request)
  }

  private func script(_ bytes: Int) -> String { "var a = 1;" + String(repeating: "\n", count: bytes - 10) }
  /// A script of so many words and signs.
  private func code(_ tokens: Int) -> String { String(repeating: "a;", count: tokens / 2) }
  private let one = Fixtures.smallCatalog(ids: ["ABC", "DEF"])

  @Test("growth above a fifth warns, above the double refuses; a loss of half warns")
  func size() async throws {
    for (old, new, severity) in [
      (1000, 1200, nil), (1000, 1202, .warning), (1000, 2000, .warning), (1000, 2002, .error),
      (1000, 500, nil),
      (1000, 498, .warning),
    ] as [(Int, Int, Finding.Severity?)] {
      let report = try await check(live: (code(old), one), new: (code(new), one))
      let found = report.findings.filter { $0.code == .size }
      #expect(found.map(\.severity) == [severity].compactMap(\.self), "\(old) \(new)")
      #expect(report.isRefused == (severity == .error), "\(report.findings)")
    }
  }

  @Test("blanks, comments, source maps and short names are no growth and no loss; a text in one piece is")
  func sizeOfCode() async throws {
    let plain = (0..<300).map { "var aLongName\($0) = \"x\";  // says what it is for\n" }.joined()
    let minified = (0..<300).map { "var a\($0)=\"x\";" }.joined()
    let map = "//# sourceMappingURL=data:application/json;base64," + String(repeating: "e", count: 90_000)
    for (old, new) in [(plain, minified), (minified, plain), (plain, plain + map)] {
      let report = try await check(live: (old, one), new: (new, one))
      #expect(report.findings.filter { $0.code == .size } == [])
    }
    let blob = plain + "var b = '" + String(repeating: "e", count: 90_000) + "';"
    #expect(try await check(live: (plain, one), new: (blob, one)).refusals.map(\.code) == [.size])
  }

  @Test(
    "N11: a domain is a bare host name, named with its right spelling; a habit of the whole catalog warns")
  func domains() async throws {
    let text = String(decoding: one, as: UTF8.self)
    for (domain, words, advice) in [
      ("https://abc.example/", "has a scheme and has a slash at its end", "write abc.example"),
      ("abc.example/", "has a slash", "write abc.example"),
      (" abc.example", "has blanks", "write abc.example"),
      ("u:p@abc.example:8080", "has credentials", "write abc.example:8080"),
      (String(repeating: "x", count: 300), "has 300 characters, more than the 253", "the host name alone"),
      ("abc..example", "has an empty part", "alone"),
      ("abc.example:99999", "has a port that is none", "alone"),
      ("a b.example", "has a blank in it", "alone"),
      ("http:abc.example", "has a scheme", "write abc.example"),
    ] {
      let sources = Array(text.replacing("abc.example", with: domain).utf8)
      let report = try await check(live: (script(100), one), new: (script(101), sources))
      let found = try #require(
        report.refusals.first { $0.code == .catalogFields }, "\(domain): \(report.findings)")
      #expect(found.message.hasPrefix("[0].domain") && found.message.contains(words), "\(found.message)")
      #expect(found.advice?.contains(advice) == true && found.sources == ["ABC"] && found.place.line == 2)
      #expect(!found.message.contains("u:p@"), "a password is not repeated")
    }
    for domain in [
      "abc.example:8080", "127.0.0.1:80", "[::1]:80", "localhost:80", "münchen.example", "a_b.example",
    ] {
      let sources = Array(text.replacing("abc.example", with: domain).utf8)
      let report = try await check(live: (script(100), one), new: (script(101), sources))
      #expect(report.findings.filter { $0.code == .catalogFields } == [], "\(domain)")
    }
    let part = Array(text.replacing("abc.example", with: "abc.example/fr").utf8)
    let parted = try await check(live: (script(100), one), new: (script(101), part))
    #expect(
      parted.findings.filter { $0.code == .catalogFields }.map(\.severity) == [.warning], "parts of one site")
    let habit = Fixtures.smallCatalog(ids: ["A", "B", "C"])
    let all = Array(
      String(decoding: habit, as: UTF8.self).replacing("\"domain\":\"", with: "\"domain\":\"https://").utf8)
    let report = try await check(live: (script(100), habit), new: (script(101), all))
    #expect(
      !report.isRefused
        && report.findings.filter { $0.code == .catalogFields }.map(\.sources) == [["A", "B", "C"]])
    let live = try await check(live: (script(100), all), new: (script(101), all))
    #expect(!live.isRefused, "what is live already does not hold back a fix of something else")
  }

  @Test("ids that changed places or case are refused, wherever their domains are alike")
  func swapped() async throws {
    let three = Fixtures.smallCatalog(ids: ["ABC", "DEF", "GHI"])
    let text = String(decoding: three, as: UTF8.self)
    func renamed(_ pairs: [(String, String)]) -> [UInt8] {
      var text = text
      for (index, pair) in pairs.enumerated() {
        text = text.replacing("\"id\":\"\(pair.0)\"", with: "\"id\":\"#\(index)\"")
      }
      for (index, pair) in pairs.enumerated() { text = text.replacing("#\(index)", with: pair.1) }
      return Array(text.utf8)
    }
    for pairs in [[("ABC", "DEF"), ("DEF", "ABC")], [("ABC", "DEF"), ("DEF", "GHI"), ("GHI", "ABC")]] {
      let report = try await check(live: (script(100), three), new: (script(101), renamed(pairs)))
      #expect(report.refusals.map(\.code) == [.idChangedMeaning], "\(report.findings)")
      #expect(Set(report.refusals[0].sources) == Set(pairs.map(\.0)))
      #expect(report.refusals[0].message.contains("changed places"), "\(report.refusals[0].message)")
    }
    let lower = try await check(live: (script(100), three), new: (script(101), renamed([("ABC", "abc")])))
    #expect(lower.refusals.map(\.code) == [.idsRemoved] && lower.refusals[0].place.line == 2)
    #expect(lower.refusals[0].message.contains("the id ABC of release 1 is written abc now"))
    let moved = text.replacing("abc.example", with: "new.example")
    #expect(
      try await !check(live: (script(100), three), new: (script(101), Array(moved.utf8))).isRefused,
      "a site that moves takes nobody's place")
  }

  @Test("a release with nothing new is refused by name, and one with an old bundle for a new catalog is odd")
  func unchanged() async throws {
    let same = try await check(live: (script(100), one), new: (script(100), one))
    #expect(same.refusals.map(\.code) == [.unchanged] && same.comparedWith == .first)
    #expect(try await !check(live: (script(100), one), new: (script(100), one), ["unchanged"]).isRefused)
    let more = Fixtures.smallCatalog(ids: ["ABC", "DEF", "GHI"])
    let half = try await check(live: (script(100), one), new: (script(100), more))
    #expect(half.findings.filter { $0.code == .unchanged }.map(\.severity) == [.warning])
  }

  @Test("an id with another domain and another family is refused; with one of the two it is not")
  func changedMeaning() async throws {
    func edited(_ pairs: [(String, String)]) -> [UInt8] {
      Array(
        pairs.reduce(String(decoding: one, as: UTF8.self)) {
          $0.replacing($1.0, with: $1.1, maxReplacements: 1)
        }.utf8)
    }
    let domain = ("abc.example", "new.example"), family = ("MadaraParser", "OtherParser")
    for changes in [[domain], [family]] {
      #expect(try await !check(live: (script(100), one), new: (script(101), edited(changes))).isRefused)
    }
    let report = try await check(live: (script(100), one), new: (script(101), edited([domain, family])))
    let found = try #require(report.refusals.first)
    #expect(found.code == .idChangedMeaning && found.sources == ["ABC"])
    #expect(
      found.message.contains("abc.example") && found.message.contains("OtherParser"), "\(found.message)")
    let allowed = try await check(
      live: (script(100), one), new: (script(101), edited([domain, family])), ["id-changed-meaning:ABC"])
    #expect(!allowed.isRefused && allowed.usedAllowances.map(\.text) == ["id-changed-meaning:ABC"])
  }

  @Test("B58: ids that go are named, aliases and allowances count")
  func removed() async throws {
    let fewer = Fixtures.smallCatalog(ids: ["ABCD"])
    let refused = try await check(live: (script(100), one), new: (script(101), fewer))
    #expect(refused.refusals.map(\.sources) == [["ABC", "DEF"]])
    let alias = [SourceAlias(old: "ABC", new: "ABCD")]
    let half = try await check(live: (script(100), one), new: (script(101), fewer), aliases: alias)
    #expect(half.refusals.map(\.sources) == [["DEF"]])
    let whole = try await check(
      live: (script(100), one), new: (script(101), fewer), ["ids-removed:JS_DEF", "size"], aliases: alias)
    #expect(!whole.isRefused && whole.unusedAllowances.map(\.text) == ["size"])
  }

  @Test("B29, B06: files that are no release are one finding with file and field, and nothing else is asked")
  func input() async throws {
    for (bundle, sources, file, words) in [
      ("<html>", one, "b.js", "HTML"), ("", one, "b.js", "empty"),
      ("var a;", Array("[{}]".utf8), "s.json", "[0].id"),
      ("var a;", Array("[]".utf8), "s.json", "no sources"),
      ("var a;", Array("{}".utf8), "s.json", "not an array"),
      (
        "var a;", Array(String(decoding: one, as: UTF8.self).replacing("false", with: "\"yes\"").utf8),
        "s.json", "isNsfw"
      ),
    ] {
      let report = try await check(live: (script(100), one), new: (bundle, sources), ["leftovers"])
      #expect(report.refusals.map(\.code) == [.input], "\(report.findings)")
      #expect(
        report.refusals.first?.place.file == file && report.refusals.first?.message.contains(words) == true,
        "\(report.findings)")
      #expect(report.checks.count { $0.code != .input } == report.notRun.count)
    }
  }

  @Test("without an engine a check says what it could not run, and a publish refuses unless that is allowed")
  func withoutEngine() async throws {
    let feed = try await TestFeed()
    var request = try feed.request("one")
    request.gate = ReleaseGate()
    let refused = await problem { [request] in _ = try await feed.publisher.publish(request) }
    #expect(refused?.code == .noEngine && refused?.message.contains("dangling-call") == true)
    #expect(try feed.tree().allSatisfy { !$0.contains("releases") }, "nothing was written")
    request.gate.allowances = [Allowance(.noEngine)]
    let report = try await feed.publisher.publish(request)
    #expect(report.manifest.allowed == ["no-engine"] && report.gate?.isRefused == false)
    #expect(try feed.live().allowed == ["no-engine"])

    let checked = try await check(live: (script(100), one), new: (script(101), one))
    #expect(!checked.isRefused && checked.findings.map(\.code) == [.noEngine])
    #expect(
      Set(checked.notRun.map(\.code)) == Set(GateCode.allCases.filter { $0.needsEngine || $0.needsReader }))
    #expect(checked.summary.contains("was not run"))
  }

  @Test("what an allowance let out stands in the manifest, and what it did not is a warning")
  func recorded() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one", ids: ["ABC", "DEF"])
    let report = try await feed.publish("two", ids: ["ABC"]) {
      $0.gate.allowances += [Allowance(.size), Allowance(.idsRemoved, "DEF")]
    }
    #expect(report.manifest.allowed == ["ids-removed:DEF", "no-engine"])
    #expect(report.warnings == ["size was allowed, and nothing of that kind was found"])
    let back = try await feed.publisher.rollback(RollbackRequest(to: .first))
    #expect(back.manifest.allowed == ["no-engine"], "content keeps what let it out")
  }
}
