import Foundation
import TestSupport
import Testing

/// The short form of `ci/gate-score`, on the tool that was built with the tests.
@Suite("Gate score", .enabled(if: GateScore.possible, "needs node and acorn: run ci/setup"))
struct GateScoreTests {
  @Test("forty faults in as many families are named at their lines, and twenty right rewrites raise no alarm")
  func cases() throws {
    let result = try TestSupport.run(
      GateScore.command, ["--cases", "--tool", try Tool.path()], environment: GateScore.environment,
      timeout: .seconds(300))
    #expect(result.status == .exited(0), "\(result.output)\(result.errors)")
    #expect(result.output.contains("40 faults, 0 missed; 20 harmless rewrites, 0 alarms"), "\(result.output)")
  }

  @Test("the bench makes at least 400 faults in 90 kinds and 160 rewrites, the same for the same seed")
  func generator() throws {
    let list = try TestSupport.run(GateScore.command, ["--list"], environment: GateScore.environment)
    #expect(list.status == .exited(0), "\(list.errors)")
    var faults: [Int] = []
    var harmless: [Int] = []
    var isHarmless = false
    for line in list.output.split(separator: "\n") {
      guard line.hasPrefix("  ") else {
        isHarmless = line.hasSuffix("(harmless)")
        continue
      }
      let count = try #require(line.firstMatch(of: /^  [a-z0-9-]+ (\d+)/).flatMap { Int($0.output.1) })
      if isHarmless { harmless.append(count) } else { faults.append(count) }
    }
    #expect(faults.reduce(0, +) >= 400 && faults.count { $0 > 0 } >= 90)
    #expect(harmless.reduce(0, +) >= 160)
    let shown = try (0..<2).map { _ in
      try TestSupport.run(
        GateScore.command, ["--show", "variable-misspelt:3", "--seed", "7"],
        environment: GateScore.environment
      ).output
        .split(separator: "\n").filter { !$0.hasPrefix("---") && !$0.hasPrefix("+++") }
    }
    #expect(shown[0] == shown[1] && shown[0].contains { $0.hasPrefix("+") })
  }
}

private enum GateScore {
  static let command = BuiltProducts.packageRoot(of: #filePath) + "/ci/gate-score"
  static let environment: [String: String] = {
    var variables = Tool.bareEnvironment
    variables["PARSER_OTA_ENGINE"] = nil
    return variables
  }()

  static let possible: Bool = {
    let asked = try? TestSupport.run(
      command, ["--list", "--kind", "bundle-empty"], environment: GateScore.environment)
    // Without node the bench cannot start, and then there is nothing to run.
    return asked?.status == .exited(0)
  }()
}
