import Foundation
import Glibc
import TestSupport
import Testing

/// Check 7 of the contract, the part about files and folders that command lines name.
@Suite(.ownThreads) struct InputFileTests {
  /// A command line whose last word is the file or folder in question.
  struct Place: CustomTestStringConvertible, Sendable {
    let line: String
    /// The status when nothing is there; `nil` when it is made.
    let missing: Int32?

    init(_ line: String, missing: Int32? = 2) { (self.line, self.missing) = (line, missing) }

    var testDescription: String { line }
    var words: String { line.split(separator: " ").prefix { !$0.hasPrefix("--") }.joined(separator: " ") }
    /// The option whose value is the file, or ends with it; another word when the file is an argument without a name.
    var option: String { line.split(separator: " ").last { !$0.hasSuffix("=") }.map(String.init) ?? "" }

    /// The command line with the file or folder in its place.
    func line(with name: String) -> String { line.hasSuffix("=") ? line + name : "\(line) \(name)" }
  }

  private static let noID = String(repeating: "0", count: 64)
  private static let parser = "--bundle bundle-1.js --sources sources.json --source ALPHA"
  private static let bisect = "bisect --source ALPHA"

  private static let check = "check --bundle bundle-3.js --sources sources.json"

  static let files = [
    Place("publish --feed feed --sources sources.json --bundle"),
    Place("publish --feed feed --bundle bundle-3.js --sources"),
    Place("run search ALPHA --sources sources.json --source ALPHA --bundle"),
    Place("run search ALPHA --bundle bundle-1.js --source ALPHA --sources"),
    Place("run search ALPHA \(parser) --fixtures fixtures --engine"),
    Place("record --sources sources.json --source ALPHA --out recordings --bundle"),
    Place("record --bundle bundle-1.js --source ALPHA --out recordings --sources"),
    Place("record \(parser) --out recordings --engine"),
    Place("\(bisect) --feed feed --fixtures fixtures --engine"),
    Place("\(bisect) --feed feed --fixtures fixtures --engine engine --root"),
    Place("publish --feed feed --bundle bundle-3.js --sources sources.json --engine"),
    Place("check --sources sources.json --bundle"), Place("check --bundle bundle-3.js --sources"),
    Place("\(check) --contract-types"),
    Place("publish --feed feed --bundle bundle-3.js --sources sources.json --contract-types"),
    Place("import release.tar.zst --feed feed --contract-types"),
    Place("\(check) --engine"), Place("\(check) --against feed --root"),
    Place("device explain --store store --manifest"),
    Place("device activate --store store --trial-load --engine"),
    Place("export --feed feed --out out.tar.zst --root"),
    Place("import release.tar.zst --feed feed --engine"),
    Place("import release.tar.zst --feed feed --root"), Place("embed --out out --from"),
    Place("embed --out out --from release.tar.zst --root"), Place("import --feed feed"),
    Place("device import --store store"), Place("verify"),
    Place("source resolve ALPHA --sources"), Place("source list --sources"),
    Place("source resolve ALPHA --sources sources.json --manifest"),
  ]

  static let folders =
    [
      Place("init --checksums-only --feed", missing: nil),
      Place("init --checksums-only --feed other --adopt"),
      Place("publish --bundle bundle-3.js --sources sources.json --feed", missing: 2),
      Place("rollback --yes --feed", missing: 2), Place("releases --feed", missing: 2),
      Place("repair --feed", missing: 2), Place("repair --feed feed --from"),
      Place("run search ALPHA \(parser) --engine engine --fixtures"),
      Place("\(check) --fixtures"),
      Place("publish --feed feed --bundle bundle-3.js --sources sources.json --fixtures"),
      Place("record \(parser) --engine engine --out", missing: nil),
      Place("\(bisect) --fixtures fixtures --engine engine --feed"),
      Place("\(bisect) --feed feed --engine engine --fixtures"),
      Place("verify --feed"), Place("\(check) --against"), Place("key list --feed", missing: 2),
      Place("key status --feed", missing: 2),
      Place("key add --role root --public other.pem.pub --feed", missing: 2),
      Place("key remove --role root --key-id \(noID) --feed", missing: 2),
      Place("key rotate --role root --from \(noID) --to-public other.pem.pub --feed", missing: 2),
      Place("key threshold --role root --threshold 2 --feed", missing: 2),
      Place("root prepare --out new.root.json --feed", missing: 2),
      Place("root commit next.root.json --feed", missing: 2),
      Place("refresh --release-key release.pem --feed", missing: 2),
      Place("export --out out.tar.zst --feed"), Place("import release.tar.zst --feed", missing: 2),
      Place("import release.tar.zst --feed feed --fixtures"),
      Place("embed --out out --feed", missing: 2), Place("embed --feed feed --out", missing: nil),
      Place("device activate --store store --out", missing: nil),
      Place("device init --feed feed --checksums-only --embedded app --store", missing: nil),
      Place("device init --store other --checksums-only --embedded app --feed"),
      Place("device init --store other --feed feed --checksums-only --embedded"),
      Place("device init --store other --feed feed --checksums-only --embedded app --mirror"),
    ]
    + [
      "check", "update", "import release.tar.zst", "activate", "confirm", "close", "fail", "rollback", "pin",
      "unpin", "forget",
      "status",
      "history", "explain",
    ].map { Place("device \($0) --store", missing: 2) }

  /// Verbs and options whose files and folders are tried in suites of their own; `VerbHazardTests` has the feeds and stores
  /// of all of them.
  private static let elsewhere: Set = [
    "advise", "channel retire", "channels", "config", "config init", "device advisories", "device channel",
    "diff", "doctor", "faults", "mirror", "promote", "prune", "rollout advance", "rollout complete",
    "rollout halt", "rollout resume", "rollout set", "rollout status", "simulate", "status", "survey",
    "--aliases", "--notes-file",
  ]

  @Test("check 7: every option that names a file or folder is in these tests")
  func table() throws {
    let places =
      Self.files + Self.folders + SigningFileTests.inputs + SigningFileTests.outputs + CheckVerbTests.reports
    let arguments = #/ (search ALPHA|ALPHA|next\.root\.json|release\.tar\.zst|signed\.tar\.zst)/#
    let covered = Set(places.map { "\($0.words.replacing(arguments, with: "")) \($0.option)" })
    for (words, options) in try Reference.shared.get().options {
      for option in options where option.valueName?.contains(/FILE|DIR/) == true {
        if Self.elsewhere.contains(words) || Self.elsewhere.contains(option.name) { continue }
        #expect(covered.contains("\(words) \(option.name)"), "\(words) \(option.name)")
      }
    }
  }

  @Test("check 7: a missing file is named, with what to do", arguments: files)
  func missingFile(place: Place) throws {
    try withPlayground { playground in
      try playground.makeDevice()
      Self.expect(
        try playground.tool(place.line(with: "nowhere.txt")), 2, names: playground.path("nowhere.txt"))
    }
  }

  @Test("check 7: a folder or a pipe in place of a file is named and never waited for", arguments: files)
  func otherKindOfFile(place: Place) throws {
    try withPlayground { playground in
      try playground.makeDevice()
      mkfifo(playground.path("pipe"), 0o644)
      for name in ["feed", "pipe"] {
        Self.expect(try playground.tool(place.line(with: name)), 2, names: playground.path(name))
      }
    }
  }

  @Test("check 7: a missing folder is named or made", arguments: folders)
  func missingFolder(place: Place) throws {
    try withPlayground { playground in
      try playground.makeDevice()
      try playground.makeSignedFeed()
      let answer = try playground.tool(place.line(with: "nowhere"))
      guard let status = place.missing else {
        #expect(answer.code == 0, "\(answer)")
        return
      }
      Self.expect(answer, status, names: playground.path("nowhere"))
    }
  }

  @Test("check 7: a file or a pipe in place of a folder is named and never waited for", arguments: folders)
  func otherKindOfFolder(place: Place) throws {
    try withPlayground { playground in
      try playground.makeDevice()
      try playground.makeSignedFeed()
      mkfifo(playground.path("pipe"), 0o644)
      for name in ["bundle-1.js", "pipe"] {
        Self.expect(try playground.tool(place.line(with: name)), 2, names: playground.path(name))
      }
      #expect(try playground.read("bundle-1.js").count == 2000)
    }
  }

  @Test(
    "check 7: a file that this user may not read is named",
    .enabled(if: Stranger.isPossible, "needs setpriv"),
    arguments: files)
  func unreadableFile(place: Place) throws {
    try withPlayground { playground in
      try playground.makeDevice()
      try playground.write("secret.json", "[]")
      let answer = try Stranger(playground).run(place.line(with: "secret.json"), forbidding: "secret.json")
      Self.expect(answer, 8, names: playground.path("secret.json"))
    }
  }

  @Test(
    "check 7: a folder that this user may not enter is named",
    .enabled(if: Stranger.isPossible, "needs setpriv"), arguments: folders)
  func unreadableFolder(place: Place) throws {
    try withPlayground { playground in
      try playground.makeDevice()
      try playground.makeSignedFeed()
      try playground.copy(
        place.option == "--store" ? "store" : place.option == "--embedded" ? "app" : "feed", to: "secret")
      let answer = try Stranger(playground).run(place.line(with: "secret"), forbidding: "secret")
      #expect(answer.code == 8, "\(answer)")
      #expect(answer.errors.contains(playground.path("secret")), "\(answer)")
    }
  }

  static func expect(
    _ answer: Answer, _ status: Int32, names path: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(answer.code == status, "\(answer)", sourceLocation: sourceLocation)
    #expect(answer.line("error")?.contains(path) == true, "\(answer)", sourceLocation: sourceLocation)
    #expect(answer.line("hint") != nil, "\(answer)", sourceLocation: sourceLocation)
  }
}

/// A user whom permission bits bind, which they do not for root.
struct Stranger {
  private static let user = "65534"
  let playground: Playground

  init(_ playground: Playground) { self.playground = playground }

  static let isPossible: Bool = {
    if geteuid() != 0 { return true }
    // The tests run as root: then somebody else must be able to run the tool where it was built.
    guard let path = try? Tool.path() else { return false }
    return (try? TestSupport.run("/usr/bin/setpriv", prefix + [path, "version"]).status) == .exited(0)
  }()

  private static let prefix = ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--"]

  /// Runs a command line as a user who owns everything in the playground and may not touch one thing in it.
  func run(_ line: String, forbidding name: String, mode: mode_t = 0) throws -> Answer {
    try takeOwnership()
    var before = stat()
    stat(playground.path(name), &before)
    chmod(playground.path(name), mode)
    defer { chmod(playground.path(name), before.st_mode & 0o7777) }
    return try run(line)
  }

  /// Runs a command line as a user who may read everything, and write to nothing below these folders.
  func run(_ line: String, readOnly folders: [String]) throws -> Answer {
    try takeOwnership()
    let paths = folders.map(playground.path)
    _ = try TestSupport.run("/bin/chmod", ["-R", "a-w"] + paths)
    defer { _ = try? TestSupport.run("/bin/chmod", ["-R", "u+w"] + paths) }
    return try run(line)
  }

  private func takeOwnership() throws {
    guard geteuid() == 0 else { return }
    _ = try TestSupport.run("/bin/chown", ["-R", "\(Self.user):\(Self.user)", playground.directory.path])
  }

  private func run(_ line: String) throws -> Answer {
    let arguments = WithoutEngine.arguments(line.split(separator: " ").map(String.init))
    let isRoot = geteuid() == 0
    let command = (isRoot ? ["/usr/bin/setpriv"] + Self.prefix : []) + [try Tool.path()] + arguments
    let result = try TestSupport.run(
      command[0], Array(command.dropFirst()), environment: playground.tool.variables,
      directory: playground.directory.path, timeout: .seconds(30))
    return Answer(arguments: arguments, result: result)
  }
}
