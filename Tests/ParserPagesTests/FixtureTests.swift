import Foundation
import OTAManifest
import ParserEngine
import TestSupport
import Testing

@testable import ParserPages

private func id(_ text: String) throws -> SourceID { try #require(SourceID(text)) }

private func fixture(of source: SourceID, page: String = "page", pages: Int = 1) throws -> Fixture {
  let exchanges = (0..<pages).map { number in
    Exchange(
      method: "GET", url: "https://a/\(number)",
      answer: .page(
        Page(
          status: 200, finalURL: "https://a/\(number)", charset: "euc-kr",
          body: Array("\(page) \(number)".utf8))
      ))
  }
  let form = Exchange(
    method: "POST", url: "https://a/form", body: Array("a=\u{3042}".utf8),
    answer: .fault(PageFault(.timedOut, "slow", url: "https://a/form", status: 504)))
  let list = JSONValue.object([JSONMember("page", .integer(1)), JSONMember("order", .string("UPDATED"))])
  let url = JSONValue.object([JSONMember("url", .string("/m/1"))])
  return Fixture(
    source: source, domain: "a", moment: (Timestamp(secondsSinceEpoch: 1_700_000_000), try digest()),
    steps: [
      Fixture.Step(.list, list, answer: .list([.init(title: "One", url: "/m/1")])),
      Fixture.Step(.details, url, answer: .details(title: "One", chapters: 12)),
      Fixture.Step(.pages, url, answer: .pages(["https://a/1.png", "https://a/2.png"])),
    ],
    exchanges: exchanges + [form])
}

private func digest() throws -> Digest { try #require(Digest(bytes: Array(repeating: 7, count: 32))) }

private func message(_ work: () throws(FixtureError) -> Void) -> String? {
  do {
    try work()
    return nil
  } catch {
    return error.message
  }
}

@Suite("Recordings on disk")
struct FixtureTests {
  @Test("a recording comes back as it was written, and equal recordings are equal bytes")
  func roundTrip() throws {
    try withTemporaryDirectory { root in
      let (one, other) = (FixtureFolder(root.path("a/b")), FixtureFolder(root.path("c")))
      let written = try fixture(of: id("ASURA"), pages: 3)
      try one.write(written)
      try other.write(written)
      let read = try one.read(id("ASURA"))
      #expect(read == written)
      let names = try namesInDirectory(root.path("a/b/ASURA/pages"))
      #expect(names.count == 3)
      let same = try run("/usr/bin/diff", ["-r", root.path("a/b"), root.path("c")])
      #expect(same.status == .exited(0))
    }
  }

  @Test("a new recording takes the place of the old one whole, and leaves nothing of it")
  func replaced() throws {
    try withTemporaryDirectory { root in
      let folder = FixtureFolder(root.path)
      try folder.write(fixture(of: id("A"), page: "old", pages: 5))
      try folder.write(fixture(of: id("A"), page: "new"))
      let names = try root.names() + namesInDirectory(root.path("A")) + namesInDirectory(root.path("A/pages"))
      #expect(names.count == 1 + 2 + 1, "\(names)")
    }
  }

  @Test("a recording that is too large changes nothing")
  func tooLarge() throws {
    try withTemporaryDirectory { root in
      let folder = FixtureFolder(root.path)
      let old = try fixture(of: id("A"))
      try folder.write(old)
      let large = try fixture(of: id("A"), pages: Fixture.maxExchanges)
      #expect(message { () throws(FixtureError) in try folder.write(large) }?.contains("requests") == true)
      let read = try folder.read(id("A"))
      #expect(read == old)
      let names = try root.names()
      #expect(names == ["A"])
    }
  }

  @Test("what a killed recorder left is cleared away by the next one, and is no recording")
  func leftover() throws {
    try withTemporaryDirectory { root in
      try FileManager.default.createDirectory(
        atPath: root.path(".tmp-A/pages"), withIntermediateDirectories: true)
      _ = FileManager.default.createFile(atPath: root.path(".tmp-A/fixture.json"), contents: Data("{".utf8))
      let folder = FixtureFolder(root.path)
      let before = try folder.sources()
      #expect(before == [])
      try folder.write(fixture(of: id("A")))
      let names = try root.names()
      #expect(names == ["A"])
    }
  }

  @Test(
    "every id has a folder of its own inside, whatever it is made of",
    arguments: [
      ("ASURA_SCANS", "ASURA_SCANS"), ("..", "%2E."), (".git", "%2Egit"), ("a/../b", "a%2F..%2Fb"),
      ("a b", "a%20b"), ("\u{e9}", "%C3%A9"), ("50%", "50%25"), ("a.b-c", "a.b-c"),
    ])
  func names(source: String, name: String) throws {
    #expect(try FixtureFolder.folderName(of: id(source)) == name)
    #expect(try FixtureFolder.source(ofFolder: name) == id(source))
    try withTemporaryDirectory { root in
      let folder = FixtureFolder(root.path)
      try folder.write(fixture(of: id(source)))
      let (names, sources, expected) = (try root.names(), try folder.sources(), [try id(source)])
      #expect(names == [name] && sources == expected)
    }
  }

  @Test(
    "N16: an id whose name is too long for a file has a folder by its digest, and is found again",
    arguments: [
      String(repeating: "\u{6F2B}", count: 28), String(repeating: "\u{416}", count: 46),
      String(repeating: "x", count: 251),
      String(repeating: "\u{6F2B}", count: 85), String(repeating: "/", count: 256),
    ])
  func longNames(source: String) throws {
    try withTemporaryDirectory { root in
      let folder = FixtureFolder(root.path)
      try folder.write(fixture(of: id(source)))
      try folder.write(fixture(of: id(source)))
      let (names, sources, expected) = (try root.names(), try folder.sources(), [try id(source)])
      #expect(names.count == 1 && names[0].utf8.count <= 250, "\(names)")
      #expect(sources == expected)
      #expect(try folder.read(id(source)) == fixture(of: id(source)))
    }
  }

  @Test("other files and folders are passed over", arguments: ["notes", "%ZZ", "a b", "%41", "%C3"])
  func strangers(name: String) throws {
    try withTemporaryDirectory { root in
      try FileManager.default.createDirectory(
        atPath: root.path(name == "notes" ? "notes" : name), withIntermediateDirectories: true)
      if name != "notes" {
        _ = FileManager.default.createFile(
          atPath: root.path("\(name)/fixture.json"), contents: Data("{}".utf8))
      }
      let sources = try FixtureFolder(root.path).sources()
      #expect(sources == [])
    }
  }

  @Test("a source without a recording, and a folder that is not there, are named")
  func missing() throws {
    try withTemporaryDirectory { root in
      let (here, gone, source) = (FixtureFolder(root.path), FixtureFolder(root.path("gone")), try id("A"))
      #expect(
        message { () throws(FixtureError) in _ = try here.read(source) }
          == "\(root.path) has no recording of A")
      #expect(
        message { () throws(FixtureError) in _ = try gone.sources() }?.contains(root.path("gone")) == true)
    }
  }

  @Test("a page that was changed, cut or removed refuses the recording and is named")
  func damagedPage() throws {
    try withTemporaryDirectory { root in
      let folder = FixtureFolder(root.path)
      let source = try id("A")
      for damage in ["printf XXXXXX", "printf X", "rm"] {
        try folder.write(fixture(of: source))
        let name = try #require(try namesInDirectory(root.path("A/pages")).first)
        let path = root.path("A/pages/\(name)")
        _ = try run("/bin/sh", ["-c", damage == "rm" ? "rm '\(path)'" : "\(damage) >'\(path)'"])
        let text = message { () throws(FixtureError) in _ = try folder.read(source) }
        #expect(text?.contains(name) == true, "\(damage): \(text ?? "read")")
      }
    }
  }

  @Test(
    "an index that is not what it must be is refused with its field",
    arguments: [
      ("\"format\": 1", "\"format\": 2", "format"), ("\"source\": \"A\"", "\"source\": \"B\"", "source"),
      ("\"status\": 200", "\"status\": 9", "requests[0].status"),
      ("\"GET\"", "\"TRACE\"", "requests[0].method"),
      ("\"list\"", "\"lists\"", "steps[0].method"), ("\"chapters\": 12", "\"chapters\": \"12\"", "chapters"),
      ("2023-", "23-", "recorded"), ("{", "", "fixture.json"),
      ("\"bytes\": 6", "\"bytes\": 99999999", "bytes"),
    ])
  func damagedIndex(good: String, bad: String, field: String) throws {
    try withTemporaryDirectory { root in
      let folder = FixtureFolder(root.path)
      let source = try id("A")
      try folder.write(fixture(of: source))
      let path = root.path("A/fixture.json")
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let range = try #require(text.range(of: good), "\(good) is not in the index")
      try text.replacingCharacters(in: range, with: bad).write(
        toFile: path, atomically: true, encoding: .utf8)
      let refusal = message { () throws(FixtureError) in _ = try folder.read(source) }
      #expect(refusal?.contains(field) == true, "\(refusal ?? "read")")
    }
  }

  @Test("a link in the place of a recording or of a page is not followed")
  func links() throws {
    try withTemporaryDirectory { root in
      let folder = FixtureFolder(root.path)
      let source = try id("A")
      try folder.write(fixture(of: source))
      _ = try run("/bin/sh", ["-c", "cd '\(root.path)' && mv A elsewhere && ln -s elsewhere A"])
      #expect(message { () throws(FixtureError) in _ = try folder.read(source) } != nil)
    }
  }
}

@Suite("What parsers answer")
struct ParserAnswerTests {
  private func answer(_ json: String, _ method: ParserCall.Method) throws -> ParserAnswer {
    try ParserAnswer(JSONReader.read(Array(json.utf8), maxBytes: 10_000), to: method)
  }

  @Test("a list counts for its entries that have a title and an address")
  func list() throws {
    let list = try answer(
      #"[{"title":"A","url":"/a","id":1},{"title":"","url":"/b"},{"title":"C","publicUrl":"/c"},7]"#, .list)
    #expect(list.richness == 2)
    #expect(list.summary == "4 titles")
  }

  @Test("details count for their chapters, and for nothing without a title")
  func details() throws {
    #expect(try answer(#"{"title":"A","chapters":[{},{}]}"#, .details).richness == 2)
    #expect(try answer(#"{"title":"","chapters":[{},{}]}"#, .details).richness == 0)
    #expect(try answer(#"{"title":"A","chapters":null}"#, .details).richness == 0)
  }

  @Test("pages count for those that have an address")
  func pages() throws {
    #expect(try answer(#"[{"url":"https://a/1"},"https://a/2",{"url":""},null]"#, .pages).richness == 2)
  }

  @Test("another type than the method's is refused")
  func wrongTypes() {
    #expect(throws: InputError.self) { try answer("null", .list) }
    #expect(throws: InputError.self) { try answer("{}", .search) }
    #expect(throws: InputError.self) { try answer("[]", .details) }
    #expect(throws: InputError.self) { try answer("\"x\"", .pages) }
  }
}
