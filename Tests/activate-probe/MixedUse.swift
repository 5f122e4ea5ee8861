import Glibc
import OTAFeed
import OTAManifest
import OTAStorage
import ParserUpdater

/// What one process of an app does in many launches, in an order of its own, and what it finds broken.
struct MixedUse {
  private let configuration: UpdaterConfiguration
  private var numbers: SplitMix
  private var counts: [String: Int] = [:]

  init(_ configuration: UpdaterConfiguration, seed: UInt64) {
    self.configuration = configuration
    numbers = SplitMix(state: seed)
  }

  /// What may come up when several processes use one store: somebody else is at work, or there is nothing to go back to.
  private static let expected: Set<ProblemCode> = [.busy, .nothingToRollBackTo, .pinned, .noSuchRelease]

  mutating func run(rounds: Int) async {
    for _ in 0..<rounds { await launchOnce() }
    for (name, count) in counts.sorted(by: { $0.key < $1.key }) { ActivateProbe.say("did \(count) \(name)") }
  }

  /// One launch: perhaps an update or a word of a person, and an end.
  private mutating func launchOnce() async {
    let updater = Updater(configuration)
    if numbers.chance(50) { await update(updater) }
    let began = SystemClock.monotonicNanoseconds()
    let release = updater.activate()
    count("launches")
    if let version = release.version { ActivateProbe.say("launched \(version) at \(began)") }
    Self.check(release)
    for note in release.notes where note.code != .busy {
      Self.violation("note \(note.code.rawValue): \(note.message)")
    }
    if numbers.chance(8) { byHand(updater) }
    end(release, of: updater)
  }

  /// Tries again while another process is at work, so that updates do not all belong to one of them.
  private mutating func update(_ updater: Updater) async {
    for _ in 0..<200 {
      do {
        if case .staged = try await updater.update() { count("releases staged") }
        return count("updates")
      } catch {
        judge(error, of: "update")
        guard error.code == .busy else { return }
        _ = poll(nil, 0, 5)
      }
    }
  }

  private mutating func end(_ release: ActiveRelease, of updater: Updater) {
    switch numbers.next() % 20 {
    case 0...8:
      count("confirmations")
      judge(updater.confirm(release), of: "confirm")
    case 9:
      count("failures")
      fail(release, of: updater)
    case 10...12:
      count("good ends")
      judge(updater.close(release), of: "close")
    default: count("deaths")
    }
  }

  /// Another release runs instead, or the same one where the report did not count.
  private mutating func fail(_ release: ActiveRelease, of updater: Updater) {
    let next = updater.fail(release, reason: "told to")
    Self.check(next)
    guard let version = release.version, next.version != version, next.notes.isEmpty else { return }
    ActivateProbe.say("failed \(version) at \(SystemClock.monotonicNanoseconds())")
  }

  private mutating func byHand(_ updater: Updater) {
    do {
      switch numbers.next() % 3 {
      case 0:
        count("roll backs")
        let left = try updater.rollback().left
        ActivateProbe.say("failed \(left) at \(SystemClock.monotonicNanoseconds())")
      case 1: count("pins"); _ = try updater.pin()
      default: count("pins taken away"); _ = try updater.unpin()
      }
    } catch {
      judge(error, of: "a change by hand")
    }
  }

  private mutating func judge(_ result: VerdictResult, of what: String) {
    if case .notRecorded(let problem) = result { judge(problem, of: what) }
  }

  private mutating func judge(_ problem: Problem, of what: String) {
    guard !Self.expected.contains(problem.code) else { return count("times \(problem.code.rawValue)") }
    Self.violation("\(what): \(problem.code.rawValue): \(problem.message)")
  }

  private mutating func count(_ name: String) { counts[name, default: 0] += 1 }

  // MARK: Promises

  /// A whole release: both files carry the marker of one publish.
  static func check(_ release: ActiveRelease) {
    let (bundle, sources) = (marker(release.bundle), marker(release.sources))
    if release.standing == .unusable { violation("nothing was usable: \(release.notes.map(\.message))") }
    if bundle == nil || bundle != sources {
      violation("a bundle of \(bundle ?? "nothing") with a catalog of \(sources ?? "nothing")")
    }
  }

  /// The letters and digits after `marker:`.
  private static func marker(_ bytes: [UInt8]) -> String? {
    String(decoding: bytes, as: UTF8.self).firstRange(of: "marker:").map { found in
      String(
        String(decoding: bytes, as: UTF8.self)[found.upperBound...].prefix { $0.isLetter || $0.isNumber })
    }
  }

  static func violation(_ text: String) { ActivateProbe.say("violation: \(text)") }
}

/// Numbers that look random and come in the same order for the same seed.
struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// True so many times in a hundred.
  mutating func chance(_ percent: UInt64) -> Bool { next() % 100 < percent }
}
