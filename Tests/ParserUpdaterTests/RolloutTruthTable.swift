import OTAManifest
import Testing

@testable import ParserUpdater

/// The rule on who gets the release of a rollout, for every case of a small world.
@Suite("Who gets the release of a rollout")
struct RolloutTruthTable {
  private static let start = Timestamp(secondsSinceEpoch: 1_780_000_000)

  /// What the rule depends on, one value a field.
  private struct Case {
    var state: Rollout.State
    var isCritical: Bool
    var isAskedNow: Bool
    var isInside: Bool
    /// The newest release of everybody: older than the candidate, or as new.
    var complete: Int64
    /// What the device has of the candidate.
    var has: Has
    var currentIsWithdrawn: Bool
    var candidateIsRejected: Bool
  }

  private enum Has: CaseIterable { case nothing, staged, running }

  private static var all: [Case] {
    var all: [Case] = []
    for state in Rollout.State.allCases {
      for flags in 0..<32 {
        for has in Has.allCases {
          for complete in [Int64(37), 38] {
            all.append(
              Case(
                state: state, isCritical: flags & 1 != 0, isAskedNow: flags & 2 != 0,
                isInside: flags & 4 != 0, complete: complete, has: has,
                currentIsWithdrawn: flags & 8 != 0, candidateIsRejected: flags & 16 != 0))
          }
        }
      }
    }
    return all
  }

  private static func reason(_ row: Case) throws -> RolloutReason {
    let candidate = LaunchPlanExploration.release(38)
    var rollout = Rollout(
      channel: .stable, version: candidate.version, manifest: candidate.manifest,
      steps: try RolloutSteps("50%"), start: start, isCritical: row.isCritical)
    rollout.state = row.state
    var state = DeviceState()
    state.current = LaunchPlanExploration.release(row.has == .running ? 38 : 36)
    if row.has == .staged { state.staged = candidate }
    if row.currentIsWithdrawn, row.has != .running { state.withdrawn = [.init(36)!] }
    if row.candidateIsRejected { state.reject(candidate, reason: "blank", date: start) }
    return RolloutQuestion(
      rollout: rollout, complete: ReleaseVersion(row.complete)!, bucket: row.isInside ? 4999 : 5000,
      moment: start, isAskedNow: row.isAskedNow
    ).reason(in: state)
  }

  /// The same rule in other words: what forbids comes before what hurries, and a share comes last.
  private static func expected(_ row: Case) -> RolloutReason {
    if row.complete == 38 { return .overtaken }
    if row.state == .withdrawn { return .withdrawn }
    if row.candidateIsRejected { return .rejected }
    if row.has == .running { return .kept }
    if row.state == .halted { return .halted }
    if row.has == .staged { return .kept }
    if row.isCritical { return .critical }
    if row.isAskedNow { return .askedNow }
    if row.currentIsWithdrawn { return .replacesWithdrawn }
    return row.isInside ? .inside : .outside
  }

  @Test("every case of the rule")
  func table() throws {
    for row in Self.all {
      let reason = try Self.reason(row)
      #expect(reason == Self.expected(row), "\(row)")
    }
    #expect(Self.all.count == 576)
  }

  @Test("haste never brings a halted, withdrawn or rejected release")
  func safety() throws {
    for row in Self.all where row.state != .running || row.candidateIsRejected {
      let reason = try Self.reason(row)
      #expect(!reason.takes || row.has == .running, "\(row)")
    }
  }

  @Test("buckets are even, stable and of each release its own")
  func buckets() throws {
    var generator = Seeded(state: 7)
    var (cells, second) = ([Int](repeating: 0, count: 100), [Int](repeating: 0, count: 100))
    let devices = 100_000
    for _ in 0..<devices {
      let install = InstallID.random(using: &generator)
      let bucket = try install.bucket(for: ReleaseVersion(38)!)
      cells[bucket / 100] += 1
      if bucket < 1000 { second[try install.bucket(for: ReleaseVersion(39)!) / 100] += 1 }
    }
    #expect(
      Self.chiSquare(cells) < 148.2, "99 degrees of freedom, one in a thousand: \(Self.chiSquare(cells))")
    #expect(Self.chiSquare(second) < 148.2, "first for one release is not first for the next")
    let known = try #require(InstallID("000102030405060708090a0b0c0d0e0f"))
    #expect(try known.bucket(for: ReleaseVersion(38)!) == Self.knownBucket)
  }

  /// SHA-256("000102030405060708090a0b0c0d0e0f\n38"), first 8 bytes, times 10 000, divided by 2^64.
  private static let knownBucket = 7049

  private static func chiSquare(_ cells: [Int]) -> Double {
    let expected = Double(cells.reduce(0, +)) / Double(cells.count)
    return cells.reduce(0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
  }

  /// SplitMix64, for buckets that are the same in every run.
  struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }
}
