internal import OTAManifest
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
  /// The first bytes that came, whatever became of them.
  private let head = Mutex<[UInt8]>([])
  private static let headBytes = 512
  private let response = Mutex<FetchResponse?>(nil)

  init(_ target: TargetDescription, into sink: any FetchSink) {
    self.target = target
    self.sink = sink
  }

  func begin(_ response: FetchResponse) throws {
    self.response.withLock { $0 = response }
    head.withLock { $0 = [] }
    guard response.resumedFrom == 0 else {
      throw TrustError(.mismatch, role: target.path, "came in part, although the whole was asked for")
    }
    let started = try FileCheck(target)
    put(started)
    try sink.begin(response)
  }

  /// Whether a page came in place of the file.
  var looksLikeHTML: Bool { head.withLock { ReleaseContentCheck.looksLikeHTML($0) } }

  /// The coding that the file came in, when it came in one.
  var trueCoding: String? {
    let head = head.withLock { $0 }
    return response.withLock { $0?.trueCoding(of: head) }
  }

  func receive(_ chunk: RawSpan) throws {
    remember(chunk)
    try update(chunk)
    try sink.receive(chunk)
  }

  /// Refuses what came unless it is all of the target.
  func finish() throws(TrustError) {
    guard let check = take() else { throw TrustError(.mismatch, role: target.path, "did not come") }
    try check.finish()
  }

  private func remember(_ chunk: RawSpan) {
    head.withLock { head in
      head += chunk.firstBytes(max(0, Self.headBytes - head.count))
    }
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
