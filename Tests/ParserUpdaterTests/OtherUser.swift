import Glibc
import TestSupport
import UpdaterTestSupport

/// A user whom permission bits bind, which they do not for root: who runs a device of ours in a process of its own.
struct OtherUser {
  static let number: uid_t = 65_534
  private static let prefix = ["--reuid=\(number)", "--regid=\(number)", "--clear-groups", "--"]

  static let isPossible: Bool = {
    if geteuid() != 0 { return true }
    guard let probe = try? BuiltProducts.path(of: "activate-probe") else { return false }
    return (try? run("/usr/bin/setpriv", prefix + [probe]).status) == .exited(0)
  }()

  /// Gives a folder to the user.
  static func own(_ path: String) throws {
    guard geteuid() == 0 else { return }
    _ = try run("/bin/chown", ["-hR", "\(number):\(number)", path])
  }

  /// Runs a verb of the probe as the user; its lines.
  static func probe(_ device: Device, _ verb: String, store: String? = nil) throws -> [String] {
    let probe = try BuiltProducts.path(of: "activate-probe")
    let command =
      (geteuid() == 0 ? ["/usr/bin/setpriv"] + prefix : []) + [
        probe, verb, store ?? device.store, device.home.path("app"), device.home.path("feed"),
      ]
    let result = try run(command[0], Array(command.dropFirst()), timeout: .seconds(20))
    guard result.status == .exited(0), result.errors == "" else {
      throw Failed(text: "\(verb): \(result.status) \(result.errors)")
    }
    return result.output.split(separator: "\n").map(String.init)
  }

  private struct Failed: Error { let text: String }
}
