internal import OTAManifest
internal import OTATrust

/// Signed metadata that is ready to go out, in the order of writing.
struct MetadataPlan: Sendable {
  /// Files whose names carry versions: new roots, then targets, then snapshot.
  var versioned: [FeedWrite] = []
  /// The commit point: from here on clients that verify signatures see the new state.
  let timestamp: FeedWrite
  /// What was signed anew, by its role.
  var made: [Root.Role: MetadataState.File]
  /// The files that new targets speak of; `nil` when they stay as they are.
  var files: [String: FileEntry]?
  /// The moment that the timestamp names.
  let signedAt: Timestamp
  /// How many seconds the feed then wants between two checks; `nil` when it does not say.
  let checkInterval: Int64?

  /// When each role that was signed anew expires.
  var expiries: [Root.Role: Timestamp] { made.mapValues(\.expires) }

  /// All of it in the order of writing.
  var writes: [FeedWrite] { versioned + [timestamp] }

  /// The metadata of the feed once all of it is written, under the same root.
  func state(after live: MetadataState) -> MetadataState {
    MetadataState(
      chain: live.chain, timestamp: made[.timestamp] ?? live.timestamp,
      snapshot: made[.snapshot] ?? live.snapshot, targets: made[.targets] ?? live.targets,
      files: files ?? live.files, signedAt: signedAt, checkInterval: checkInterval,
      isTrustedByNewestRoot: true)
  }
}
