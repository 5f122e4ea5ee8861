/// A generator that gives the same numbers for the same seed, on every machine and in every version of Swift (SplitMix64).
package struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  /// Starts from a seed.
  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to `bound` - 1.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// `true` once in `count` times.
  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  /// One of several, each as often as its weight says.
  mutating func pick<Value>(_ choices: [(weight: Int, value: Value)]) -> Value {
    var rest = below(choices.reduce(0) { $0 + $1.weight })
    for choice in choices {
      if rest < choice.weight { return choice.value }
      rest -= choice.weight
    }
    return choices[0].value
  }
}
