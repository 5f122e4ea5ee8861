import OTAManifest
import Testing

@Suite("Numbers in JSON are kept as their text")
struct JSONNumberTests {
  private func object(_ number: String) throws -> JSONObject {
    try JSONObject(JSONReader.read(Array(#"{"version":\#(number)}"#.utf8), maxBytes: 1000))
  }

  @Test(
    "B33: integers are plain digits within the range",
    arguments: [
      ("38", 38), ("1", 1), ("9007199254740991", 9_007_199_254_740_991),
      ("9007199254740990", 9_007_199_254_740_990),
    ] as [(String, Int64)])
  func integers(text: String, value: Int64) throws {
    #expect(try object(text).integer("version") == value)
  }

  @Test(
    "B33: everything else is refused with the field's name",
    arguments: [
      ("38.0", .wrongType), ("3.8e1", .wrongType), ("1e2", .wrongType), ("1E2", .wrongType),
      ("38.5", .wrongType),
      (#""38""#, .wrongType), ("true", .wrongType), ("null", .wrongType), ("[38]", .wrongType),
      ("1e400", .wrongType),
      ("-0", .outOfRange), ("0", .outOfRange), ("-1", .outOfRange), ("9007199254740992", .outOfRange),
      ("9007199254740993", .outOfRange), ("9223372036854775807", .outOfRange),
      ("9223372036854775808", .outOfRange),
      ("-9223372036854775809", .outOfRange), ("99999999999999999999999999999999", .outOfRange),
      ("0038", .syntax), ("00", .syntax), ("-01", .syntax), ("+38", .syntax), (" +1", .syntax),
      (".5", .syntax),
      ("5.", .syntax), ("1e", .syntax), ("1e+", .syntax), ("-", .syntax), ("--1", .syntax), ("0x26", .syntax),
      ("1_000", .syntax), ("1.2.3", .syntax), ("\u{663}", .syntax), ("", .syntax),
    ] as [(String, InputError.Reason)])
  func refused(text: String, reason: InputError.Reason) {
    let error = #expect(throws: InputError.self) { try object(text).integer("version") }
    #expect(error?.reason == reason)
    #expect(error?.field == "version")
    #expect(error?.message.hasPrefix("version ") == true)
  }

  @Test("the range is the caller's, and its ends belong to it")
  func range() throws {
    #expect(try object("0").integer("version", in: 0...5) == 0)
    #expect(try object("-9223372036854775808").integer("version", in: .min ... .max) == .min)
    #expect(try object("9223372036854775807").integer("version", in: .min ... .max) == .max)
    #expect(throws: InputError.self) { try object("6").integer("version", in: 0...5) }
    #expect(throws: InputError.self) { try object("-0").integer("version", in: -5...5) }
  }

  @Test(
    "no digit is lost, whatever the number",
    arguments: [
      "1234567890123456789", "123456789012345678901234567890", "0.1000", "1e400", "-1.50E-0003", "-0.0",
    ])
  func text(number: String) throws {
    let value = try JSONReader.read(Array(number.utf8), maxBytes: 100)
    #expect(value.encoded(indented: false) == Array(number.utf8))
  }
}
