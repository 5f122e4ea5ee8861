internal import OTAManifest
internal import OTATrust

/// Signed metadata that is ready to go out, in the order of writing.
struct MetadataPlan: Sendable {
  /// Files whose names carry versions: new roots, then targets, then snapshot.
  var versioned: [FeedWrite] = []
  /// The commit point: from here on clients that verify signatures see the new state.
  let timestamp: FeedWrite
  /// When each role that was signed anew expires.
  var expiries: [Root.Role: Timestamp]

  /// All of it in the order of writing.
  var writes: [FeedWrite] { versioned + [timestamp] }
}
