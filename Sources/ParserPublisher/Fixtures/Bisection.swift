/// Looks for the release that broke something; pure: the caller tries the positions that it asks for.
///
/// Positions are releases from the oldest to the newest. What is looked for is the last change from good to bad, since
/// that is the fault that the newest release has: a fault may have come and gone before.
struct Bisection {
  /// How many positions are tried one by one; beyond that the range is halved.
  static let maxLinear = 12

  /// What a search ended with.
  enum Finding: Equatable {
    /// The newest release is good.
    case good
    /// Every release that was tried is bad.
    case neverGood
    /// The release at `bad` is bad and the one before it, at `good`, is good.
    case broken(good: Int, bad: Int)
  }

  private let count: Int
  private let isLinear: Bool
  private var results: [Int: Bool] = [:]

  /// - Parameter triesAll: whether every release is tried, however many there are.
  init(count: Int, triesAll: Bool) {
    self.count = count
    isLinear = triesAll || count <= Self.maxLinear
  }

  /// Whether the answer rests on the assumption that the fault came once and stayed.
  var assumesOneChange: Bool { !isLinear }

  /// Notes whether the release at a position is good.
  mutating func note(_ isGood: Bool, at position: Int) { results[position] = isGood }

  /// The next position to try; `nil` when the answer is known.
  var next: Int? {
    guard count > 0 else { return nil }
    if isLinear { return (0..<count).reversed().first { results[$0] == nil } }
    for end in [count - 1, 0] where results[end] == nil {
      // The oldest needs no trial while the newest is good.
      return end == 0 && results[count - 1] == true ? nil : end
    }
    guard results[count - 1] == false, results[0] == true, let (good, bad) = gap, bad - good > 1 else {
      return nil
    }
    return good + (bad - good) / 2
  }

  /// What the results say so far.
  var finding: Finding {
    if results[count - 1] == true { return .good }
    guard let (good, bad) = gap else { return .neverGood }
    return .broken(good: good, bad: bad)
  }

  /// The newest good position, and the oldest bad one after it.
  private var gap: (good: Int, bad: Int)? {
    guard let good = results.filter(\.value).keys.max(),
      let bad = results.filter({ !$0.value && $0.key > good }).keys.min()
    else { return nil }
    return (good, bad)
  }
}
