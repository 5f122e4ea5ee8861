internal import OTAManifest

/// Which channel a device follows: the app's, unless a person chose another, unless the feed leads elsewhere.
extension DeviceState {
  /// The channel that is asked for: the one that a person chose, else that of the app.
  func wantedChannel(_ configured: Channel) -> Channel { chosenChannel ?? configured }

  /// The channel whose releases run: the wanted one, or the one that stands in for it.
  func followedChannel(_ configured: Channel) -> Channel {
    let wanted = wantedChannel(configured)
    return standIns[wanted] ?? wanted
  }

  /// The feed answered for a wanted channel with a release of this one.
  mutating func answer(_ wanted: Channel, with channel: Channel) {
    standIns[wanted] = wanted == channel ? nil : channel
  }

  /// Follows another channel from the next launch on; `nil` takes the app's again.
  ///
  /// What was staged is given up: nothing of a channel starts after it was left.
  ///
  /// - Returns: whether that makes a difference.
  mutating func choose(_ wanted: Channel?, configured: Channel) -> Bool {
    let before = (chosenChannel, followedChannel(configured))
    chosenChannel = wanted == configured ? nil : wanted
    let after = followedChannel(configured)
    if after != before.1 { staged = nil }
    return chosenChannel != before.0 || after != before.1
  }

  /// Whether a failure counts for the channel that is followed; one from before channels had lists of their own does.
  func heeds(_ rejection: Rejection) -> Bool { rejection.channel.map { $0 == channel } ?? true }
}
