import Glibc
import Roads
import TestSupport
import Testing

/// What the proof of all roads rests on; the sequences themselves are played by `ci/roads`.
@Suite("Roads") struct RoadTests {
  @Test("a seed gives the same sequences on every machine")
  func sameSeed() {
    var (one, other, third) = (Generator(seed: 7), Generator(seed: 7), Generator(seed: 8))
    let sequence = one.sequence(steps: 12)
    #expect(sequence.count == 12 && sequence == other.sequence(steps: 12))
    #expect(sequence != third.sequence(steps: 12))
  }

  @Test("every broken build that the sequences must find can still be made")
  func mutants() throws {
    let listed = try run(BuiltProducts.packageRoot() + "/ci/roads", ["--list"])
    #expect(listed.status == .exited(0), "\(listed.errors)")
    #expect(listed.output.split(separator: "\n").count >= 5)
  }
}
