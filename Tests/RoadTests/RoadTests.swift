import Glibc
import Roads
import TestSupport
import Testing

/// Any sequence of publishing verbs leaves a feed that all readers accept; `ci/roads` is the long form.
@Suite("Roads") struct RoadTests {
  /// The same sequences each time, so that a change is judged by itself; `ci/roads` draws other ones.
  private static let seed: UInt64 =
    getenv("PARSER_OTA_ROADS_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1

  @Test("D1, D2, D5, D6, D7, B92: after 200 sequences of 12 steps all readers agree, and nothing goes back")
  func sequences() async throws {
    let findings = try await Campaign(seed: Self.seed).run(rounds: 200)
    #expect(findings.isEmpty, "PARSER_OTA_ROADS_SEED=\(Self.seed)\n\(findings.map(\.description).joined())")
  }

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
    #expect(listed.output.split(separator: "\n").count >= 6)
  }
}
