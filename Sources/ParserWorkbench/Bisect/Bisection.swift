/// Looks for the release that broke something; pure: the caller tries the positions that it asks for.
///
/// Positions are releases from the oldest to the newest. What is looked for is the last change from good to bad: that is
/// the fault that the newest release has, or the one that was undone last. A fault may have come and gone before.
struct Bisection {
  /// How many positions are tried one by one; beyond that the range is halved.
  static let maxLinear = 12

  /// What a search ended with.
  enum Finding: Equatable {
    /// The newest release is good, and no bad one is known.
    case good
    /// Every release that was tried is bad.
    case neverGood
    /// The release at `bad` is bad and the one before it, at `good`, is good.
    case broken(good: Int, bad: Int)
    /// The same, and a later release is good again.
    case undone(good: Int, bad: Int)
  }

  private let count: Int
  private let isLinear: Bool
  /// Positions of withdrawn releases, newest first: where a fault that the newest release does not have can be.
  private let suspects: [Int]
  private var results: [Int: Bool] = [:]

  /// - Parameters:
  ///   - triesAll: whether every release is tried, however many there are.
  ///   - withdrawn: positions of releases that were withdrawn.
  init(count: Int, triesAll: Bool, withdrawn: [Int] = []) {
    self.count = count
    suspects = withdrawn.sorted(by: >)
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
    guard let newest = results[count - 1] else { return count - 1 }
    guard let end = newest ? badSuspect : count - 1 else {
      return newest ? suspects.first { results[$0] == nil } : nil
    }
    guard let oldest = results[0] else { return 0 }
    guard oldest, let (good, bad) = gap(upTo: end), bad - good > 1 else { return nil }
    return good + (bad - good) / 2
  }

  /// What the results say so far.
  var finding: Finding {
    guard results[count - 1] == true else {
      guard let (good, bad) = gap(upTo: count - 1) else { return .neverGood }
      return .broken(good: good, bad: bad)
    }
    let end = isLinear ? results.filter { !$0.value }.keys.max() : badSuspect
    guard let end, let (good, bad) = gap(upTo: end) else { return .good }
    return .undone(good: good, bad: bad)
  }

  /// The newest withdrawn release, unless a newer one is still to be tried; `nil` when none is bad.
  private var badSuspect: Int? {
    let known = suspects.prefix { results[$0] != nil }
    return known.first { results[$0] == false }
  }

  /// The newest good position before a bad one, and the oldest bad one after it.
  private func gap(upTo end: Int) -> (good: Int, bad: Int)? {
    guard let good = results.filter({ $0.value && $0.key < end }).keys.max(),
      let bad = results.filter({ !$0.value && $0.key > good && $0.key <= end }).keys.min()
    else { return nil }
    return (good, bad)
  }
}
