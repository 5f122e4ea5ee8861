import OTACrypto
import OTAManifest
import OTATrust
import TestSupport
import TrustFixtures

extension FuzzTarget {
  /// The rules of trust: the first byte chooses a step, and the rest is what is signed for it by the right keys.
  ///
  /// Without signatures nothing is believed; what is refused changes nothing; what is believed goes forward only.
  static let trust = FuzzTarget(
    name: "trust",
    seeds: {
      let feed = try Seeds.feed()
      var second = feed
      second.rootVersion = 2
      let bodies = [
        second.rootBody, try feed.timestampBody(), try feed.snapshotBody(),
        try feed.targetsBody(feed.files).with("delegations", feed.delegations),
      ]
      return zip(UInt8(0)..., bodies).map { [$0] + $1.encoded(indented: false) }
    },
    check: { bytes throws(BrokenRule) in
      guard let first = bytes.first, let step = Step(rawValue: first % 4) else { return }
      let rest = Array(bytes.dropFirst())
      guard let body = reading({ try JSONReader.read(rest, maxBytes: 1 << 20, maxDepth: 32) }) else { return }
      guard let received = reading({ try signed(body, by: [TestKey(step.rawValue + 1)]) }) else { return }
      let start = try must("a good feed is believed") { try trusted(before: step) }
      let unsigned = envelope(body, []).encoded(indented: false)
      for (bytes, isSigned) in [(unsigned, false), (received, true)] {
        var set = start
        let accepted = reading { try step.take(bytes, into: &set) } == true
        try require(isSigned || !accepted, "\(step) is believed without signatures")
        if accepted {
          try require(set.headers.count >= start.headers.count, "what was believed is kept")
          for (old, new) in zip(start.headers, set.headers) {
            try require(new.header.version >= old.header.version, "\(old.role) goes back")
          }
        } else {
          try require(versions(set) == versions(start), "\(step) is refused and changes something")
        }
      }
    })

  /// A step of the client's workflow; the numbers of the keys of `TestFeed` are one higher.
  private enum Step: UInt8 {
    case root, timestamp, snapshot, targets

    /// Takes metadata on; `false` when it is no news.
    func take(_ bytes: [UInt8], into set: inout TrustedMetadataSet) throws -> Bool {
      switch self {
      case .root: try set.updateRoot(bytes)
      case .timestamp: return try set.updateTimestamp(bytes)
      case .snapshot: try set.updateSnapshot(bytes)
      case .targets: try set.updateTargets(bytes, of: .top)
      }
      return true
    }
  }

  private static func versions(_ set: TrustedMetadataSet) -> [String] {
    set.headers.map { "\($0.role) \($0.header.version) \($0.header.expires)" }
  }

  /// What a client believes before a step; lengths and digests are left open, so that other bytes get that far.
  private static func trusted(before step: Step) throws -> TrustedMetadataSet {
    try states.get()[Int(step.rawValue)]
  }

  private static let states = Result {
    var feed = try Seeds.feed()
    feed.hasHashes = false
    var set = try TrustedMetadataSet(trustedRoot: feed.rootBytes(), now: TestFeed.now)
    var states = [set, set]
    _ = try set.updateTimestamp(feed.timestampBytes())
    states.append(set)
    try set.updateSnapshot(feed.snapshotBytes())
    states.append(set)
    return states
  }
}
