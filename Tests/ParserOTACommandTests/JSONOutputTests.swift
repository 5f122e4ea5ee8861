import Foundation
import Testing

@testable import ParserOTACommand

@Suite struct JSONOutputTests {
  @Test("values are written on one line, members in their order")
  func shape() {
    let value = JSONOutput.object([
      .init("z", .array([.integer(.min), .bool(true), .null])), .init("a", .object([])),
      .init("m", .array([])),
    ])
    #expect(value.text == #"{"z":[-9223372036854775808,true,null],"a":{},"m":[]}"#)
  }

  @Test("strings are escaped where JSON asks for it and nowhere else")
  func escapes() {
    #expect(JSONOutput.string("a\"\\/\n\r\t\u{0}\u{1F}\u{7F}").text == #""a\"\\/\n\r\t\u0000\u001f\u007f""#)
    #expect(JSONOutput.string("é\u{2028}😀\r\n").text == "\"é\u{2028}😀\\r\\n\"")
  }

  @Test("every scalar up to U+3000 comes back through another reader")
  func roundTrip() throws {
    let text = String(String.UnicodeScalarView((0...0x3000).compactMap(Unicode.Scalar.init)))
    let data = Data(JSONOutput.object([.init(text, .string(text))]).text.utf8)
    let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: String])
    #expect(object.keys.first.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
    #expect(object.values.first.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
  }
}
