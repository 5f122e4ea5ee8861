import Glibc
import OTAFeed
import OTAManifest
import OTAStorage
import ParserUpdater

/// One process of an app, so that tests can watch its system calls, kill it, or run several at once.
///
/// `activate-probe <verb> <store> <embedded> <feed> [<rounds> [<seed>]]`; prints one line for each thing that it did, and
/// `violation: …` for a promise that was broken. A `root.json` beside the embedded copy makes the feed a signed one.
@main
struct ActivateProbe {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 5 else { return say("usage: activate-probe <verb> <store> <embedded> <feed>") }
    var configuration = UpdaterConfiguration(
      directory: arguments[2], feed: try FeedLocation(arguments[4]), trust: try trust(beside: arguments[3]),
      embedded: .directory(arguments[3]))
    configuration.lockWait = .milliseconds(300)
    let rounds = arguments.count > 5 ? Int(arguments[5]) ?? 1 : 1
    if arguments[1] == "mix" {
      var use = MixedUse(configuration, seed: arguments.count > 6 ? UInt64(arguments[6]) ?? 1 : 1)
      return await use.run(rounds: rounds)
    }
    await act(arguments[1], Updater(configuration), rounds: rounds)
  }

  private static func trust(beside embedded: String) throws -> Trust {
    let root = "\(embedded)/root.json"
    return access(root, F_OK) == 0 ? .root(try readFile(at: root, maxBytes: 1 << 20)) : .checksumsOnly
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
    case "look": look(updater)
    case "explain": explain(updater)
    case "launch": launch(updater)
    case "follow": await follow(updater)
    case "meet":
      MixedUse.check(activate(updater))
      await update(updater)
      MixedUse.check(activate(Updater(updater.configuration)))
    case "settle":
      _ = try? updater.unpin()
      _ = try? updater.forgetRejected()
      await follow(updater)
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

  /// What the next launch would run, in the words of `launch`.
  static func explain(_ updater: Updater) {
    do {
      let explanation = try updater.explain()
      let next = explanation.candidates.first
      say(
        "next \(name(next?.version)) \(next?.origin ?? .nothing) \(next?.isOnTrial == true ? "on-trial" : "")"
      )
      for passed in explanation.passedOver { say("passed \(passed.code): \(passed.message)") }
      if let obstacle = explanation.obstacle { say("unknown \(obstacle.code.rawValue): \(obstacle.message)") }
    } catch {
      say("\(error.code.rawValue): \(error.message)")
    }
  }

  /// Launches, and says what runs in the words of `explain`.
  static func launch(_ updater: Updater) {
    let release = updater.activate()
    say("next \(name(release.version)) \(release.origin) \(release.standing == .onTrial ? "on-trial" : "")")
    for passed in release.passedOver { say("passed \(passed.code): \(passed.message)") }
    for note in release.notes { say("note \(note.code.rawValue): \(note.message)") }
  }

  private static func name(_ version: ReleaseVersion?) -> String { version.map(\.description) ?? "nothing" }

  /// Launches, says whether the release is whole, and ends in good order; the state must be readable meanwhile.
  static func look(_ updater: Updater) {
    let release = updater.activate()
    MixedUse.check(release)
    do {
      if let damage = try updater.status().damage { MixedUse.violation("the state is damaged: \(damage)") }
    } catch {
      MixedUse.violation("no status: \(error.message)")
    }
    updater.close(release)
  }

  /// What an app does that is in order: takes what is new, runs it, and says that it works.
  static func follow(_ updater: Updater) async {
    do {
      _ = try await updater.update()
    } catch {
      MixedUse.violation("update: \(error.code.rawValue): \(error.message)")
    }
    let release = activate(updater)
    MixedUse.check(release)
    updater.confirm(release)
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
