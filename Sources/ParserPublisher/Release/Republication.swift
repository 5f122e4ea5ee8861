internal import OTAFeed
internal import OTAManifest

/// Publishes what is left of a channel whose newest release was discarded, under a number that nobody has seen.
///
/// Old clients know nothing of epochs and keep the largest number they saw: a feed that simply went back would leave them on
/// the discarded release, and its number would be given out twice.
struct Republication {
  /// The feed without what is discarded.
  let state: FeedState
  let discarded: [ReleaseVersion]
  let lookup: ContentLookup
  let released: Timestamp

  /// The number after what is left and after what was discarded, unless that had leapt.
  ///
  /// A number that is far away was a slip or a thief's, and is what the discard shall heal.
  static func number(
    after head: ReleaseVersion, discarded: [ReleaseVersion]
  ) throws(Problem) -> ReleaseVersion {
    var last = head
    for version in discarded.sorted()
    where version > last && version.number - last.number <= ReleaseNumbering.maxStep {
      last = version
    }
    return try ReleaseNumbering.next(after: last, requested: nil, allowsJump: false)
  }

  /// The next releases of these channels; a channel of which nothing whole is left has none.
  func drafts(for channels: [Channel]) async throws(Problem) -> [ReleaseDraft] {
    var drafts: [ReleaseDraft] = []
    var now = state
    for channel in channels {
      guard let draft = try await draft(for: channel, on: now) else { continue }
      drafts.append(draft)
      now = try now.adding(draft)
    }
    return drafts
  }

  private func draft(for channel: Channel, on state: FeedState) async throws(Problem) -> ReleaseDraft? {
    let releases = self.state.releases.map(\.manifest).filter { $0.channel == channel }
    // The list of a discarded release may be a thief's; that of the newest one left is the last that counts.
    guard let newest = releases.first, let head = state.head else { return nil }
    for target in releases where !newest.withdrawn.contains(target.version) {
      guard try await isWhole(target) else { continue }
      let version = try Self.number(after: head.manifest.version, discarded: discarded)
      let own = Withdrawal.versions(with: target.pair, in: self.state, remembered: [newest])
      // The packed forms of an older release are not on the feed any more.
      var manifest = target.withoutForms
      manifest.version = version
      manifest.released = released
      manifest.notes = "release \(target.version) again: \(discardedWords) no longer signed"
      manifest.parent = head.digest
      manifest.parentVersion = head.manifest.version
      manifest.withdrawn = Withdrawal.carried(
        newest.withdrawn + discarded.filter { $0 < version }, except: own)
      manifest.withdrawnContent = Withdrawal.contents(of: manifest.withdrawn, in: state, before: newest)
      manifest.allowed.removeAll { $0.hasSameBytes(as: ClockCheck.allowance) }
      return try ReleaseDraft(manifest, contents: [], previous: nil, diff: nil, warnings: [])
    }
    return nil
  }

  private var discardedWords: String {
    let shown = discarded.prefix(5).map(\.description).joined(separator: ", ")
    return discarded.count == 1 ? "release \(shown) is" : "releases \(shown) are"
  }

  /// Whether both files of a release are there and what its manifest says.
  private func isWhole(_ manifest: Manifest) async throws(Problem) -> Bool {
    do {
      _ = try await lookup.bytes(of: .bundle, in: manifest)
      _ = try await lookup.catalog(of: manifest)
      return true
    } catch  where error.code == .feedIncomplete || error.code == .sourcesInvalid {
      return false
    }
  }
}
