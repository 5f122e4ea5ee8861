import OTAManifest
import TestSupport
import Testing

@Suite("B93: names of sources are compared by one key")
struct NameFoldingTests {
  @Test(
    "what people take for one name has one key",
    arguments: [
      ("D\u{C9}C", "d\u{E9}c"), ("DE\u{301}C", "d\u{E9}c"), ("K", "\u{212A}"), ("\u{C5}", "\u{212B}"),
      ("STRASSE", "stra\u{DF}e"),
      ("\u{1E9E}", "ss"), ("\u{FF34}\u{FF32}", "tr"), ("\u{130}", "i\u{307}"), ("\u{3A3}", "\u{3C2}"),
      ("\u{FB03}", "FFI"),
      ("\u{2460}", "1"), ("A\u{FE0F}", "a"), ("\u{1F80}", "\u{1F00}\u{3B9}"),
      ("\u{D55C}", "\u{1112}\u{1161}\u{11AB}"),
      ("\u{1D400}", "A"), ("\u{10400}", "\u{10428}"), ("\u{FF76}\u{FF9E}", "\u{30AC}"),
    ])
  func twins(left: String, right: String) { #expect(NameFolding.key(of: left) == NameFolding.key(of: right)) }

  @Test(
    "letters that only look alike keep their own keys",
    arguments: [("A", "\u{410}"), ("i", "\u{131}"), ("O", "0")])
  func strangers(left: String, right: String) {
    #expect(NameFolding.key(of: left) != NameFolding.key(of: right))
  }

  @Test("the table is what Unicode says, for every code that Python's copy knows")
  func peer() throws {
    let script = """
      import unicodedata as u
      def fold(t):
          while True:
              f = u.normalize("NFKC", u.normalize("NFKC", u.normalize("NFD", t).casefold()).casefold())
              if f == t: return u.normalize("NFC", t)
              t = f
      for c in range(0x110000):
          if not 0xD800 <= c <= 0xDFFF and u.category(chr(c)) != "Cn":
              print(f"{c:x}", *(f"{ord(p):x}" for p in fold(chr(c))))
      """
    let python = try run("/usr/bin/python3", ["-c", script])
    var compared = 0
    for line in python.output.split(separator: "\n") {
      let codes = line.split(separator: " ").compactMap { UInt32($0, radix: 16).flatMap(Unicode.Scalar.init) }
      guard let code = codes.first, !code.properties.isDefaultIgnorableCodePoint else { continue }
      var expected = String.UnicodeScalarView()
      expected.append(contentsOf: codes.dropFirst().filter { !$0.properties.isDefaultIgnorableCodePoint })
      #expect(NameFolding.key(of: String(code)) == String(expected), "U+\(String(code.value, radix: 16))")
      compared += 1
    }
    #expect(compared > 140_000)
  }
}

@Suite("B83: languages of sources are read by a table")
struct LanguageTagTests {
  @Test(
    "each spelling has one reading",
    arguments: [
      ("en", "en"), ("pt-BR", "pt-BR"), ("pt_BR", "pt-BR"), ("PT-br", "pt-BR"), ("zh-hans", "zh-Hans"),
      ("ZH_HANT_hk", "zh-Hant-HK"),
      ("es-419", "es-419"), ("fil", "fil"), ("in", "id"), ("iw", "he"), ("in-ID", "id-ID"), ("all", "all"),
      ("Multi", "multi"), ("", ""),
      ("und", "und"), ("x-elvish", "x-elvish"), ("de-1996", "de-1996"),
      ("en-u-ca-gregory", "en-u-ca-gregory"), ("english", "english"),
    ])
  func spelling(written: String, expected: String) { #expect(LanguageTag(written)?.text == expected) }

  @Test(
    "what has not the shape of a tag is refused",
    arguments: [
      "xx invalid", "en-", "-en", "en--US", "e", "x", "en_US.UTF-8", "1", "en\u{0}", "\u{202E}en",
      "\u{FF45}\u{FF4E}", "en US", " en",
      "abcdefghi", "en-abcdefghi", "en-u", String(repeating: "en-", count: 12) + "US", "p\u{442}",
    ])
  func refused(text: String) throws {
    #expect(LanguageTag(text) == nil)
    let entry = JSONValue.object([
      JSONMember("id", .string("ABC")), JSONMember("title", .string("Abc")),
      JSONMember("locale", .string(text)),
      JSONMember("domain", .string("abc.example")), JSONMember("family", .string("F")),
    ])
    let error = #expect(throws: InputError.self) {
      try SourceCatalog.decode(JSONValue.array([entry]).encoded(indented: false))
    }
    #expect(error?.field == "[0].locale")
  }

  @Test("a filter finds the language and what is more special, and sources in several languages")
  func filters() throws {
    let tag = { (text: String) in try #require(LanguageTag(text)) }
    #expect(
      try tag("pt-BR").matches(tag("pt")) && tag("pt").matches(tag("pt")) && tag("all").matches(tag("pt")))
    #expect(
      try !tag("pt-PT").matches(tag("pt-BR")) && !tag("pt").matches(tag("pt-BR"))
        && !tag("ptx").matches(tag("pt")))
  }

  @Test("another spelling is read, and noted with its sources")
  func noted() throws {
    let text = ["A", "B", "C"].map { id in
      #"{"id":"\#(id)","className":"X","title":"X","locale":"\#(id == "A" ? "en" : "pt_BR")","domain":"a.example","#
        + #""family":"F","isNsfw":false,"overrides":{}}"#
    }.joined(separator: ",")
    let catalog = try SourceCatalog.decode(Array("[\(text)]".utf8))
    #expect(catalog.entries.map(\.locale) == ["en", "pt-BR", "pt-BR"])
    #expect(catalog.notes.map(\.detail) == [#"is "pt_BR", read as pt-BR"#])
    #expect(catalog.notes.first?.sources.map(\.text) == ["B", "C"])
  }
}
