internal import OTAFeed
internal import OTAManifest
internal import OTATrust

/// The documents beside the pointers of a feed: its rollouts and advisories, with the bytes that stand there.
struct FeedDocuments: Equatable, Sendable {
  private(set) var rollouts: [Channel: Rollout] = [:]
  private(set) var advisories: [Channel: Advisories] = [:]
  /// The bytes by the path of each document.
  private(set) var bytes: [String: [UInt8]] = [:]

  /// The kinds of documents that a channel may have, by the name that manifests of unsigned feeds announce them with.
  enum Kind: String, CaseIterable {
    case rollout, advisories

    func path(of channel: Channel) -> String {
      self == .rollout ? channel.rolloutPath : channel.advisoriesPath
    }

    var maxBytes: Int { self == .rollout ? Rollout.maxBytes : Advisories.maxBytes }

    /// The kind and the channel of a path; `nil` for any other path.
    static func found(at path: String) -> (kind: Kind, channel: Channel)? {
      let parts = path.split(separator: "/", omittingEmptySubsequences: false)
      guard let channel = parts.count == 1 ? .stable : parts.count == 3 ? Channel(parts[1]) : nil else {
        return nil
      }
      return allCases.first { $0.path(of: channel) == path }.map { ($0, channel) }
    }
  }

  /// Puts a rollout in the place of the one of its channel; `nil` ends it.
  mutating func set(_ rollout: Rollout?, of channel: Channel) {
    rollouts[channel] = rollout
    bytes[channel.rolloutPath] = rollout?.encoded()
  }

  /// Puts advisories in the place of those of their channel; `nil` for none.
  mutating func set(_ advisories: Advisories?, of channel: Channel) {
    self.advisories[channel] = advisories
    bytes[channel.advisoriesPath] = advisories?.encoded()
  }

  /// Takes a document as it stands on the feed.
  mutating func take(_ found: [UInt8], _ kind: Kind, of channel: Channel) throws(Problem) {
    let path = kind.path(of: channel)
    do throws(InputError) {
      switch kind {
      case .rollout: rollouts[channel] = try Rollout.decode(found)
      case .advisories: advisories[channel] = try Advisories.decode(found)
      }
    } catch {
      throw Problem(
        .manifestInvalid, "\(path): \(error.message)",
        advice: "restore the file from a copy of the feed, or publish a release to everybody")
    }
    bytes[path] = found
  }

  /// The documents under the names that signed metadata gives to them.
  func signedCopies() throws(Problem) -> [FeedWrite] {
    var writes: [FeedWrite] = []
    for (path, bytes) in bytes.sorted(by: { $0.key < $1.key }) {
      let digest = try ContentLookup.digest(of: bytes)
      let (folder, name) = FeedLayout.split(path)
      let place = folder.isEmpty ? "" : "\(folder)/"
      writes.append(
        FeedWrite(path: "\(FeedLayout.targetsFolder)/\(place)\(digest.hex).\(name)", bytes: bytes))
    }
    return writes
  }
}

extension FeedState {
  /// Reads the documents of a feed without signatures: those that the live manifests announce.
  static func readDocuments(
    beside live: [Channel: VerifiedManifest], _ host: any FeedHost
  ) async throws(Problem) -> FeedDocuments {
    var documents = FeedDocuments()
    for (channel, release) in live {
      for kind in FeedDocuments.Kind.allCases where release.manifest.beside.contains(kind.rawValue) {
        guard let bytes = try await host.read(kind.path(of: channel), maxBytes: kind.maxBytes) else {
          continue
        }
        try documents.take(bytes, kind, of: channel)
      }
    }
    return documents
  }

  /// Reads the documents that signed metadata lists.
  static func readDocuments(
    listed files: [String: FileEntry], _ host: any FeedHost
  ) async throws(Problem) -> FeedDocuments {
    var documents = FeedDocuments()
    for (path, entry) in files {
      guard let (kind, channel) = FeedDocuments.Kind.found(at: path) else { continue }
      let (folder, name) = FeedLayout.split(path)
      let place = folder.isEmpty ? "" : "\(folder)/"
      let copy = "\(FeedLayout.targetsFolder)/\(place)\(entry.sha256.hex).\(name)"
      guard let bytes = try await host.read(copy, maxBytes: kind.maxBytes),
        try ContentLookup.digest(of: bytes) == entry.sha256
      else {
        throw Problem(
          .feedIncomplete, "\(copy) is missing or damaged, and signed metadata lists it",
          advice: "restore the file from a copy of the feed")
      }
      try documents.take(bytes, kind, of: channel)
    }
    return documents
  }

  /// The release of the rollout that goes on in a channel; `nil` when everybody may have the newest.
  func candidate(of channel: Channel) -> VerifiedManifest? {
    guard let rollout = documents.rollouts[channel], let live = live[channel],
      rollout.version > live.manifest.version
    else { return nil }
    return releases.first { $0.digest == rollout.manifest }
  }

  /// The releases of rollouts in a channel that were withdrawn and that no manifest of everybody names yet.
  func takenBack(in channel: Channel) -> [ReleaseVersion] {
    guard let rollout = documents.rollouts[channel] else { return [] }
    return rollout.takesBack + (rollout.state == .withdrawn ? [rollout.version] : [])
  }

  /// The same feed with other documents.
  func with(_ documents: FeedDocuments) -> FeedState {
    var state = self
    state.documents = documents
    return state
  }
}
