internal import OTAFeed
internal import OTAManifest

extension DeviceState {
  /// A release was accepted: it is the new floor of its channel, which the device follows.
  mutating func accept(_ offer: VerifiedManifest, channel: Channel, embedded: ReleaseVersion?) {
    heed(offer.complete?.manifest ?? offer.manifest, channel: channel, embedded: embedded)
    // The floor is what everybody may have: a rollout that ends early must not hide it.
    let floor = offer.complete ?? PointedRelease(manifest: offer.manifest, digest: offer.digest)
    if let known = seen[channel], known.version > floor.manifest.version { return }
    seen[channel] = SeenRelease(
      version: floor.manifest.version, manifest: floor.digest, pair: floor.manifest.pair)
  }

  /// A release that is here already is the floor of its channel: again, where an epoch took the floor away, or now that
  /// everybody may have it.
  mutating func regainFloor(_ offer: VerifiedManifest, channel: Channel) {
    let release = ReleaseReference(offer.manifest, digest: offer.digest)
    guard offer.complete == nil, slots.references.contains(release),
      seen[channel].map({ $0.version < release.version }) ?? true
    else { return }
    seen[channel] = SeenRelease(version: release.version, manifest: release.manifest, pair: release.pair)
  }

  /// A verified manifest says which releases must not run any more, whether or not its own files can be had.
  ///
  /// It counts unless it is older than one that was heard or accepted: so an older one takes no withdrawal back. What was
  /// heard is no floor for offers: the release that it announces can still be installed later.
  mutating func heed(_ manifest: Manifest, channel: Channel, embedded: ReleaseVersion?) {
    let floors = [seen[channel]?.version, heard[channel], embedded].compactMap(\.self)
    if let floor = floors.max(), manifest.version < floor { return }
    select(channel)
    heedEmbeddedWord(of: manifest)
    // Where nothing was ever withdrawn there is nothing that an older manifest could take back, and nothing to write.
    if withdrawn.isEmpty, manifest.withdrawn.isEmpty, heard[channel] == nil { return }
    heard[channel] = manifest.version
    withdrawn = bounded(manifest.withdrawn)
  }

  /// The withdrawn releases, of which only so many may be new: a thief with a release key cannot take back a whole feed.
  ///
  /// Those that count are the newest, which is what devices run. The copy inside the app is never among them.
  private func bounded(_ versions: [ReleaseVersion]) -> [ReleaseVersion] {
    let known = Set(withdrawn)
    let new = versions.filter { !known.contains($0) }.sorted().suffix(Limits.standard.maxNewlyWithdrawn)
    return versions.filter { known.contains($0) || new.contains($0) }
  }

  /// A word that apps run their embedded copy holds until a later release: that wins by its number alone.
  private mutating func heedEmbeddedWord(of manifest: Manifest) {
    if let apps = manifest.embeddedOnly {
      slots.embeddedWord = ChannelSlots.EmbeddedWord(version: manifest.version, apps: apps)
    } else if let word = slots.embeddedWord, word.version == manifest.version {
      slots.embeddedWord = nil
    }
  }

  /// Whether something that a launch must know differs, and not only how far the feed was heard.
  func differsForLaunches(from other: DeviceState) -> Bool {
    var same = other
    same.heard = heard
    same.lastProblem = lastProblem
    same.stale = stale
    return self != same
  }
}
