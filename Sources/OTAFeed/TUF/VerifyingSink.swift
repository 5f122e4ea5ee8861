internal import OTATransfer
internal import OTATrust
internal import Synchronization

/// Hands the bytes of a target on while it compares them with signed metadata.
///
/// What was handed on may be used only after `finish` has returned.
final class VerifyingSink: FetchSink {
  private let target: TargetDescription
  private let sink: any FetchSink
  private let check = Mutex<FileCheck?>(nil)

  init(_ target: TargetDescription, into sink: any FetchSink) {
    self.target = target
    self.sink = sink
  }

  func begin(_ response: FetchResponse) throws {
    guard response.resumedFrom == 0 else {
      throw TrustError(.mismatch, role: target.path, "came in part, although the whole was asked for")
    }
    let started = try FileCheck(target)
    put(started)
    try sink.begin(response)
  }

  func receive(_ chunk: RawSpan) throws {
    try update(chunk)
    try sink.receive(chunk)
  }

  /// Refuses what came unless it is all of the target.
  func finish() throws(TrustError) {
    guard let check = take() else { throw TrustError(.mismatch, role: target.path, "did not come") }
    try check.finish()
  }

  private func put(_ started: consuming FileCheck) {
    var started: FileCheck? = started
    check.withLock { $0 = started.take() }
  }

  private func take() -> FileCheck? { check.withLock { $0.take() } }

  private func update(_ chunk: RawSpan) throws(TrustError) {
    guard var current = take() else { throw TrustError(.mismatch, role: target.path, "came without a head") }
    try current.update(chunk)
    put(current)
  }
}
