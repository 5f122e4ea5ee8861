import Dispatch
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// Every verb of the tool with a lock, a file or a folder that it cannot have: the exit status says who must act.
///
/// The command lines are those of `VerbRow`, which a test holds to the help of the tool, so a new verb is covered here, too.
@Suite(.ownThreads) struct VerbHazardTests {
  /// Lines that reach what the usual ones do not: a lock, a store, a folder to be written to.
  private static let lines = [
    "init": "init --feed feed --checksums-only --keep 5",
    "import": "import signed.tar.zst --feed feed --allow no-engine",
    "device init": "device init --store store --feed feed --checksums-only --embedded app",
    "device import": "device import next.tar.zst --store store",
  ]

  private static func line(_ row: VerbRow) throws -> String {
    try SignedScene.filled(lines[row.words] ?? row.successLine)
  }

  /// Verbs that wait for nobody: they only read, or write what no lock guards; and a launch must not wait.
  static let needNoLock: Set = [
    "check", "contract", "releases", "verify", "prune", "mirror", "embed", "export", "run", "record",
    "bisect", "survey",
    "device init",
    "device check",
    "device activate", "device status", "device history", "device explain", "key generate", "key public",
    "key list",
    "key status", "root prepare", "root sign", "source list", "source resolve", "help", "version",
    "completions", "config", "config init", "status", "diff", "rollout status", "channels", "doctor",
    "faults",
    "simulate", "device advisories",
    // The rollout of the scene has one step and goes on, so there is nothing to do.
    "rollout advance", "rollout resume",
  ]

  @Test("a lock that another process holds ends every verb that needs it with 7, and stops no other")
  func busy() throws {
    try withScene { playground in
      var held: [Int32] = []
      defer { for descriptor in held { close(descriptor) } }
      for lock in [
        "feed/.parser-ota/lock", "signed/.parser-ota/lock", "steps/.parser-ota/lock", "store/lock",
      ] {
        let descriptor = open(playground.path(lock), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0, "\(lock)")
        held.append(descriptor)
      }
      let before = try ["feed", "signed"].map(playground.snapshot)
      // They wait for ten seconds each, so they do that side by side.
      let answers = try side(by: VerbRow.all.filter { !Self.needNoLock.contains($0.words) }) { row in
        try playground.tool(Self.line(row))
      }
      for (row, answer) in answers {
        #expect(answer.code == 7, "\(row.words): \(answer)")
        #expect(answer.line("hint") != nil, "\(answer)")
      }
      for row in VerbRow.all where Self.needNoLock.contains(row.words) {
        let answer = try playground.tool(Self.line(row))
        #expect(answer.code == 0, "\(row.words): \(answer)")
      }
      #expect(try ["feed", "signed"].map(playground.snapshot) == before)
    }
  }

  @Test(
    "every file and folder that a command line names, and that this user may not read, ends with 8",
    .enabled(if: Stranger.isPossible, "needs setpriv"))
  func unreadable() throws {
    try withScene { playground in
      let stranger = Stranger(playground)
      var count = 0
      for row in VerbRow.all {
        let line = try Self.line(row)
        let words = Set(line.split(separator: " ").map { String($0.split(separator: "=").last ?? $0) })
        for word in words.sorted() where access(playground.path(word), F_OK) == 0 {
          let answer = try stranger.run(line, forbidding: word)
          #expect(answer.code == 8, "\(word) of \(row.words): \(answer)")
          #expect(answer.errors.contains(playground.path(word)), "\(word) of \(row.words): \(answer)")
          count += 1
        }
      }
      #expect(count > 60, "the lines name too little to prove anything: \(count)")
    }
  }

  /// Verbs that need no right to write where the others do; `device check` says that a release cannot be stored.
  static let onlyRead = needNoLock.subtracting(["device init", "device check"])

  @Test(
    "a feed or store that this user may only read ends every verb that changes it with 8, and stops no other",
    .enabled(if: Stranger.isPossible, "needs setpriv"))
  func readOnly() throws {
    try withScene { playground in
      let folders = ["feed", "signed", "steps", "store"]
      let before = try folders.map(playground.snapshot)
      for row in VerbRow.all {
        let answer = try Stranger(playground).run(Self.line(row), readOnly: folders)
        #expect(answer.code == (Self.onlyRead.contains(row.words) ? 0 : 8), "\(row.words): \(answer)")
      }
      #expect(try folders.map(playground.snapshot) == before)
    }
  }

  /// One line for each verb that asks a host; `URL` is its address, `far` a store that follows it.
  static let network = [
    "init": "init --feed other --checksums-only --adopt URL",
    "check": "check --bundle bundle-3.js --sources sources.json --against URL --checksums-only",
    "releases": "releases --feed URL", "status": "status --feed URL",
    "diff": "diff live feed --feed URL --no-gate", "verify": "verify --feed URL",
    "repair": "repair --feed feed --from URL", "export": "export --feed URL --out out.tar.zst",
    "mirror": "mirror --from URL --to copied",
    "bisect": "bisect --feed URL --source ALPHA --fixtures fixtures --engine engine",
    "device check": "device check --store far", "device update": "device update --store far",
  ]
  /// Verbs that take an address and ask nobody, and one that says what is wrong with a host instead of failing.
  static let onlyNote: Set = ["device init", "doctor"]

  @Test(
    "a host that does not answer, answers with an error, with nothing or a page ends with 4, one that refuses with 8"
  )
  func hosts() throws {
    let asking = try Reference.shared.get().options.filter { verb in
      verb.value.contains { $0.valueName?.contains("URL") == true }
    }
    let known = Set(Self.network.keys).union(Self.onlyNote).subtracting(["device check", "device update"])
    #expect(Set(asking.keys) == known, "a verb that takes an address must be in the table")
    try withScene { playground in
      let gone = try LoopbackServer { _ in .notFound }
      gone.stop()
      let replies: [(HTTPReply, Int32)] = [
        (.status(500), 4), (.notFound, 4), (.status(429), 4), (.status(503), 4), (.status(403), 8),
        (.status(401), 8),
        (.ok(Array("<!doctype html><title>Sign in</title>".utf8), contentType: "text/html"), 4),
      ]
      let servers = try replies.map { reply in (try LoopbackServer { _ in reply.0 }, reply.1) }
      defer { for server in servers { server.0.stop() } }
      for (url, status) in [(gone.url, Int32(4))] + servers.map({ ($0.0.url, $0.1) }) {
        for (verb, line) in Self.network.sorted(by: { $0.key < $1.key }) {
          try playground.makeFarStore(url)
          var words = line.replacing("URL", with: url)
          if !verb.hasPrefix("device") { words += " --allow-http-loopback" }
          let answer = try playground.tool(words)
          // A page in place of the root is content, where the root is all that was asked for.
          let isRefusedRoot = verb == "diff" && answer.errors.contains("root is not JSON")
          #expect(answer.code == status || isRefusedRoot && answer.code == 3, "\(answer)")
        }
      }
    }
  }

  @Test(
    "a signed feed whose first root is lost or may not be read is never called an unsigned one",
    .enabled(if: Stranger.isPossible, "needs setpriv"))
  func firstRoot() throws {
    try withScene { playground in
      let root = "signed/metadata/1.root.json"
      let unknown = try Stranger(playground).run("verify --feed signed", forbidding: root)
      #expect(unknown.code == 8 && unknown.errors.contains(playground.path(root)), "\(unknown)")
      #expect(unknown.line("hint")?.contains("let this user read") == true, "\(unknown)")
      try playground.remove(root)
      let lost = try playground.tool("verify --feed signed")
      #expect(lost.code == 3 && lost.errors.contains("its first root is missing"), "\(lost)")
    }
  }

  // MARK: The scene

  /// Runs a body for each item on a thread of its own.
  private func side<Item: Sendable>(
    by items: [Item], _ body: @Sendable (Item) throws -> Answer
  ) throws -> [(Item, Answer)] {
    let answers = Mutex<[(Item, Result<Answer, any Error>)]>([])
    DispatchQueue.concurrentPerform(iterations: items.count) { index in
      let answer = Result { try body(items[index]) }
      answers.withLock { $0.append((items[index], answer)) }
    }
    return try answers.withLock { $0 }.map { ($0.0, try $0.1.get()) }
  }

  /// A signed feed; a device on which release 3 is on trial, while its feed has release 4.
  private func withScene(_ body: (Playground) throws -> Void) throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      try playground.makeSignedFeed()
      try playground.publish(3)
      for verb in ["update", "activate"] { try playground.must("device \(verb) --store store") }
      try playground.publish(4)
      try playground.must("export --feed feed --out next.tar.zst")
      try body(playground)
    }
  }
}

extension Playground {
  /// A fresh store `far` that follows an address.
  fileprivate func makeFarStore(_ url: String) throws {
    _ = try? remove("far")
    try must("device init --store far --feed \(url) --checksums-only --embedded app --allow-http-loopback")
  }
}
