internal import OTAManifest

/// The member `outcome` of every device verb: one word for a start script, whatever the code behind it is.
enum DeviceOutcome {
  /// What a verb reached, by its code.
  static func of(code: String) -> String { code == "rejected" ? "rejected-here" : code }

  /// Why a verb failed, by who must act.
  static func of(_ status: ExitStatus) -> String {
    switch status {
    case .done: "done"
    case .notAchieved: "failed"
    case .usage: "misused"
    case .untrustedContent: "refused"
    case .tryLater: "offline"
    case .localDisk: "disk-failed"
    case .conflict: "conflict"
    case .busy: "busy"
    case .notPermitted: "unknown"
    }
  }
}

extension Verb {
  /// A verb of a device: its JSON has an `outcome` on success and on failure.
  static func device(_ spec: VerbSpec, run: @escaping Action) -> Verb {
    Verb(spec) { arguments, context throws(CommandFailure) in
      do throws(CommandFailure) {
        var result = try await run(arguments, context)
        // An answer that is not known has the status of what keeps it from being known.
        let isAnswer = [.done, .notAchieved].contains(result.status)
        let outcome = isAnswer ? DeviceOutcome.of(code: result.code) : DeviceOutcome.of(result.status)
        result.payload.insert(JSONMember("outcome", .string(outcome)), at: 0)
        return result
      } catch {
        var failure = error
        failure.payload.insert(JSONMember("outcome", .string(DeviceOutcome.of(failure.status))), at: 0)
        throw failure
      }
    }
  }
}
