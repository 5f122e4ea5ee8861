import OTAManifest
import OTATrust
import Testing

/// The one spelling that signatures are made over.
@Suite("Canonical JSON")
struct CanonicalJSONTests {
  static let vectors: [(text: String, canonical: String)] = [
    (#"{}"#, #"{}"#), (#"[ ]"#, #"[]"#), ("\"\"", "\"\""),
    (#"{"y": 2, "x": 3}"#, #"{"x":3,"y":2}"#),
    (#"[1, 2, 3]"#, #"[1,2,3]"#),
    (#"{"A":[99], "b": null, "a": true, "B": false}"#, #"{"A":[99],"B":false,"a":true,"b":null}"#),
    (#""a\"b\\c""#, #""a\"b\\c""#),
    // Only quote and backslash are escaped: a line feed stands for itself, a slash and a letter too.
    (#""\n\/\u00e9\u0041""#, "\"\n/éA\""),
    (#"-0"#, #"0"#), (#"123456789012345678901234567890"#, #"123456789012345678901234567890"#),
    // Sorted by bytes: a letter outside the basic plane comes after U+FFFD, unlike in UTF-16.
    (#"{"\ud83d\ude00":1,"\ufffd":2}"#, "{\"\u{FFFD}\":2,\"\u{1F600}\":1}"),
    (#"{"ab":1,"a":2,"":3}"#, #"{"":3,"a":2,"ab":1}"#),
  ]

  @Test("has one spelling for each value", arguments: vectors)
  func spelling(text: String, canonical: String) throws {
    let value = try JSONReader.read(Array(text.utf8), maxBytes: 1000)
    #expect(try CanonicalJSON.encode(value) == Array(canonical.utf8))
  }

  @Test("two texts that Unicode calls equal keep their own bytes")
  func noNormalisation() throws {
    let composed = try CanonicalJSON.encode(.string("\u{E9}"))
    #expect(try CanonicalJSON.encode(.string("e\u{301}")) != composed)
  }

  @Test("a number with fraction or exponent has no canonical form", arguments: ["1.0", "1e2", "0.5", "1E+2"])
  func fractions(text: String) throws {
    let value = try JSONReader.read(Array(#"{"a":[\#(text)]}"#.utf8), maxBytes: 1000)
    #expect(throws: InputError.self) { try CanonicalJSON.encode(value) }
  }
}
