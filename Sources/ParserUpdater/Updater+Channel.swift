public import OTAManifest

/// What a change of channel comes to.
public struct ChannelChange: Equatable, Sendable {
  /// The channel that is followed now.
  public let channel: Channel
  /// The channel that was followed before; the same one when nothing changed.
  public let before: Channel
  /// The staged release that was given up; `nil` when none was.
  public let dropped: ReleaseVersion?
}

extension Updater {
  /// The channel whose releases run: the app's, the one that was chosen here, or one that stands in for it.
  ///
  /// - Throws: the reason why the store cannot be read.
  public func channel() throws(Problem) -> ChannelStanding {
    try StoreQuestion(configuration, now: change.now).channel()
  }

  /// Follows another channel from the next launch on; `nil` takes the app's again.
  ///
  /// Each channel keeps its own releases, floor and list of what failed, so that going back finds what was there.
  /// - Throws: what a change of the store throws.
  @discardableResult
  public func follow(_ channel: Channel?) throws(Problem) -> ChannelChange {
    let configured = configuration.channel
    return try change.change { (state) throws(Problem) in
      let before = state.followedChannel(configured)
      let staged = state.staged
      guard state.choose(channel, configured: configured) else {
        return (ChannelChange(channel: before, before: before, dropped: nil), [])
      }
      let after = state.followedChannel(configured)
      let dropped = state.staged == nil ? staged : nil
      state.follow(after)
      let text = "follows the channel \(after), before: \(before) (chosen on this device)"
      var events = [HistoryEvent(.channelChanged, nil, text)]
      if let dropped {
        events.append(HistoryEvent(.dropped, dropped, "\(dropped.version) (staged) of another channel"))
      }
      return (ChannelChange(channel: after, before: before, dropped: dropped?.version), events)
    }
  }
}
