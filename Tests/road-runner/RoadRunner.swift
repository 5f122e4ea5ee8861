import Glibc
import Roads

/// The program behind `ci/roads`: plays sequences and prints what was found.
@main struct RoadRunner {
  /// Prints a line at once, also into a pipe.
  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  static func main() async {
    var words = CommandLine.arguments.dropFirst()
    var (rounds, seed, limit) = (200, UInt64.random(in: 0..<1 << 32), 1)
    var python: String?
    var known: [String] = []
    while let word = words.popFirst() {
      switch word {
      case "--seed": seed = words.popFirst().flatMap { UInt64($0) } ?? seed
      case "--findings": limit = words.popFirst().flatMap { Int($0) } ?? limit
      case "--except": known = (words.popFirst() ?? "").split(separator: ",").map(String.init)
      case "--python": python = words.popFirst()
      default: rounds = Int(word) ?? rounds
      }
    }
    let started = ContinuousClock.now
    say("roads: \(rounds) sequences from seed \(seed)")
    var campaign = Campaign(seed: seed)
    campaign.python = python
    campaign.knownKinds = known
    campaign.observe = { count, finding in
      if let finding { say("\(finding)") }
      if count % 500 == 0 { say("roads: \(count) sequences") }
    }
    do {
      let findings = try await campaign.run(rounds: rounds, maxFindings: limit)
      say(
        "roads: \(findings.count) violations, \(started.duration(to: .now).components.seconds) s, seed \(seed)"
      )
      exit(findings.isEmpty ? 0 : 1)
    } catch {
      say("roads: cannot go on: \(error)")
      exit(2)
    }
  }
}
