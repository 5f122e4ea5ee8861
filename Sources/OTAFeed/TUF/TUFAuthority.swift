internal import OTACrypto
package import OTAManifest
internal import OTATransfer
internal import OTATrust

/// Accepts the manifest that signed metadata names, and of it only files that signed metadata names too.
struct TUFAuthority: ManifestAuthority {
  let root: [UInt8]
  let memory: TrustMemory

  func newestManifest(of channel: Channel, from feed: FeedReader) async throws(Problem) -> VerifiedManifest {
    let repository = try feed.repository
    guard memory.usesExpress, feed.isOnNetwork else {
      return try await manifest(of: channel, feed, repository)
    }
    let question = ExpressQuestion(repository, store: memory.metadata, now: memory.moment.clock)
    let before = try stored()
    if let express = try await question.ask() {
      do throws(Problem) {
        var verified = try await manifest(of: channel, feed, express.repository)
        question.remember(express)
        verified.enclosed = express.parts
        return verified
      } catch {
        // The disk and the caller are the same on the ordinary way; anything else may be the fault of this one file.
        guard error.code != .cancelled, error.code.responsibility != .localDisk else { throw error }
      }
    }
    let verified = try await manifest(of: channel, feed, repository, hasSeenNews: try stored() != before)
    question.rememberOrdinaryWay()
    return verified
  }

  private func stored() throws(Problem) -> [UInt8]? {
    do { return try memory.metadata.load(.newest(role: "timestamp")) } catch { throw Problem(error) }
  }

  /// - Parameter hasSeenNews: whether this run has taken on a new timestamp already.
  private func manifest(
    of channel: Channel, _ feed: FeedReader, _ repository: TUFRepository, hasSeenNews: Bool = false
  ) async throws(Problem) -> VerifiedManifest {
    do {
      var client = try TUFClient(
        repository: repository, store: memory.metadata, shippedRoot: root, now: memory.moment.clock)
      let isNew = try await client.refresh() || hasSeenNews
      memory.heard(FeedEvidence(client, isNew: isNew))
      try requireTwoWitnesses(client, isNew)
      try feed.archive?.requireChannel(channel)
      var source = SignedSource(client: client, memory: memory)
      var verified: VerifiedManifest
      if let archive = feed.archive {
        verified = try await source.release(of: archive, try await source.pointer(of: channel))
      } else {
        var search = OfferSearch(source, memory.wishes)
        verified = try await search.newest(of: channel)
      }
      if client.answersEverything {
        verified.notices.append(Problem(hostAnswersEverything: feed.location.text))
      }
      return verified
    } catch {
      throw doubting(error)
    }
  }

  // MARK: The clock

  /// Refuses metadata that a clock set back would make look fresh, unless the feed showed something new meanwhile.
  ///
  /// One date alone proves nothing: it takes a signed one and one that this device wrote, both later than the clock.
  private func requireTwoWitnesses(_ client: TUFClient, _ isNew: Bool) throws(Problem) {
    guard !isNew, let agreed = memory.moment.agreedDate(withSigned: client.signedAt) else { return }
    do {
      try client.requireFresh(at: agreed)
    } catch {
      throw Problem(error)
    }
  }

  /// A refusal that an unreliable clock may have a part in says so.
  private func doubting(_ problem: Problem) -> Problem {
    guard problem.code == .trustExpired, let doubt = memory.moment.doubt else { return problem }
    var doubted = Problem(
      problem.code, "\(problem.message); \(doubt.code.rawValue): \(doubt.message)", kept: problem.kept,
      advice: "set the clock of this machine, then try again")
    doubted.since = problem.since
    return doubted
  }
}

/// The files of a feed that signed metadata lists.
private struct SignedSource: ChannelSource {
  var client: TUFClient
  let memory: TrustMemory

  mutating func pointer(of channel: Channel) async throws(Problem) -> VerifiedManifest {
    guard let pointer = try await pointerIfAny(of: channel, isAnnounced: true) else {
      throw Problem(
        .notFound,
        "\(channel.manifestPath) is not among the signed files: nothing is published in the channel \(channel)",
        advice: "check the name of the channel")
    }
    return pointer
  }

  mutating func pointerIfAny(
    of channel: Channel, isAnnounced: Bool
  ) async throws(Problem) -> VerifiedManifest? {
    let path = channel.manifestPath
    guard let target = try await client.targetInfo(path) else { return nil }
    let bytes = try await bytes(of: target, maxBytes: Limits.standard.maxManifestBytes)
    let verified = try VerifiedManifest(unsigned: bytes, name: path)
    guard verified.manifest.channel == channel else {
      throw Problem(
        .wrongChannel, "\(path) belongs to the channel \(verified.manifest.channel), not to \(channel)",
        advice: "tell the publisher of the feed")
    }
    try await client.requireSignedFiles(of: verified.manifest)
    return verified
  }

  mutating func document(
    _ path: String, maxBytes: Int, isAnnounced: Bool
  ) async throws(Problem) -> [UInt8]? {
    guard let target = try await client.targetInfo(path) else { return nil }
    return try await bytes(of: target, maxBytes: maxBytes)
  }

  mutating func release(of rollout: Rollout) async throws(Problem) -> VerifiedManifest {
    let path = "releases/\(rollout.version)/manifest.json"
    guard let target = try await client.targetInfo(path), target.sha256 == rollout.manifest else {
      throw Problem(.trustUnlisted, "release \(rollout.version) of a rollout is not among the signed files")
    }
    let bytes = try await bytes(of: target, maxBytes: Limits.standard.maxManifestBytes)
    let verified = try VerifiedManifest(unsigned: bytes, name: path)
    try await client.requireSignedFiles(of: verified.manifest)
    return verified
  }

  /// The release that an archive brings, when signed metadata lists it as well as the newest one.
  mutating func release(
    of archive: ReleaseArchive, _ newest: VerifiedManifest
  ) async throws(Problem) -> VerifiedManifest {
    guard archive.release.digest != newest.digest else { return newest }
    let path = "releases/\(archive.manifest.version)/manifest.json"
    guard try await client.targetInfo(path)?.sha256 == archive.release.digest else {
      throw Problem(
        .trustUnlisted,
        "release \(archive.manifest.version) of \(archive.name.printable(maxCharacters: 200)) is not among the signed files",
        advice: "nothing of it was used; make archives with parser-ota export")
    }
    try await client.requireSignedFiles(of: archive.manifest)
    return archive.release.superseded(by: newest)
  }

  /// The bytes of a small target: those at hand when they are the signed ones, else those of the feed.
  private mutating func bytes(
    of target: TargetDescription, maxBytes limit: Int
  ) async throws(Problem) -> [UInt8] {
    guard target.length <= limit else {
      throw Problem(
        .trustLimit, "\(target.path) has \(target.length) bytes, more than the \(limit) of a manifest",
        advice: "tell the publisher of the feed")
    }
    for bytes in [try known(target), try stored(target)].compactMap(\.self) where target.matches(bytes) {
      return bytes
    }
    let sink = MemorySink()
    try await client.download(target, into: sink)
    return sink.bytes
  }

  private func known(_ target: TargetDescription) throws(Problem) -> [UInt8]? {
    target.sha256.flatMap(memory.knownManifest)
  }

  private func stored(_ target: TargetDescription) throws(Problem) -> [UInt8]? {
    do {
      return try memory.metadata.load(.target(path: target.path))
    } catch {
      throw Problem(error)
    }
  }
}

extension TUFClient {
  /// Refuses a manifest whose files are not signed as well: pieces of two releases must not be mixed.
  package mutating func requireSignedFiles(of manifest: Manifest) async throws(Problem) {
    for (artifact, name) in [(manifest.bundle, "bundle"), (manifest.sources, "sources")] {
      guard let path = artifact.targetPath else {
        throw Problem(
          .trustUnlisted,
          "release \(manifest.version): \(name) is at \(artifact.location.text), outside the signed files",
          advice: "tell the publisher of the feed")
      }
      guard let target = try await targetInfo(path) else {
        throw Problem(
          .trustUnlisted, "release \(manifest.version): \(name) \(path) is not among the signed files",
          advice: "tell the publisher of the feed")
      }
      guard target.length == artifact.bytes, target.sha256 == artifact.sha256 else {
        throw Problem(
          .trustMismatch,
          "release \(manifest.version): \(name) is another file than the signed one of the name \(path)",
          advice: "tell the publisher of the feed")
      }
    }
  }
}

extension Artifact {
  /// The path under which signed metadata lists the file; `nil` for a place outside the layout of a feed.
  package var targetPath: String? {
    let path: String
    switch location {
    case .relative(let relative): path = relative.text
    case .absolute(let address):
      guard let range = address.path.ranges(of: "/\(FeedLayout.releasesFolder)/").last else { return nil }
      path = String(address.path[range.lowerBound...].dropFirst())
    }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let prefix = "\(sha256.hex)."
    guard parts.count == 4, path.hasPrefix(FeedLayout.releasesFolder + "/"), parts[3].hasPrefix(prefix) else {
      return nil
    }
    return "releases/\(parts[2])/\(parts[3].dropFirst(prefix.utf8.count))"
  }
}

extension TargetDescription {
  /// The SHA-256 digest; `nil` when signed metadata gives none.
  package var sha256: Digest? { hashes.known[.sha256].flatMap { Digest(bytes: $0) } }

  /// Whether bytes have the signed length and digests.
  func matches(_ bytes: [UInt8]) -> Bool {
    do {
      var check = try FileCheck(self)
      try check.update(bytes)
      try check.finish()
      return true
    } catch {
      // Damaged, or of another release: the feed has the right ones.
      return false
    }
  }
}
