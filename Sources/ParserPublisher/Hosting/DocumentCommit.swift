internal import OTAFeed
internal import OTAManifest

/// Writes documents beside the pointers of a feed: one signed write, and nothing of a release.
struct DocumentCommit {
  let host: any FeedHost
  let place: String
  let signing: FeedSigning?

  /// Puts documents in the place of those that the state has, unless the feed has changed since it was read.
  ///
  /// - Returns: the paths that were written.
  func run(_ documents: FeedDocuments, basedOn state: FeedState) async throws(Problem) -> [String] {
    try await host.locked { () async throws(Problem) in
      let fresh = try await FeedState.read(from: host, place: place)
      guard fresh.documents == state.documents, fresh.head?.digest == state.head?.digest,
        fresh.metadata?.timestamp.bytes == state.metadata?.timestamp.bytes
      else { throw ReleaseCommit.changedMeanwhile }
      var written: [String] = []
      let plan = try await Self.plan(documents, fresh, signing, host)
      try await FeedCommit(host: host).run(plan, &written)
      try await removeOld(documents, fresh)
      if signing != nil,
        let path = try await ExpressUpkeep(host: host).run(for: MetadataState.read(from: host))
      {
        try await host.settle(.pointers)
        written.append(path)
      }
      return written
    }
  }

  /// The writes that bring a feed from its documents to others.
  static func plan(
    _ documents: FeedDocuments, _ state: FeedState, _ signing: FeedSigning?, _ host: any FeedHost
  ) async throws(Problem) -> WritePlan {
    var plan = WritePlan()
    if let signing {
      let next = state.with(documents)
      plan.add(try await signing.plan(for: next, [], host, whole: []), after: state.metadata)
    } else {
      plan.move(documents, from: state.documents)
    }
    return plan
  }

  private func removeOld(_ documents: FeedDocuments, _ state: FeedState) async throws(Problem) {
    let gone = state.documents.bytes.keys.filter { documents.bytes[$0] == nil }.sorted()
    if signing == nil, !gone.isEmpty { try await host.remove(gone) }
  }
}

extension WritePlan {
  /// Moves the documents of a feed without signatures.
  mutating func move(_ documents: FeedDocuments, from old: FeedDocuments) {
    for (path, bytes) in documents.bytes.sorted(by: { $0.key < $1.key }) where old.bytes[path] != bytes {
      move(FeedWrite(path: path, bytes: bytes), from: old.bytes[path])
    }
  }
}

extension ReleaseCommit {
  static var changedMeanwhile: Problem {
    Problem(
      .conflict, "the feed was changed by another publisher meanwhile", kept: "nothing was written",
      advice: "run the same command again, on top of it")
  }
}
