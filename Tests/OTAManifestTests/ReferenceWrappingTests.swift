import OTAManifest
import TestSupport
import Testing

@Suite("References wrapped in JSON")
struct ReferenceWrappingTests {
  private let resolver: SourceResolver

  init() throws {
    resolver = SourceResolver(catalog: try SourceCatalog.decode(Fixtures.smallCatalog(ids: ["ABC", "DEF"])))
  }

  private func id(_ reference: String) -> String? {
    guard case .source(let entry) = resolver.resolve(reference).outcome else { return nil }
    return entry.id.text
  }

  /// The text as a JSON string, `levels` times over.
  private func wrapped(_ text: String, levels: Int) -> String {
    (0..<levels).reduce(text) { inner, _ in
      String(decoding: JSONValue.string(inner).encoded(indented: false), as: UTF8.self)
    }
  }

  @Test(
    "B26: every client's shape is read",
    arguments: [
      #"{"name":"JS_ABC"}"#, #"{"source":"parser:ABC"}"#, #"{"id":"abc"}"#,
      " {\n \"name\" : \" ABC\\n\" } \n",
      #""ABC""#, #""{\"name\":\"ABC\"}""#, #"{"name":"{\"source\":\"ABC\"}"}"#,
      #"{"name":"","source":"ABC"}"#,
      #"{"name":null,"id":"ABC"}"#, #"{"name":{},"source":[],"id":"ABC"}"#, #"{"id":"DEF","name":"ABC"}"#,
      #"{"source":"ABC","id":"DEF"}"#, #"{"n\u0061me":"ABC"}"#, #"{"name":"ABC","Name":"DEF"}"#,
      "\u{FEFF}{\"name\":\"ABC\"}",
    ])
  func shapes(reference: String) {
    #expect(id(reference) == "ABC")
  }

  @Test(
    "B26: JSON without a name stays unresolved, and its text is kept byte for byte",
    arguments: [
      "{}", #"{"name":""}"#, #"{"name":" "}"#, #"{"name":null}"#, #"{"name":{}}"#,
      #"{"name":{"name":"ABC"}}"#, "{",
      "\"", "\"\"", #"{"name":"ABC",}"#, #"{"name":"ABC"} x"#, #"{"name":"ABC","name":"ABC"}"#,
      #"{"NAME":"ABC"}"#,
      #"{"name":true}"#, #"{"name":["ABC"]}"#, " {} \n", #"{'name':'ABC'}"#, "\"\\ud800\"",
    ])
  func nameless(reference: String) {
    let resolution = resolver.resolve(reference)
    guard case .unresolved = resolution.outcome else {
      Issue.record("\(reference) is resolved")
      return
    }
    #expect(resolution.reference.utf8.elementsEqual(reference.utf8))
    #expect(resolution.syncedForm.utf8.elementsEqual(reference.utf8))
  }

  @Test(
    "B26: a megabyte of brackets is unresolved at once, without recursion",
    arguments: ["{", "[", "\"", "{\"a\":"])
  func endless(unit: String) {
    let reference = String(repeating: unit, count: (1 << 20) / unit.utf8.count)
    #expect(id(reference) == nil)
    #expect(resolver.resolve(reference).syncedForm == reference)
  }

  @Test("B26: depth, size and levels of strings are limited")
  func limits() {
    let deep = { (levels: Int) in
      "{\"x\":" + String(repeating: "[", count: levels - 1) + String(repeating: "]", count: levels - 1)
        + ",\"name\":\"ABC\"}"
    }
    #expect(id(deep(8)) == "ABC")
    #expect(id(deep(9)) == nil)
    let object = #"{"name":"ABC"}"#
    #expect(id(object + String(repeating: " ", count: 100_000)) == "ABC")
    let padded = { (count: Int) in
      #"{"pad":""# + String(repeating: "x", count: count - 23) + #"","name":"ABC"}"#
    }
    #expect(padded(64 << 10).utf8.count == 64 << 10)
    #expect(id(padded(64 << 10)) == "ABC")
    #expect(id(padded(64 << 10 + 1)) == nil)
    #expect(id(wrapped(object, levels: 4)) == "ABC")
    #expect(id(wrapped(object, levels: 5)) == nil)
  }

  @Test("the title beside a name is the last known one, unless the row has its own")
  func titles() {
    let text = #"{"type":"x.Unknown","title":"Inner"}"#
    #expect(resolver.resolve(text).lastKnownTitle == "Inner")
    #expect(resolver.resolve(SourceReference(text: text, lastKnownTitle: "Row")).lastKnownTitle == "Row")
    #expect(resolver.resolve(#"{"name":"GONE","title":"Was here"}"#).lastKnownTitle == "Was here")
    #expect(resolver.resolve(wrapped(#"{"name":"GONE","title":"T"}"#, levels: 2)).lastKnownTitle == "T")
    #expect(resolver.resolve(#"{"name":"GONE","title":7}"#).lastKnownTitle == nil)
  }
}
