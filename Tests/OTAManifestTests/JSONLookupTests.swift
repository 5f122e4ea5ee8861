import OTAManifest
import Testing

/// Members are found by their bytes, however many there are.
@Suite("Members of JSON objects")
struct JSONLookupTests {
  @Test("a member is found by its bytes alone, in small and in large objects", arguments: [3, 16, 17, 500])
  func lookup(count: Int) throws {
    let members = (0..<count).map { JSONMember("key-\($0)", .integer(Int64($0))) }
    let object = try JSONObject(.object(members))
    for index in 0..<count { #expect(object["key-\(index)"] == .integer(Int64(index))) }
    #expect(object["key-\(count)"] == nil && object["KEY-0"] == nil && object[""] == nil)
    let accents = try JSONObject(
      .object(members + [JSONMember("e\u{301}", .bool(true)), JSONMember("\u{E9}", .bool(false))]))
    #expect(accents["\u{E9}"] == .bool(false) && accents["e\u{301}"] == .bool(true))
  }

  @Test("a name that differs from a known one only by case is refused", arguments: [1, 40])
  func ambiguous(count: Int) {
    let members = (0..<count).map { JSONMember("key-\($0)", .null) }
    for (name, isRefused) in [
      ("Version", true), ("vERSION", true), ("version ", false), ("ver\u{13}ion", false),
    ] {
      let value = JSONValue.object(members + [JSONMember(name, .null)])
      let error = problem { _ = try JSONObject(value, known: ["version"]) }
      #expect((error?.reason == .ambiguousKey) == isRefused, "\(name)")
    }
  }

  private func problem(_ body: () throws -> Void) -> InputError? {
    do {
      try body()
      return nil
    } catch {
      return error as? InputError
    }
  }
}
