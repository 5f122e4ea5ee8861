/// Damages inputs a little, the same way for the same seed (xorshift64*).
public struct Mutation: RandomNumberGenerator {
  private var state: UInt64
  private static let pieces = [
    "{", "}", "[", "]", ",", ":", "\"", "\\u0041", "\\ud800", "0", "-", "9007199254740993", "1e9", "null",
    " ",
    "\n", "=", "--", "/", "..", "%2e", "%", "?", "@", "\u{0}", "\u{E9}", "\u{301}", "\u{FEFF}", "JS_",
    "file:",
  ]

  /// Starts from a seed other than 0.
  public init(seed: UInt64) { state = seed }

  /// The next number.
  public mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 2_685_821_657_736_338_717
  }

  /// The input after one to four edits: bytes removed, replaced, doubled, or a piece of syntax put in.
  public mutating func damaged(_ input: [UInt8]) -> [UInt8] {
    var bytes = input
    for _ in 0..<Int.random(in: 1...4, using: &self) {
      let place = Int.random(in: 0...bytes.count, using: &self)
      let end = min(place + Int.random(in: 1...8, using: &self), bytes.count)
      switch Int.random(in: 0..<5, using: &self) {
      case 0: bytes.removeSubrange(place..<end)
      case 1: bytes.insert(contentsOf: bytes[place..<end], at: place)
      case 2 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &self)
      case 3 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
      default: bytes.insert(contentsOf: (Self.pieces.randomElement(using: &self) ?? "").utf8, at: place)
      }
    }
    return bytes
  }
}
