import Glibc
import OTAFeed
import OTAManifest
import ParserUpdater
import Synchronization
import TestSupport
import Testing
import UpdaterTestSupport

/// Many threads of one process on one store; `ci/races --threads` runs it for longer under the thread sanitizer.
@Suite("Races of threads")
struct ThreadRaces {
  private static let rounds =
    getenv("PARSER_OTA_RACE_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 10
  private static let threads = 8

  /// What the threads found broken, first come, first kept.
  private final class Findings: Sendable {
    private let texts = Mutex<[String]>([])
    var all: [String] { texts.withLock { $0 } }
    func add(_ text: String) { texts.withLock { $0.append(text) } }
  }

  private static let expected: Set<ProblemCode> = [.busy, .nothingToRollBackTo, .pinned, .noSuchRelease]

  private func judge(_ problem: Problem, _ findings: Findings) {
    if !Self.expected.contains(problem.code) { findings.add("\(problem.code.rawValue): \(problem.message)") }
  }

  private func check(_ release: ActiveRelease, _ findings: Findings) {
    guard let version = release.version?.number else { return findings.add("nothing was usable") }
    let content = SampleRelease.Content(of: version)
    if release.bundle != content.bundle || release.sources != content.sources {
      findings.add("release \(version) is not whole")
    }
    for note in release.notes where note.code != .busy { findings.add("note \(note.message)") }
  }

  /// One launch with updates, an end, and at times a word of a person, by round and thread.
  private func use(_ updater: Updater, _ number: Int, _ findings: Findings) async {
    do {
      if number.isMultiple(of: 2) { _ = try await updater.update() }
      if number % 7 == 3 { _ = try updater.rollback() }
      if number % 11 == 5 { _ = try updater.forgetRejected() }
      _ = try updater.status()
    } catch {
      judge(error, findings)
    }
    let release = updater.activate()
    check(release, findings)
    switch number % 5 {
    case 0, 1: if case .notRecorded(let problem) = updater.confirm(release) { judge(problem, findings) }
    case 2: check(updater.fail(release, reason: "told to"), findings)
    case 3: if case .notRecorded(let problem) = updater.close(release) { judge(problem, findings) }
    default: break
    }
  }

  @Test("B42: eight threads do everything to one store, with updaters of their own and one that they share")
  func threads() async throws {
    let device = try Device(embedded: 30)
    try device.feed.publish(31)
    #expect(await race(on: device) == [])
    _ = try device.updater().unpin()
    _ = try device.updater().forgetRejected()
    try await device.take(99)
    #expect(device.launch().version == 99 && device.scratch == [] && device.stored.count <= 2)
  }

  /// Ends when every updater has gone, and with it the leases on what it ran.
  private func race(on device: Device) async -> [String] {
    let findings = Findings()
    // An updater is made to be shared; a device, which makes them, is not.
    let shared = device.updater()
    let own = (0..<Self.threads * Self.rounds).map { _ in device.updater() }
    let feed = device.feed
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<Self.threads {
        group.addTask {
          for round in 0..<Self.rounds {
            await use(own[thread * Self.rounds + round], thread + round, findings)
            await use(shared, thread + round, findings)
          }
        }
      }
      group.addTask {
        for version in 32..<(32 + Int64(Self.rounds)) {
          do { try feed.publish(version) } catch { findings.add("\(error)") }
          try? await Task.sleep(for: .milliseconds(3))
        }
      }
    }
    return findings.all
  }
}
