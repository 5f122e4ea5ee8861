internal import OTAFeed
internal import OTAManifest
internal import OTAProcess
internal import OTAStorage

/// A feed in a folder that a command carries to where it is served, one step after the other.
///
/// What is not out yet stands in a file of its own beside the settings, so that a command that failed gets it again.
struct DeployHost: FeedHost {
  let folder: DirectoryHost
  /// A command line for `/bin/sh`.
  let command: String
  let environment: [String: String]
  var timeLimit: Duration = .seconds(1800)

  /// Paths that are not deployed yet, one a line.
  static let waiting = "\(FeedLayout.privateFolder)/deploy.txt"

  func read(_ path: String, maxBytes: Int) throws(Problem) -> [UInt8]? {
    try folder.read(path, maxBytes: maxBytes)
  }
  func size(of path: String) throws(Problem) -> Int? { try folder.size(of: path) }
  func list(_ folder: String) throws(Problem) -> [String] { try self.folder.list(folder) }

  func put(_ path: String, _ bytes: [UInt8]) throws(Problem) -> Bool {
    if try folder.read(path, maxBytes: max(bytes.count, 1)) != bytes { try note([path]) }
    return try folder.put(path, bytes)
  }

  func replace(_ path: String, with bytes: [UInt8]) throws(Problem) {
    try note([path])
    try folder.replace(path, with: bytes)
  }

  func remove(_ paths: [String]) throws(Problem) {
    try note(paths)
    try folder.remove(paths)
  }

  func lock(wait: Duration) async throws(Problem) -> any FeedLock { try await folder.lock(wait: wait) }

  /// Names what is about to change, before it does.
  private func note(_ paths: [String]) throws(Problem) {
    let served = paths.filter { FeedLayout.kind(of: $0) != .own }
    let before = try undeployed()
    guard !served.allSatisfy(before.contains) else { return }
    try folder.replace(Self.waiting, with: Self.text(before.union(served)))
  }

  private func undeployed() throws(Problem) -> Set<String> {
    let bytes = try folder.read(Self.waiting, maxBytes: 8 << 20) ?? []
    return Set(String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init))
  }

  private static func text(_ paths: some Sequence<String>) -> [UInt8] {
    Array(paths.sorted().map { "\($0)\n" }.joined().utf8)
  }

  // MARK: Out

  /// Runs the command for each step up to this one that has something to carry.
  func settle(_ step: FeedStep) async throws(Problem) {
    var waiting = try undeployed()
    guard !waiting.isEmpty else { return }
    let last = FeedStep.allCases.firstIndex(of: step) ?? 0
    for step in FeedStep.allCases[...last] {
      var paths: Set<String> = []
      for path in waiting where try self.step(of: path) == step { paths.insert(path) }
      guard !paths.isEmpty else { continue }
      try await run(step, paths)
      waiting.subtract(paths)
      if waiting.isEmpty {
        try folder.remove([Self.waiting])
      } else {
        try folder.replace(Self.waiting, with: Self.text(waiting))
      }
    }
  }

  private func step(of path: String) throws(Problem) -> FeedStep {
    guard try folder.size(of: path) != nil else { return .removal }
    return switch FeedLayout.kind(of: path) {
    case .immutable: .files
    case .versioned: .metadata
    case .pointer, .own: .pointers
    }
  }

  /// The command gets the paths on standard input, one a line, the timestamp and the manifests last.
  private func run(_ step: FeedStep, _ paths: Set<String>) async throws(Problem) {
    let isLast = { (path: String) in
      path == FeedLayout.timestamp || path.hasSuffix(Channel.stable.manifestPath)
    }
    let ordered = paths.filter { !isLast($0) }.sorted() + paths.filter(isLast).sorted().reversed()
    var own = environment.filter { !$0.key.hasPrefix("PARSER_OTA_") }
    own["PARSER_OTA_STEP"] = step.rawValue
    own["PARSER_OTA_FEED"] = folder.root
    var shell = ShellCommand(
      "cd \(folder.root.shellWord) && {\n\(command)\n}", environment: own, timeLimit: timeLimit)
    shell.maxOutputBytes = 16 << 20
    let answer: CommandAnswer
    do {
      answer = try await shell.run(input: Array(ordered.map { "\($0)\n" }.joined().utf8))
    } catch {
      throw Self.failure(step, error == .timedOut ? "had not ended after \(timeLimit)" : "could not be run")
    }
    guard answer.status == 0 else {
      let words = String(decoding: answer.complaint, as: UTF8.self).split(whereSeparator: \.isNewline).suffix(
        3
      )
      .joined(separator: "; ").printable(maxCharacters: 400)
      throw Self.failure(step, "ended with status \(answer.status)\(words.isEmpty ? "" : ": \(words)")")
    }
  }

  private static func failure(_ step: FeedStep, _ what: String) -> Problem {
    Problem(
      .transferFailed, "the command of --deploy \(what), for the step \(step.rawValue)",
      kept: "the folder has the change, and what is not out yet is carried by the next run",
      advice: "mend it, then run the same command again")
  }
}
