internal import OTAFeed
internal import OTAManifest
internal import OTAStorage
internal import OTATransfer

/// The download of one file into `partial/`, resumed where an earlier one ended, verified when it is done.
struct ArtifactDownload: Sendable {
  let name: String
  let artifact: Artifact
  let partial: Directory
  let reader: FeedReader

  private var fileName: String { artifact.sha256.hex }

  /// Leaves a durable file with the right digest under its digest's name, or throws and leaves at most a partial one.
  func run(_ progress: @escaping @Sendable (Int) -> Void) async throws {
    let resumed = try existingBytes() > 0
    var goesOn = resumed
    do {
      try await attempt(progress, &goesOn)
    } catch  where goesOn && isWorthAFreshStart(error) {
      // What was there belonged to another file, or the server cannot continue it: once more from the first byte.
      _ = try partial.remove(fileName)
      try await attempt(progress, &goesOn)
    }
  }

  private func isWorthAFreshStart(_ error: any Error) -> Bool {
    switch error {
    case let error as TransferError: error.kind == .protocolViolation || error.status == 416
    case let problem as Problem: [.digestMismatch, .sizeMismatch, .htmlInstead].contains(problem.code)
    default: false
    }
  }

  private func existingBytes() throws -> Int {
    guard let size = try partial.kind(of: fileName) == .file ? partial.size(of: fileName) : 0 else {
      return 0
    }
    return size
  }

  /// - Parameter goesOn: set when an answer went on from what was there.
  private func attempt(
    _ progress: @escaping @Sendable (Int) -> Void, _ goesOn: inout Bool
  ) async throws {
    let existing = try existingBytes()
    if existing > Int(artifact.bytes) || existing == 0 { try partial.removeTree(fileName) }
    let sink = try ArtifactSink(continuing: fileName, in: partial)
    defer { goesOn = goesOn || sink.hasResumed }
    var response: FetchResponse?
    if sink.bytes < Int(artifact.bytes) { response = try await fetch(into: sink, progress) }
    try verify(sink.finish(), response)
    progress(Int(artifact.bytes))
  }

  private func fetch(
    into sink: ArtifactSink, _ progress: @escaping @Sendable (Int) -> Void
  ) async throws -> FetchResponse {
    let resume = sink.bytes > 0 ? ResumePoint(offset: sink.bytes, validator: nil) : nil
    do {
      return try await reader.fetch(artifact, resume: resume, into: sink) { received, _ in progress(received)
      }
    } catch {
      guard error.kind == .tooLarge else { throw error }
      try refuseHTML()
      try discard()
      throw Problem(
        .sizeMismatch, "\(place) is longer than the \(artifact.bytes) bytes of its manifest",
        advice: Self.mismatchAdvice)
    }
  }

  private func verify(_ result: ArtifactSink.Result, _ response: FetchResponse?) throws {
    if result.bytes == Int(artifact.bytes), result.digest == artifact.sha256 {
      if name == ReleaseFiles.bundle { try checkHead() }
      return
    }
    try refuseHTML()
    try refuseCompressed(response)
    if result.bytes < Int(artifact.bytes), response?.totalBytes != result.bytes {
      throw Problem(
        .truncated, "\(place) ended after \(result.bytes) of \(artifact.bytes) bytes",
        advice: "the next update goes on from there")
    }
    try discard()
    guard result.bytes == Int(artifact.bytes) else {
      throw Problem(
        .sizeMismatch, "\(place) has \(result.bytes) bytes, not the \(artifact.bytes) of its manifest",
        advice: Self.mismatchAdvice)
    }
    throw Problem(
      .digestMismatch,
      "\(place) is not the file that the manifest describes: its SHA-256 is \(result.digest), not \(artifact.sha256)",
      advice: Self.mismatchAdvice)
  }

  /// A page in place of the file says nothing about the release: the next update simply asks again.
  private func refuseHTML() throws {
    guard try ReleaseContentCheck.looksLikeHTML(head()) else { return }
    try discard()
    throw Problem(
      .htmlInstead, "\(place) is not ours: an HTML page came instead of the file",
      advice: "a login or maintenance page answers in its place; the next update tries again")
  }

  private func refuseCompressed(_ response: FetchResponse?) throws {
    guard let coding = try response?.trueCoding(of: head()) else { return }
    try discard()
    throw Problem(place, compressedAs: coding)
  }

  private var place: String { "\(name) at \(artifact.location.text)" }

  private static let mismatchAdvice =
    "the host still serves files of another release, or changes files on their way (minify, Rocket Loader and the like: switch that off); the next update tries again"

  /// The first bytes of what arrived, for a better word on what it is; nothing is decided by them alone.
  private func head() throws -> [UInt8] {
    var file = try partial.openForReading(fileName)
    return try file.read(maxBytes: 512)
  }

  private func checkHead() throws {
    do {
      try ReleaseContentCheck.checkBundle(head: head())
    } catch let error as InputError {
      try discard()
      throw Problem(
        .bundleInvalid, "\(name) \(error.message)",
        advice: "tell the publisher of the feed; the next release is taken as usual")
    }
  }

  private func discard() throws { _ = try partial.remove(fileName) }
}
