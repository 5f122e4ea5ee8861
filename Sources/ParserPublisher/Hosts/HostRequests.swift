internal import OTAFeed
internal import OTAManifest
package import OTATransfer

/// Whatever sends the requests of a publisher; libcurl in earnest.
package protocol HostTransport: Sendable {
  func send(_ request: HostRequest) async throws(TransferError) -> HostAnswer
}

extension HostConnection: HostTransport {}

/// Sends requests again where that can help; every request of a publisher may arrive twice without harm.
struct HostRequests: Sendable {
  let transport: any HostTransport
  let patience: HostPatience

  private static let passing: Set<TransferError.Kind> = [
    .unreachable, .refused, .timedOut, .stalled, .truncated, .server, .throttled, .protocolViolation,
  ]

  func send(_ request: HostRequest) async throws(Problem) -> HostAnswer {
    var attempt = 1
    while true {
      var asked: Duration?
      do throws(TransferError) {
        let answer = try await transport.send(request)
        guard answer.status == 429 || answer.status >= 500, attempt < patience.attempts else { return answer }
        asked = answer.retryAfter.flatMap { Int($0) }.map { .seconds(min($0, 20)) }
      } catch {
        guard Self.passing.contains(error.kind), attempt < patience.attempts else { throw Problem(error) }
      }
      try await pause(before: attempt, asked)
      attempt += 1
    }
  }

  /// Waits as the host asks, else twice as long each time, with chance so that many do not come at once.
  private func pause(before attempt: Int, _ asked: Duration?) async throws(Problem) {
    let usual = patience.retryPause * (1 << (attempt - 1))
    let chance = Double.random(in: 0.75...1.25)
    try await Problem.sleep(asked ?? usual * chance)
  }
}

extension Problem {
  /// A pause that ends with the task.
  static func sleep(_ duration: Duration) async throws(Problem) {
    do {
      try await Task.sleep(for: duration)
    } catch {
      throw Problem(.cancelled, "the wait was cancelled")
    }
  }

  /// An answer of a host that is no success.
  init(host place: String, _ operation: String, _ path: String, _ answer: HostAnswer, words: String? = nil) {
    let code: ProblemCode =
      switch answer.status {
      case 401, 403: .forbidden
      case 404, 410: .notFound
      case 429: .throttled
      case 500...599: .serverError
      default: .transferFailed
      }
    let advice: String? =
      switch code {
      case .forbidden: "check the credentials in the environment, and what they may do there"
      case .throttled, .serverError: "try again later; what was written so far is used"
      default: nil
      }
    let said = words.map { ": \($0)" } ?? ""
    self.init(
      code, "\(place) answers \(answer.status) to \(operation) \(path)\(said)", advice: advice,
      retryAfter: answer.retryAfter)
  }
}
