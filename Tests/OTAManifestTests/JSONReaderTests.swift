import OTAManifest
import TestSupport
import Testing

/// A document, and what its refusal must say.
struct BadJSON: Sendable, CustomTestStringConvertible {
  let text: String
  let reason: InputError.Reason
  let field: String
  let place: String

  init(_ text: String, _ reason: InputError.Reason = .syntax, field: String = "", at place: String = "") {
    (self.text, self.reason, self.field, self.place) = (text, reason, field, place)
  }

  var testDescription: String { text.debugDescription }
}

private func read(_ text: String, maxDepth: Int = 16) throws -> JSONValue {
  try JSONReader.read(Array(text.utf8), maxBytes: 1 << 22, maxDepth: maxDepth)
}

@Suite("The strict JSON reader")
struct JSONReaderTests {
  @Test("a document becomes its values, in order and unrounded")
  func values() throws {
    #expect(
      try read(
        #" { "b" : [ 1 , -2.50e+3 , "x\n\u00e9\ud83d\ude00\/" , true , false , null , {} , [ ] ] , "a" : "" } "#
      )
        == .object([
          JSONMember(
            "b",
            .array([
              .integer(1), try read("-2.50e+3"), .string("x\n\u{E9}\u{1F600}/"), .bool(true), .bool(false),
              .null,
              .object([]), .array([]),
            ])),
          JSONMember("a", .string("")),
        ]))
    #expect(try read(#""caf\u00e9""#) != .string("cafe\u{301}"))
    #expect(try read(#""\u0000""#) == .string("\u{0}"))
    #expect(try read("\"\u{FEFF}\u{2028}\"") == .string("\u{FEFF}\u{2028}"))
  }

  @Test(
    "faults are refused with the path, the line and the column",
    arguments: [
      BadJSON("", .empty), BadJSON(" \r\n\t", .empty), BadJSON("<!DOCTYPE html>", .html),
      BadJSON(" \n<a/>", .html),
      BadJSON("[1,]", field: "[1]", at: "line 1, column 4"),
      BadJSON("[,1]", field: "[0]", at: "line 1, column 2"),
      BadJSON(#"{"a":1,}"#, at: "line 1, column 8"),
      BadJSON("{\n  \"a\": [1,\n  2}\n", field: "a[1]", at: "line 3, column 4"),
      BadJSON(#"{"a":}"#, field: "a", at: "line 1, column 6"),
      BadJSON(#"{"a"}"#, field: "a", at: "line 1, column 5"),
      BadJSON("{a:1}", at: "line 1, column 2"), BadJSON("{'a':1}", at: "line 1, column 2"),
      BadJSON("[1 2]", field: "[0]", at: "line 1, column 4"),
      BadJSON("[1", field: "[0]", at: "line 1, column 3"),
      BadJSON("[", field: "[0]", at: "line 1, column 2"), BadJSON("{", at: "line 1, column 2"),
      BadJSON("{} {}", at: "line 1, column 4"), BadJSON("{}\u{0}", .notUTF8),
      BadJSON("{}  \u{0}", at: "line 1, column 5"),
      BadJSON("[1] // end", at: "line 1, column 5"),
      BadJSON("[/* x */1]", field: "[0]", at: "line 1, column 2"),
      BadJSON("tru", at: "line 1, column 1"), BadJSON("nulll", at: "line 1, column 5"),
      BadJSON("True", at: "line 1, column 1"),
      BadJSON("NaN"), BadJSON("-Infinity"), BadJSON("undefined"), BadJSON("]"), BadJSON("}"), BadJSON(","),
      BadJSON("[[1]", field: "[0]"),
      BadJSON(#"{"sources":[{"id":"A"},{"id":"B" "x":1}]}"#, field: "sources[1].id", at: "line 1, column 34"),
      BadJSON(#"{"a b":{"c":x}}"#, field: #""a b".c"#, at: "line 1, column 13"),
    ])
  func faults(bad: BadJSON) {
    let error = #expect(throws: InputError.self) { try read(bad.text) }
    #expect(error?.reason == bad.reason)
    #expect(error?.field == bad.field)
    if !bad.place.isEmpty {
      #expect(error?.detail.hasSuffix("(\(bad.place))") == true, "\(error?.message ?? "")")
    }
  }

  @Test(
    "faults inside strings are refused with their path",
    arguments: [
      #"\ud800"#, #"\udc00"#, #"\ud800\ud800"#, #"\ud800x"#, #"\ud800\n"#, #"\udc00\ud800"#, #"\u12"#,
      #"\u12g4"#,
      #"\u+123"#, #"\x41"#, #"\'"#, #"\U0041"#, "\n", "\t", "\u{0}", "\u{1F}", #"\"#,
    ])
  func strings(inner: String) {
    let value = #expect(throws: InputError.self) { try read("{\"title\":\"\(inner)\"}") }
    #expect(value?.reason == .syntax && value?.field == "title")
    #expect(throws: InputError.self) { try read("{\"\(inner)\":1}") }
    #expect(throws: InputError.self) { try read("\"\(inner)") }
  }

  @Test(
    "B31: a name that stands twice is refused with its path, also when it is written with escapes",
    arguments: [
      BadJSON(#"{"version":1,"version":2}"#, .duplicateKey, field: "version"),
      BadJSON(#"{"version":1,"versio\u006e":1}"#, .duplicateKey, field: "version"),
      BadJSON(#"{"a":{"b":[{"c":1},{"c":1,"\u0063":2}]}}"#, .duplicateKey, field: "a.b[1].c"),
      BadJSON(#"{"":1,"":2}"#, .duplicateKey, field: "\"\""),
      BadJSON("{\"\u{E9}\":1,\"\\u00e9\":2}", .duplicateKey, field: "\"\u{E9}\""),
    ])
  func duplicateKeys(bad: BadJSON) {
    let error = #expect(throws: InputError.self) { try read(bad.text) }
    #expect(error?.reason == bad.reason)
    #expect(error?.field == bad.field)
  }

  @Test("B31: a name that stands twice is refused in a large object too, wherever it stands")
  func duplicateKeysAmongMany() throws {
    let names = (0..<40).map { "\"k\($0)\":0" }.joined(separator: ",")
    #expect(throws: Never.self) { try read("{\(names)}") }
    for again in [0, 14, 15, 16, 17, 39] {
      let error = #expect(throws: InputError.self) { try read("{\(names),\"k\(again)\":1}") }
      #expect(error?.reason == .duplicateKey && error?.field == "k\(again)")
    }
  }

  @Test("names that differ in bytes are different names, also when Unicode calls them equal")
  func distinctKeys() throws {
    #expect(throws: Never.self) { try read("{\"\u{E9}\":1,\"e\u{301}\":2,\"a\":1,\"A\":2,\"a \":3}") }
    #expect(throws: Never.self) { try read(#"[{"a":1},{"a":1,"b":{"a":2}}]"#) }
  }

  @Test("B31: a name that differs from a known one only by case is refused by whoever reads that one")
  func caseOnly() throws {
    let value = try read(#"{"version":1,"Version":2,"Other":3}"#)
    let error = #expect(throws: InputError.self) { try JSONObject(value, path: "m", known: ["version"]) }
    #expect(error?.reason == .ambiguousKey && error?.field == "m.Version")
    #expect(throws: InputError.self) { try JSONObject(try read(#"{"VERSION":1}"#), known: ["version"]) }
    #expect(try JSONObject(value, known: ["version", "Version", "title"]).members.count == 3)
  }

  @Test(
    "B50: a byte-order mark, UTF-16 and UTF-32 are refused before anything is read",
    arguments: [
      ([0xEF, 0xBB, 0xBF, 0x7B, 0x7D], .byteOrderMark), ([0xEF, 0xBB, 0xBF], .byteOrderMark),
      ([0xFF, 0xFE, 0x7B, 0x00], .notUTF8), ([0xFE, 0xFF, 0x00, 0x7B], .notUTF8),
      ([0x7B, 0x00, 0x7D, 0x00], .notUTF8), ([0x00, 0x7B, 0x00, 0x7D], .notUTF8),
      ([0x7B, 0x00, 0x00, 0x00], .notUTF8), ([0x00, 0x00, 0xFE, 0xFF], .notUTF8),
      ([0x22, 0xC0, 0xAF, 0x22], .notUTF8), ([0x22, 0xED, 0xA0, 0x80, 0x22], .notUTF8),
      ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], .notUTF8), ([0x22, 0xE2, 0x82, 0x22], .notUTF8),
      ([0x22, 0x80, 0x22], .notUTF8), ([0x22, 0xFF, 0x22], .notUTF8), ([0x22, 0xE2, 0x82], .notUTF8),
    ] as [([UInt8], InputError.Reason)])
  func encodings(bytes: [UInt8], reason: InputError.Reason) {
    let error = #expect(throws: InputError.self) { try JSONReader.read(bytes, maxBytes: 100) }
    #expect(error?.reason == reason)
  }

  @Test("nesting is limited exactly, and a megabyte of brackets ends at once", arguments: ["[", "{\"a\":"])
  func depth(opening: String) throws {
    let closing = opening == "[" ? "]" : "}"
    let nested = { (depth: Int) in
      String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)
    }
    #expect(throws: Never.self) { try read(nested(16)) }
    #expect(throws: Never.self) { try read(nested(0), maxDepth: 0) }
    for text in [nested(17), String(repeating: opening, count: (1 << 20) / opening.utf8.count)] {
      let error = #expect(throws: InputError.self) { try read(text) }
      #expect(error?.reason == .tooDeep)
    }
    #expect(throws: InputError.self) { try read(nested(15).replacing("1", with: "[[]]")) }
    #expect(throws: InputError.self) { try read(String(repeating: "{", count: 1 << 20)) }
  }

  @Test("size is limited before the text is looked at")
  func size() {
    let error = #expect(throws: InputError.self) { try JSONReader.read([0xFF, 0xFF, 0xFF], maxBytes: 2) }
    #expect(error?.reason == .tooLarge)
    #expect(throws: Never.self) { try JSONReader.read(Array("12".utf8), maxBytes: 2) }
  }

  @Test("time grows with the number of members, not with its square")
  func linearObject() throws {
    let text = { (count: Int) in
      Array(("{" + (0..<count).map { "\"k\($0)\":0" }.joined(separator: ",") + "}").utf8)
    }
    let (short, long) = (text(2_000), text(20_000))
    let few = try threadSeconds { _ = try JSONReader.read(short, maxBytes: 1 << 20) }
    let many = try threadSeconds { _ = try JSONReader.read(long, maxBytes: 1 << 20) }
    #expect(many / few < 25)
  }

  @Test("time grows with the length of the text, not with its square")
  func linear() throws {
    let text = { (count: Int) in
      Array(("[" + Array(repeating: "12", count: count).joined(separator: ",") + "]").utf8)
    }
    let (short, long) = (text(20_000), text(200_000))
    let few = try threadSeconds { _ = try JSONReader.read(short, maxBytes: 1 << 20) }
    let many = try threadSeconds { _ = try JSONReader.read(long, maxBytes: 1 << 20) }
    #expect(many / few < 25)
  }
}
