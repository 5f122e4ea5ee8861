internal import OTAFeed
internal import OTAManifest

extension DeviceState {
  /// A release was accepted: it is the new floor of its channel, which the device follows.
  mutating func accept(_ offer: VerifiedManifest, channel: Channel, embedded: ReleaseVersion?) {
    heed(offer.manifest, channel: channel, embedded: embedded)
    seen[channel] = SeenRelease(
      version: offer.manifest.version, manifest: offer.digest, pair: offer.manifest.pair)
  }

  /// A release that is here already is the floor of its channel again, where an epoch took the floor away.
  mutating func regainFloor(_ offer: VerifiedManifest, channel: Channel) {
    let release = ReleaseReference(offer.manifest, digest: offer.digest)
    guard seen[channel] == nil, slots.references.contains(release) else { return }
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
    // Where nothing was ever withdrawn there is nothing that an older manifest could take back, and nothing to write.
    if withdrawn.isEmpty, manifest.withdrawn.isEmpty, heard[channel] == nil { return }
    heard[channel] = manifest.version
    withdrawn = manifest.withdrawn
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
