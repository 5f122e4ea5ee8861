import Glibc
import TestSupport

/// Many sequences, one after the other, and what was found.
package struct Campaign: Sendable {
  /// A sequence that ended with a violation, as short as it could be made.
  package struct Finding: CustomStringConvertible, Sendable {
    package let seed: UInt64
    package let steps: [Step]
    package let violation: Violation
    package let commands: [String]

    package var description: String {
      "seed \(seed): \(violation)\n" + commands.map { "  \($0)\n" }.joined()
    }
  }

  package let seed: UInt64
  package var stepsEach = 12
  package var python: String?
  /// Called after each sequence with the number of sequences so far.
  package var observe: @Sendable (Int, Finding?) -> Void = { _, _ in }
  /// Kinds of violations that are set aside.
  package var knownKinds: [String] = []

  private static let batch = 50

  package init(seed: UInt64) { self.seed = seed }

  /// Plays `rounds` sequences; stops early after so many findings.
  package func run(rounds: Int, maxFindings: Int = 1, isShrinking: Bool = true) async throws -> [Finding] {
    let memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil
    let home = try TemporaryDirectory(in: memory)
    let readers = try ReaderProcess(python: python)
    var findings: [Finding] = []
    var kinds: Set<String> = []
    for first in stride(from: 0, to: rounds, by: Self.batch) {
      let sites = try Sites()
      defer { sites.stop() }
      let place = Place(sites: sites, readers: readers, folder: home.path)
      for number in first..<min(rounds, first + Self.batch) {
        let seed = seed &+ UInt64(number)
        var generator = Generator(seed: seed)
        let steps = generator.sequence(steps: stepsEach)
        var finding = try await Self.play(steps, in: place, seed: seed)
        if let found = finding,
          kinds.contains(found.violation.kind) || knownKinds.contains(found.violation.kind)
        {
          finding = nil
        }
        if let found = finding {
          kinds.insert(found.violation.kind)
          let short = isShrinking ? try await Shrinker(place: place, finding: found).shortest() : found
          findings.append(short)
          finding = short
        }
        observe(number + 1, finding)
        if findings.count >= maxFindings { return findings }
      }
    }
    withExtendedLifetime(home) {}
    return findings
  }

  /// Plays one sequence; what it found, if anything.
  static func play(_ steps: [Step], in place: Place, seed: UInt64) async throws -> Finding? {
    Counter.next += 1
    let world = World(place, site: "w\(Counter.next)")
    defer { _ = try? world.remove() }
    do {
      for step in steps { try await world.play(step) }
      return nil
    } catch let violation as Violation {
      return Finding(seed: seed, steps: steps, violation: violation, commands: world.log)
    }
  }

  private enum Counter {
    nonisolated(unsafe) static var next = 0
  }
}

/// Leaves out and simplifies steps for as long as the same kind of violation comes.
struct Shrinker {
  let place: Place
  var finding: Campaign.Finding

  func shortest() async throws -> Campaign.Finding {
    var best = finding
    var isShorter = true
    while isShorter {
      isShorter = false
      for candidate in Self.simpler(best.steps) {
        guard let found = try await Campaign.play(candidate, in: place, seed: best.seed),
          found.violation.kind == best.violation.kind
        else { continue }
        best = found
        isShorter = true
        break
      }
    }
    return best
  }

  /// Sequences with less in them, the shortest first.
  static func simpler(_ steps: [Step]) -> [[Step]] {
    var candidates: [[Step]] = []
    for size in [steps.count / 2, steps.count / 4, 1] where size > 0 {
      for first in stride(from: 0, through: steps.count - size, by: size) where size < steps.count {
        candidates.append(Array(steps[..<first] + steps[(first + size)...]))
      }
    }
    for (index, step) in steps.enumerated() {
      for simpler in Self.simpler(step) {
        var changed = steps
        changed[index] = simpler
        candidates.append(changed)
      }
    }
    return candidates
  }

  private static func simpler(_ step: Step) -> [Step] {
    var simpler: [Step] = []
    if step.deploy != .nothing { simpler.append(Step(step.verb, minutes: step.minutes, deploy: .nothing)) }
    if step.deploy != .nothing, step.deploy != .whole {
      simpler.append(Step(step.verb, minutes: step.minutes, deploy: .whole))
    }
    if step.minutes > 20 { simpler.append(Step(step.verb, minutes: 10, deploy: step.deploy)) }
    switch step.verb {
    case .killed(let inner, _, _):
      simpler.append(Step(inner, minutes: step.minutes, deploy: step.deploy))
    case .together(let first, let second):
      simpler += [first, second].map { Step($0, minutes: step.minutes, deploy: step.deploy) }
    case .publish(let publication, let isBeta) where publication != .new:
      simpler.append(Step(.publish(.new, beta: isBeta), minutes: step.minutes, deploy: step.deploy))
    case .start(let start) where start.keep != nil:
      var plainer = start
      plainer.keep = nil
      simpler.append(Step(.start(plainer), minutes: step.minutes, deploy: step.deploy))
    case .start(let start) where start.isSigned:
      var plainer = start
      plainer.isSigned = false
      simpler.append(Step(.start(plainer), minutes: step.minutes, deploy: step.deploy))
    default: break
    }
    return simpler
  }
}
