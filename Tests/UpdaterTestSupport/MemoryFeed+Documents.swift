import OTAManifest

/// The documents beside the pointer of a channel, as a publisher writes them.
extension MemoryFeed {
  /// Publishes a release for the devices of a rollout alone: the pointer stays where it is.
  package func begin(
    _ release: SampleRelease, _ steps: String, at start: Timestamp, isCritical: Bool = false
  ) throws -> Rollout {
    put(release.bundle, at: release.bundlePath)
    put(release.sources, at: release.sourcesPath)
    let version = release.manifest.version
    put(release.bytes, at: "files/releases/\(version)/\(release.digest).manifest.json")
    signer?.list(release.bundle, at: "releases/\(version)/parsers.bundle.js", on: self)
    signer?.list(release.sources, at: "releases/\(version)/sources.json", on: self)
    signer?.list(release.bytes, at: "releases/\(version)/manifest.json", on: self)
    let rollout = Rollout(
      channel: release.manifest.channel, version: version, manifest: release.digest,
      steps: try RolloutSteps(steps), start: start, isCritical: isCritical)
    put(rollout)
    return rollout
  }

  /// Puts the document of a rollout in its place and signs it.
  package func put(_ rollout: Rollout) { put(rollout.encoded(), document: rollout.channel.rolloutPath) }

  /// Puts advisories in their place and signs them.
  package func put(_ advisories: Advisories) {
    put(advisories.encoded(), document: advisories.channel.advisoriesPath)
  }

  /// Puts a document in its place, signed where the feed is.
  package func put(_ bytes: [UInt8], document path: String) {
    guard let signer else { return put(bytes, at: path) }
    signer.list(bytes, at: path, on: self)
    signer.sign(on: self)
  }

  /// Takes the document of a rollout away, as the publisher does when it is complete.
  package func endRollout(of channel: Channel) {
    guard let signer else { return remove(channel.rolloutPath) }
    signer.change { $0.files[channel.rolloutPath] = nil }
    signer.sign(on: self)
  }

  /// Signs a timestamp that says this moment, as the refresh job does; nothing on an unsigned feed.
  package func refresh(at moment: Timestamp) {
    signer?.change { ($0.now, $0.datesTimestamps) = (moment, true) }
    signer?.sign([.timestamp], on: self)
  }
}
