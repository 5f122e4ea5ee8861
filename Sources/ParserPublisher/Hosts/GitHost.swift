internal import OTAFeed
internal import OTAManifest
internal import OTAProcess
internal import OTAStorage
internal import Synchronization

/// A feed in a branch of a git repository, from where Pages of GitHub or GitLab serve it.
///
/// Works in a shallow clone of its own. A change is one commit on top of what was read; when the push is refused, somebody
/// else published, and what they published is read.
final class GitHost: FeedHost {
  private struct Books {
    var isCloned = false
    /// Whether something was pushed since the history was cut last.
    var hasPushed = false
  }

  let place: String
  private let git: GitCommand
  private let folder: DirectoryHost
  /// Whether the history is cut after each change.
  private let squashes: Bool
  private let books = Mutex(Books())

  /// - Parameter folder: an empty folder for the clone, which is removed with the host.
  init(_ git: GitCommand, place: String, folder: String, squashes: Bool) {
    self.git = git
    self.place = place
    self.folder = DirectoryHost(root: folder)
    self.squashes = squashes
  }

  deinit {
    let parts = folder.root.split(separator: "/")
    // A clone that stays behind in the folder for temporary files does no harm.
    try? Directory.open("/" + parts.dropLast().joined(separator: "/")).removeTree(String(parts.last ?? ""))
  }

  func read(_ path: String, maxBytes: Int) async throws(Problem) -> [UInt8]? {
    try await clone()
    return try folder.read(path, maxBytes: maxBytes)
  }

  func size(of path: String) async throws(Problem) -> Int? {
    try await clone()
    return try ownSize(of: path)
  }

  private func ownSize(of path: String) throws(Problem) -> Int? { try folder.size(of: path) }

  func put(_ path: String, _ bytes: [UInt8]) async throws(Problem) -> Bool {
    try await clone()
    return try folder.put(path, bytes)
  }

  func replace(_ path: String, with bytes: [UInt8]) async throws(Problem) {
    try await clone()
    try folder.replace(path, with: bytes)
  }

  func list(_ folder: String) async throws(Problem) -> [String] {
    try await clone()
    return try self.folder.list(folder).filter { $0 != ".git" || !folder.isEmpty }
  }

  func remove(_ paths: [String]) async throws(Problem) {
    try await clone()
    try folder.remove(paths)
  }

  /// Starts from what the branch has now; nobody is kept out, since the push itself finds out who was first.
  func lock(wait: Duration) async throws(Problem) -> any FeedLock {
    try await clone()
    try await fetch()
    return GitLock(host: self)
  }

  // MARK: Out

  func settle(_ step: FeedStep) async throws(Problem) {
    // Metadata goes out along with the pointers to it: a push is seen as a whole.
    guard step != .metadata else { return }
    try folder.replace(".gitattributes", with: Array("* -text\n".utf8))
    try await git.run(["add", "--all", "--force", "."])
    let isChanged = try await git.status(["diff", "--cached", "--quiet"]) != 0
    if isChanged {
      try await git.run(["commit", "--quiet", "--no-verify", "--message", Self.message(step)])
      try await push()
      books.withLock { $0.hasPushed = true }
    }
    guard squashes, step == .removal, books.withLock({ $0.hasPushed }) else { return }
    try await squash()
    books.withLock { $0.hasPushed = false }
  }

  private static func message(_ step: FeedStep) -> String {
    switch step {
    case .files: "Add the files of a release"
    case .metadata: "Add signed metadata"
    case .pointers: "Publish to the feed"
    case .removal: "Tidy the feed up"
    }
  }

  /// Sends the commit where nobody else sent one since the branch was read.
  private func push(_ options: [String] = []) async throws(Problem) {
    let answer = try await git.answer(
      ["push", "--quiet", "--porcelain"] + options + ["origin", "HEAD:refs/heads/\(git.branch)"], seconds: 600
    )
    if answer.status == 0 { return }
    let words = git.words(answer)
    let isRefused = [
      "fetch first", "non-fast-forward", "stale info", "cannot lock ref", "already exists", "[rejected]",
      "failed to update ref", "reference already exists", "incorrect old value",
    ]
    .contains { words.contains($0) }
    guard isRefused else { throw git.problem("push", words) }
    try await fetch()
    throw Problem(
      .conflict, "another publisher pushed to \(place) meanwhile", kept: "nothing of this one was pushed",
      advice: "run the same command again, on top of it")
  }

  /// Leaves the newest state alone in the branch, unless somebody pushed since.
  private func squash() async throws(Problem) {
    let old = try await git.line(["rev-parse", "HEAD"])
    let new = try await git.line(["commit-tree", "HEAD^{tree}", "-m", "The feed, without its history"])
    try await git.run(["reset", "--quiet", "--soft", new])
    try await push(["--force-with-lease=refs/heads/\(git.branch):\(old)"])
  }

  // MARK: In

  private func clone() async throws(Problem) {
    guard !books.withLock({ $0.isCloned }) else { return }
    try await git.run(["init", "--quiet", "--template=", "."])
    try await git.run(["remote", "add", "origin", git.address])
    try await git.run(["symbolic-ref", "HEAD", "refs/heads/parser-ota"])
    try await fetch()
    books.withLock { $0.isCloned = true }
  }

  /// Makes the folder what the branch is, whatever stands in it; a branch that does not exist is an empty folder.
  func fetch() async throws(Problem) {
    let head = try await git.answer(
      ["ls-remote", "--heads", "origin", "refs/heads/\(git.branch)"], seconds: 120)
    guard head.status == 0 else { throw git.problem("ls-remote", git.words(head)) }
    guard !head.output.isEmpty else { return try await beginEmpty() }
    try await git.run(
      [
        "fetch", "--quiet", "--depth=1", "--no-tags", "origin",
        "+refs/heads/\(git.branch):refs/remotes/origin/feed",
      ],
      seconds: 600)
    try await git.run(["reset", "--quiet", "--hard", "refs/remotes/origin/feed"])
    try await git.run(["clean", "--quiet", "-ffdx"])
  }

  private func beginEmpty() async throws(Problem) {
    _ = try await git.status(["update-ref", "-d", "refs/heads/parser-ota"])
    try await git.run(["read-tree", "--empty"])
    try await git.run(["clean", "--quiet", "-ffdx"])
  }
}

private struct GitLock: FeedLock {
  let host: GitHost

  /// What was not pushed goes with the clone; the next change starts from the branch anyway.
  func release() async {}
}

/// The program `git`, shut off from what this machine would make it do to the files.
struct GitCommand: Sendable {
  /// The address of the repository, without secrets.
  let address: String
  let branch: String
  /// The folder in which it works.
  let folder: String
  let environment: [String: String]

  private static let settings = [
    "core.hooksPath=/dev/null", "core.autocrlf=false", "core.safecrlf=false", "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null", "core.fileMode=false", "commit.gpgSign=false", "push.gpgSign=false",
    "gc.auto=0",
    "maintenance.auto=false", "advice.detachedHead=false", "protocol.version=2", "core.quotePath=true",
  ]

  /// Takes over what git needs of an environment, and none of the secrets that are for others.
  init(address: String, branch: String, folder: String, _ environment: [String: String]) {
    (self.address, self.branch, self.folder) = (address, branch, folder)
    let kept = [
      "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL",
      "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM",
    ]
    var own = environment.filter { name, _ in
      kept.contains(name)
        || !(name.hasPrefix("GIT_") || name.hasPrefix("PARSER_OTA_") || name.hasPrefix("AWS_"))
    }
    // Nobody is asked: a question on a terminal would hold the command until its time is over.
    own["GIT_TERMINAL_PROMPT"] = "0"
    own["SSH_ASKPASS_REQUIRE"] = own["SSH_ASKPASS_REQUIRE"] ?? "force"
    own["SSH_ASKPASS"] = own["SSH_ASKPASS"] ?? "/bin/false"
    own["LC_ALL"] = "C"
    own["GIT_CEILING_DIRECTORIES"] = folder
    for (name, value) in [("NAME", "parser-ota"), ("EMAIL", "parser-ota@localhost")] {
      for who in ["AUTHOR", "COMMITTER"] where own["GIT_\(who)_\(name)"] == nil {
        own["GIT_\(who)_\(name)"] = value
      }
    }
    if let token = environment["PARSER_OTA_GIT_TOKEN"], !token.isEmpty, address.hasPrefix("https:") {
      own["PARSER_OTA_GIT_TOKEN"] = token
      own["PARSER_OTA_GIT_USER"] = environment["PARSER_OTA_GIT_USER"] ?? "git"
      own["GIT_CONFIG_COUNT"] = "2"
      (own["GIT_CONFIG_KEY_0"], own["GIT_CONFIG_VALUE_0"]) = ("credential.helper", "")
      (own["GIT_CONFIG_KEY_1"], own["GIT_CONFIG_VALUE_1"]) = (
        "credential.helper",
        "!f() { echo \"username=$PARSER_OTA_GIT_USER\"; echo \"password=$PARSER_OTA_GIT_TOKEN\"; }; f"
      )
    }
    self.environment = own
  }

  /// Runs it, and throws where it fails.
  func run(_ arguments: [String], seconds: Int = 120) async throws(Problem) {
    let answer = try await answer(arguments, seconds: seconds)
    guard answer.status == 0 else { throw problem(arguments[0], words(answer)) }
  }

  func status(_ arguments: [String]) async throws(Problem) -> Int32 { try await answer(arguments).status }

  /// The one line that it writes.
  func line(_ arguments: [String]) async throws(Problem) -> String {
    let answer = try await answer(arguments)
    guard answer.status == 0 else { throw problem(arguments[0], words(answer)) }
    return String(decoding: answer.output, as: UTF8.self).filter { !$0.isNewline }
  }

  func answer(_ arguments: [String], seconds: Int = 120) async throws(Problem) -> CommandAnswer {
    let words = ["git", "-C", folder] + Self.settings.flatMap { ["-c", $0] } + arguments
    var command = ShellCommand(
      "exec " + words.map(\.shellWord).joined(separator: " "), environment: environment,
      timeLimit: .seconds(seconds))
    command.maxOutputBytes = 4 << 20
    command.keptComplaintBytes = 16 << 10
    do {
      return try await command.run(input: [])
    } catch {
      switch error {
      case .cancelled: throw Problem(.cancelled, "git was ended")
      case .timedOut: throw Problem(.timedOut, "git \(arguments[0]) had not ended after \(seconds) s")
      case .notStarted(let reason): throw Problem(.libraryMissing, "git could not be started: \(reason)")
      case .tooMuchOutput: throw Problem(.transferFailed, "git \(arguments[0]) wrote too much")
      }
    }
  }

  /// What it said, without what an address may hold.
  func words(_ answer: CommandAnswer) -> String {
    let lines = (answer.complaint + [UInt8(ascii: "\n")] + answer.output).split(separator: UInt8(ascii: "\n"))
    return lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "; ")
  }

  func problem(_ verb: String, _ words: String) -> Problem {
    let shown = words.printable(maxCharacters: 400)
    let isDenied = [
      "Authentication failed", "Permission denied", "could not read Username", "403", "denied to",
    ]
    .contains { words.contains($0) }
    if words.contains("git: not found") || words.contains("git: No such file") {
      return Problem(.libraryMissing, "the program git is not there", advice: "install git")
    }
    return Problem(
      isDenied ? .forbidden : .transferFailed, "git \(verb) fails for \(address): \(shown)",
      advice: isDenied
        ? "give git a key or a token that may push: PARSER_OTA_GIT_TOKEN, or a credential helper"
        : "run git by hand to see why")
  }
}
