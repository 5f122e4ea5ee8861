import OTAManifest
import TestSupport
import Testing

@Suite("The JSON writer")
struct JSONWriterTests {
  @Test("one line, or two spaces a level with a final newline")
  func layout() {
    let value = JSONValue.object([
      JSONMember("b", .array([.integer(1), .object([]), .array([])])), JSONMember("a", .null),
    ])
    #expect(String(decoding: value.encoded(indented: false), as: UTF8.self) == #"{"b":[1,{},[]],"a":null}"#)
    #expect(
      String(decoding: value.encoded(indented: true), as: UTF8.self)
        == "{\n  \"b\": [\n    1,\n    {},\n    []\n  ],\n  \"a\": null\n}\n")
  }

  @Test("strings are escaped where they must be, and nowhere else")
  func strings() {
    let text = "\"\\/\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}\u{E9}e\u{301}\u{2028}\u{1F600}<"
    let expected = #""\"\\/\b\f\n\r\t\u0000\u001f\u007f"# + "\u{E9}e\u{301}\u{2028}\u{1F600}<\""
    #expect(JSONValue.string(text).encoded(indented: false) == Array(expected.utf8))
  }

  @Test(
    "what is written reads back as the same value, and is written the same again", arguments: [true, false])
  func roundTrip(indented: Bool) throws {
    let everyScalar = (0..<0x300).compactMap(Unicode.Scalar.init).reduce(into: "") {
      $0.unicodeScalars.append($1)
    }
    let values = [
      try JSONReader.read(Fixtures.catalog121, maxBytes: 1 << 20),
      .object([JSONMember(everyScalar, .string(everyScalar)), JSONMember("", .integer(.min))]),
      .array([.bool(true), .bool(false), .null, .integer(.max), .string("")]),
    ]
    for value in values {
      let bytes = value.encoded(indented: indented)
      let again = try JSONReader.read(bytes, maxBytes: 1 << 20)
      #expect(again == value)
      #expect(again.encoded(indented: indented) == bytes)
    }
  }
}
