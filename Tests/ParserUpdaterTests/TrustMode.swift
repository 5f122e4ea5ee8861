import UpdaterTestSupport

/// The two kinds of trust, for stories that must hold in both.
enum TrustMode: String, CaseIterable, Sendable {
  case checksumsOnly, signed

  /// The file that changes with every release and is asked for at every check.
  var entrance: String { self == .signed ? "metadata/timestamp.json" : "manifest.json" }
}

extension MemoryFeed {
  /// An empty feed, signed or not.
  convenience init(_ mode: TrustMode) { self.init(signer: mode == .signed ? FeedSigner() : nil) }
}

/// What is in the store except scratch, signed metadata and the account of failures.
func releases(in device: Device) -> [String] {
  tree(device.store).filter { path in !["incoming", "partial", "metadata"].contains { path.hasPrefix($0) } }
}
