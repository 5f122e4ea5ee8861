import OTAManifest
import Testing

@Suite("Typed access to an object names the whole path when it fails")
struct JSONObjectTests {
  private func object(_ text: String) throws -> JSONObject {
    try JSONObject(JSONReader.read(Array(text.utf8), maxBytes: 1000), path: "bundle")
  }

  @Test("members are read by their types")
  func typed() throws {
    let object = try object(#"{"s":"x","b":true,"n":7,"a":[1],"o":{"i":3},"z":null}"#)
    #expect(try object.string("s") == "x" && object.bool("b") && object.integer("n") == 7)
    #expect(try object.array("a") == [.integer(1)])
    #expect(try object.object("o").integer("i") == 3)
    #expect(object["z"] == .null && object["none"] == nil)
    #expect(try object.optional("none", object.string) == nil)
    #expect(try object.optional("s", object.string) == "x")
  }

  @Test(
    "a missing member, another type and an explicit null are refused",
    arguments: [
      ("none", .missing, "bundle.none"), ("n", .wrongType, "bundle.n"), ("z", .wrongType, "bundle.z"),
      ("o", .wrongType, "bundle.o"), ("odd name", .wrongType, "bundle.\"odd name\""),
    ] as [(String, InputError.Reason, String)])
  func refused(name: String, reason: InputError.Reason, field: String) throws {
    let object = try object(#"{"n":7,"o":{"i":3},"z":null,"odd name":1}"#)
    let error = #expect(throws: InputError.self) { try object.string(name) }
    #expect(error?.reason == reason)
    #expect(error?.field == field)
  }

  @Test("a path goes through objects, and null is not absence")
  func nested() throws {
    let object = try object(#"{"o":{"i":"x"},"z":null}"#)
    let inner = #expect(throws: InputError.self) { try object.object("o").integer("i") }
    #expect(inner?.field == "bundle.o.i")
    #expect(throws: InputError.self) { try object.optional("z", object.string) }
    #expect(throws: InputError.self) { try object.object("z") }
    #expect(throws: InputError.self) { try JSONObject(.array([])) }
  }

  @Test("what a message shows of hostile text fits on one line")
  func messages() throws {
    let hostile = #"{"a\n\u202e\u0007":"#
    let error = #expect(throws: InputError.self) { try object(hostile) }
    #expect(error?.field == "\"a\u{FFFD}\u{FFFD}\u{FFFD}\"")
    let long = #expect(throws: InputError.self) {
      try object("{\"" + String(repeating: "x", count: 500) + "\":")
    }
    #expect((long?.message.count ?? 1000) < 200)
    #expect("a\n\u{202E}b\u{0}".printable() == "a\u{FFFD}\u{FFFD}b\u{FFFD}")
    #expect("abcdef".printable(maxCharacters: 3) == "abc\u{2026}")
  }
}
