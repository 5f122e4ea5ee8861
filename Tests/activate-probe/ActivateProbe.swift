import Glibc
import OTAFeed
import OTAManifest
import ParserUpdater

/// One process of an app, so that tests can watch its system calls, kill it, or run several at once.
///
/// `activate-probe <verb> <store> <embedded> <feed> [<rounds>]`; prints one line for each thing that it did.
@main
struct ActivateProbe {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 5 else { return say("usage: activate-probe <verb> <store> <embedded> <feed>") }
    var configuration = UpdaterConfiguration(
      directory: arguments[2], feed: try FeedLocation(arguments[4]), trust: .checksumsOnly,
      embedded: .directory(arguments[3]))
    configuration.lockWait = .milliseconds(300)
    await act(arguments[1], Updater(configuration), rounds: arguments.count > 5 ? Int(arguments[5]) ?? 1 : 1)
  }

  static func act(_ verb: String, _ updater: Updater, rounds: Int) async {
    switch verb {
    case "activate": activate(updater)
    case "confirm": say(updater.confirm(activate(updater)))
    case "fail":
      let next = updater.fail(activate(updater), reason: "told to")
      say(
        "then \(next.version.map(\.description) ?? "nothing") \(next.origin.rawValue) \(next.standing.rawValue)"
      )
    case "hang":
      let release = activate(updater)
      _ = readLine()
      withExtendedLifetime(release) {}
    case "check": await check(updater)
    case "status": status(updater)
    case "update":
      for _ in 0..<rounds { await update(updater) }
    default: say("unknown verb \(verb)")
    }
  }

  /// The two look-ups stand in a trace of system calls where the library call begins and ends.
  @discardableResult
  static func activate(_ updater: Updater) -> ActiveRelease {
    access("/activate-begin", F_OK)
    let release = updater.activate()
    access("/activate-end", F_OK)
    let version = release.version.map(\.description) ?? "nothing"
    say("runs \(version) \(release.origin.rawValue) \(release.standing.rawValue)")
    for note in release.notes { say("note \(note.code.rawValue): \(note.message)") }
    return release
  }

  static func check(_ updater: Updater) async {
    do {
      say("check: \(try await updater.check())")
    } catch {
      say("\(error.code.rawValue): \(error.message)")
    }
  }

  static func update(_ updater: Updater) async {
    do {
      switch try await updater.update() {
      case .staged(let version): say("staged \(version)")
      case .unchanged(let result): say("unchanged \(result)")
      }
    } catch {
      say("\(error.code.rawValue): \(error.message)")
    }
  }

  static func status(_ updater: Updater) {
    do {
      let status = try updater.status()
      say("current \(status.current?.version.description ?? "none")")
      say("staged \(status.staged?.version.description ?? "none")")
      say("problem \(status.lastProblem?.code ?? "none")")
    } catch {
      say("\(error.code.rawValue): \(error.message)")
    }
  }

  /// A pipe is not flushed at the end of a line by itself.
  static func say(_ line: Any) {
    print(line)
    fflush(nil)
  }
}
