import Foundation
import OTAManifest
import Testing

/// A small generator with a fixed start (xorshift64*), so that a failure can be repeated.
private struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 2_685_821_657_736_338_717
  }
}

@Suite("The strict reader agrees with a second implementation")
struct JSONMutationTests {
  private static let seed: UInt64 = 0x5EED_2026
  private static let documents = [
    #"{"version":38,"bundle":{"url":"files/a.js","sha256":"9f00","bytes":547986},"withdrawn":[37],"requires":[]}"#,
    #"[{"id":"ABC","title":"A\u00e9\ud83d\ude00\n","isNsfw":false,"overrides":{"a":null,"b":[true,-1.5e3]}}]"#,
    #" { "a" : [ [ [ 0 , -0 , 0.10 , 1E+2 ] ] ] , "é" : "\\\"\/\b\f\n\r\t" , "" : { } } "#,
    "[1,2,3,[],{},\"x\",null,true,false]",
  ]
  // U+FEFF is left out: the second implementation drops it at the start of a string, which it must not.
  private static let pieces = [
    "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\u0041", "\\ud800", "\\udc00", "0", "-", "1", ".", "e",
    "+", " ",
    "\n", "null", "true", "fals", "//", "/**/", "\u{0}", "\u{1}", "\u{E9}", "\"a\":1,", "1e9", "'",
  ]

  /// One to three edits: bytes removed, replaced, doubled, or a piece of syntax put in.
  private func mutated(_ bytes: [UInt8], with generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      let piece = Self.pieces.randomElement(using: &generator) ?? ""
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: bytes.remove(at: place)
      case 1: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 2: bytes.insert(contentsOf: bytes[place..<min(place + 8, bytes.count)], at: place)
      case 3: bytes.removeSubrange(place..<min(place + 4, bytes.count))
      default: bytes.insert(contentsOf: piece.utf8, at: place)
      }
    }
    return bytes
  }

  /// Whether the second implementation read the same; numbers are compared as doubles, as it keeps them.
  private func same(_ ours: JSONValue, _ theirs: Any) -> Bool {
    switch ours {
    case .null: return theirs is NSNull
    case .bool(let flag): return (theirs as? Bool) == flag
    case .string(let text): return (theirs as? String)?.utf8.elementsEqual(text.utf8) == true
    case .number(let number): return (theirs as? NSNumber)?.doubleValue == Double(number.text)
    case .array(let items):
      guard let others = theirs as? [Any], others.count == items.count else { return false }
      return zip(items, others).allSatisfy { same($0, $1) }
    case .object(let members):
      guard let others = theirs as? [String: Any], others.count == members.count else { return false }
      return members.allSatisfy { member in others[member.key].map { same(member.value, $0) } ?? false }
    }
  }

  @Test("what our reader accepts, the other accepts with the same value; nothing crashes")
  func mutations() throws {
    print("seed of the JSON mutations: \(Self.seed)")
    var generator = SeededGenerator(state: Self.seed)
    var accepted = 0
    for round in 0..<3000 {
      let document = mutated(Array(Self.documents[round % Self.documents.count].utf8), with: &generator)
      guard let ours = try? JSONReader.read(document, maxBytes: 4096) else { continue }
      accepted += 1
      let shown = String(decoding: document, as: UTF8.self).debugDescription
      guard let other = try? JSONSerialization.jsonObject(with: Data(document), options: .fragmentsAllowed)
      else {
        Issue.record("round \(round): only our reader accepts \(shown)")
        continue
      }
      #expect(same(ours, other), "round \(round): \(shown)")
      #expect(try JSONReader.read(ours.encoded(indented: true), maxBytes: 8192) == ours)
    }
    #expect(accepted > 200, "too few mutated documents stay valid for the comparison to mean something")
    #expect(accepted < 2500)
  }
}
