internal import ParserPublisher
internal import Synchronization

/// Keeps what the gate found, which a refusal carries in short only.
final class GateWitness: Sendable {
  private let found = Mutex<GateReport?>(nil)

  /// The newest report; `nil` when the gate was not reached.
  var report: GateReport? { found.withLock { $0 } }

  func see(_ report: GateReport) { found.withLock { $0 = report } }
}
