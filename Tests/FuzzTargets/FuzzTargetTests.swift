import Foundation
import TestSupport
import Testing

@Suite("Bytes from outside cannot break a reader")
struct FuzzTargetTests {
  private static let seed: UInt64 = 0xF022_2026
  private static let names = FuzzTarget.all.map(\.name)

  private func target(_ name: String) throws -> FuzzTarget {
    try #require(FuzzTarget.all.first { $0.name == name }, "\(name) is no target")
  }

  @Test("The starting points, and what mutations make of them, keep the rules", arguments: names)
  func mutations(name: String) throws {
    let target = try target(name)
    let seeds = try target.seeds()
    for seed in seeds { try target.check(seed) }
    print("seed of the mutations for \(name): \(Self.seed)")
    var mutation = Mutation(seed: Self.seed)
    let clock = ContinuousClock()
    let end = clock.now + .milliseconds(250)
    for round in 0..<400 where clock.now < end {
      let input = mutation.damaged(seeds[round % seeds.count])
      do {
        try target.check(input)
      } catch {
        Issue.record("\(error)\nround \(round): \(String(decoding: input, as: UTF8.self).debugDescription)")
      }
    }
  }

  @Test("What once broke a rule keeps it now")
  func findings() throws {
    for name in try namesInDirectory(FuzzTarget.findings) where name != "README.md" {
      let target = try target(String(name.prefix { $0 != "-" }))
      let input = try Data(contentsOf: URL(fileURLWithPath: "\(FuzzTarget.findings)/\(name)"))
      #expect(throws: Never.self, "\(name)") { try target.check(Array(input)) }
    }
  }

  @Test("A broken rule is noticed")
  func canFail() {
    #expect(throws: BrokenRule.self) { try require(false, "this holds") }
    #expect(throws: BrokenRule.self) { try must("this is read") { throw BrokenRule("it is not") } }
  }
}
