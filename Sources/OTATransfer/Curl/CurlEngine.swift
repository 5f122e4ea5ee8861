internal import CCurl
import Glibc
import Synchronization

/// One thread that runs all transfers of a fetcher, and the inbox through which it is told what to do.
///
/// Sendable because `live` and all of `multi` but `wakeUp` are touched by that thread alone.
final class CurlEngine: @unchecked Sendable {
  private enum Command {
    case start(any LiveTransfer)
    case cancel(UInt64)
    case stop
  }

  private struct Inbox {
    var commands: [Command] = []
    var isOpen = true
  }

  /// The certificate authorities, looked up once.
  let trust: TrustStore
  private let inbox = Mutex(Inbox())
  private let multi: MultiHandle
  private let lastID = Atomic<UInt64>(0)
  private var live: [UInt64: any LiveTransfer] = [:]
  private var nextStallCheck = ContinuousClock.now

  /// Loads libcurl and starts the thread; throws `libraryMissing`.
  init(policy: TransferPolicy) throws(TransferError) {
    var text: UnsafePointer<CChar>?
    guard unsafe ccurl_load(&text) == 0 else {
      let detail = unsafe text.map { unsafe String(cString: $0) } ?? "libcurl.so.4 is not installed"
      throw TransferError(.libraryMissing, url: "", detail: detail)
    }
    guard let multi = MultiHandle(connectionsPerHost: policy.connectionsPerHost) else {
      throw TransferError(.libraryMissing, url: "", detail: "libcurl does not start: no memory")
    }
    self.multi = multi
    trust = TrustStore(policy: policy)
    try startThread()
  }

  /// A number that no other transfer of this engine has.
  func newID() -> UInt64 { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Runs a transfer; its completion is called exactly once, whatever happens.
  func start(_ transfer: any LiveTransfer) {
    if !post(.start(transfer)) { transfer.complete(failing: Self.cancelled(transfer)) }
  }

  /// Ends a transfer at once; ignores one that is over.
  func cancel(_ transfer: any LiveTransfer) {
    transfer.noteCancellation()
    _ = post(.cancel(transfer.id))
  }

  /// Ends the thread; whatever runs is cancelled.
  func stop() { _ = post(.stop) }

  private func post(_ command: Command) -> Bool {
    let isOpen = inbox.withLock { inbox in
      if inbox.isOpen { inbox.commands.append(command) }
      return inbox.isOpen
    }
    if isOpen { multi.wakeUp() }
    return isOpen
  }

  private static func cancelled(_ transfer: any LiveTransfer) -> TransferError {
    transfer.error(.cancelled, "cancelled")
  }

  // MARK: The thread

  private func startThread() throws(TransferError) {
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(self)
    let code = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<CurlEngine>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      unsafe context.release()
      throw TransferError(.libraryMissing, url: "", detail: "no thread can be started for transfers")
    }
    pthread_detach(thread)
  }

  private func run() {
    unsafe ccurl_name_thread("ota-transfer")
    blockSignals()
    while takeCommands() {
      if multi.perform() { finishDone() } else { failAll("libcurl cannot go on") }
      failStalled()
      multi.wait(milliseconds: live.isEmpty ? 60_000 : 100)
    }
  }

  /// Signals are for the threads of the program, and SIGPIPE from a TLS write is for nobody.
  private func blockSignals() {
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe _ = pthread_sigmask(SIG_BLOCK, &all, nil)
  }

  /// False once the engine was told to stop and everything has been completed.
  private func takeCommands() -> Bool {
    let commands = inbox.withLock { inbox in
      defer { inbox.commands.removeAll() }
      return inbox.commands
    }
    for command in commands {
      switch command {
      case .start(let transfer): begin(transfer)
      case .cancel(let id):
        if let transfer = live[id] { finish(transfer, failing: Self.cancelled(transfer)) }
      case .stop:
        close()
        return false
      }
    }
    return true
  }

  private func begin(_ transfer: any LiveTransfer) {
    guard !transfer.isCancelled else { return finish(transfer, failing: Self.cancelled(transfer)) }
    live[transfer.id] = transfer
    do throws(TransferError) {
      try transfer.start(on: multi)
    } catch {
      finish(transfer, failing: error)
    }
  }

  private func finishDone() {
    while let (id, code) = multi.nextDone() {
      guard let transfer = live[id] else { continue }
      if transfer.isOver(with: code, on: multi) { finish(transfer, failing: nil) }
    }
  }

  private func finish(_ transfer: any LiveTransfer, failing error: TransferError?) {
    live[transfer.id] = nil
    transfer.leave(multi)
    transfer.complete(failing: error)
  }

  private func failStalled() {
    let now = ContinuousClock.now
    guard now >= nextStallCheck else { return }
    nextStallCheck = now + .milliseconds(100)
    for transfer in live.values {
      if let error = transfer.stallError(at: now) { finish(transfer, failing: error) }
    }
  }

  private func failAll(_ detail: String) {
    for transfer in live.values { finish(transfer, failing: transfer.error(.unreachable, detail)) }
  }

  private func close() {
    let late = inbox.withLock { inbox in
      inbox.isOpen = false
      return inbox.commands
    }
    for case .start(let transfer) in late { transfer.complete(failing: Self.cancelled(transfer)) }
    for transfer in live.values { finish(transfer, failing: Self.cancelled(transfer)) }
  }
}
