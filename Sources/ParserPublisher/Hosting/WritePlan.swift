internal import OTAFeed
internal import OTAManifest

/// Everything that is about to be written to a feed, in the order that keeps every reader whole.
///
/// Immutable files are first, since nobody asks for them before something speaks of them; then signed metadata under
/// versions; then the pointers, in the order in which they were added.
struct WritePlan: Equatable, Sendable {
  /// A file that changes under its name.
  struct Pointer: Equatable, Sendable {
    let write: FeedWrite
    /// What must stand there until then; `nil` for no file.
    let expected: [UInt8]?
  }

  private(set) var files: [FeedWrite] = []
  private(set) var metadata: [FeedWrite] = []
  private(set) var pointers: [Pointer] = []

  /// Adds files that nobody asks for before a pointer moves; their names say when they are written.
  mutating func add(_ writes: [FeedWrite]) {
    for write in writes {
      if FeedLayout.kind(of: write.path) == .versioned { metadata.append(write) } else { files.append(write) }
    }
  }

  /// Adds a pointer that moves after all others.
  mutating func move(_ write: FeedWrite, from expected: [UInt8]?) {
    pointers.append(Pointer(write: write, expected: expected))
  }

  /// Adds signed metadata; its timestamp is the first pointer.
  mutating func add(_ plan: MetadataPlan, after live: MetadataState?) {
    add(plan.versioned)
    pointers.insert(Pointer(write: plan.timestamp, expected: live?.timestamp.bytes), at: 0)
  }
}

/// A file that is about to be written to a feed.
struct FeedWrite: Equatable, Sendable {
  let path: String
  let bytes: [UInt8]
}

/// Carries out a plan of writes, each step out before the next one begins; the caller holds the lock.
struct FeedCommit {
  let host: any FeedHost
  /// Looks at new files as readers get them, before anything speaks of them; `nil` where nobody is to look.
  var publicFiles: PublicFiles?
  /// The base URL of the feed, where readers get it unless they are told another address.
  var base: WebAddress?

  /// Writes all of it.
  ///
  /// - Parameter written: the paths that were written, also when it fails.
  func run(_ plan: WritePlan, _ written: inout [String]) async throws(Problem) {
    try await write(plan, &written)
    for pointer in plan.pointers { try await move(pointer, &written) }
    try await host.settle(.pointers)
  }

  /// The steps before the pointers: from here on every reader could have the new state, and nobody sees it yet.
  func write(_ plan: WritePlan, _ written: inout [String]) async throws(Problem) {
    for file in plan.files { try await put(file, &written) }
    if !plan.files.isEmpty, let publicFiles, let address = publicFiles.address ?? base {
      // Where nobody looks, they go out with the next step.
      try await host.settle(.files)
      try await publicFiles.wait(for: plan.files, at: address)
    }
    for file in plan.metadata { try await put(file, &written) }
    if !plan.metadata.isEmpty { try await host.settle(.metadata) }
  }

  /// Writes where needed, then reads back: what readers will get is what was hashed and signed.
  private func put(_ file: FeedWrite, _ written: inout [String]) async throws(Problem) {
    guard try await host.put(file.path, file.bytes) else { return }
    guard try await host.read(file.path, maxBytes: file.bytes.count) == file.bytes else {
      throw Problem(
        .digestMismatch, "\(file.path) does not have the bytes that were written to it",
        advice: "check the disk and other programs that write to the feed, then run the same command again")
    }
    written.append(file.path)
  }

  /// Moves a pointer unless somebody else did; readers may see it before `settle`.
  func move(_ pointer: WritePlan.Pointer, _ written: inout [String]) async throws(Problem) {
    let path = pointer.write.path
    let current = try await host.read(path, maxBytes: Limits.standard.maxManifestBytes)
    guard current == pointer.expected else { throw Self.changed(path) }
    try await host.replace(path, with: pointer.write.bytes)
    written.append(path)
  }

  /// A pointer that another publisher moved.
  static func changed(_ path: String) -> Problem {
    if path == FeedLayout.timestamp { return ReleaseCommit.signedMeanwhile }
    return Problem(
      .conflict, "\(path) was changed by another publisher meanwhile",
      advice: "run the same command again, on top of it")
  }
}
