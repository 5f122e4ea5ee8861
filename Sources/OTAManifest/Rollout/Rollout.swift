/// Which devices may have a release that is not for everybody yet: the document beside the pointer of a channel.
///
/// The pointer goes on naming the newest release that everybody may have. A client that does not know this document
/// sees nothing of the release until its rollout is complete.
public struct Rollout: Equatable, Sendable {
  /// How a rollout goes on.
  public enum State: String, Sendable, CaseIterable {
    /// Devices inside the share take the release.
    case running
    /// No further device takes it; those that run it go on.
    case halted
    /// No device runs it from its next launch on.
    case withdrawn
  }

  /// The channel whose devices it is for.
  public var channel: Channel
  /// The release.
  public var version: ReleaseVersion
  /// The digest of its manifest, which stands among the manifests of all releases.
  public var manifest: Digest
  /// Counts the changes of the document, from 1; a lower one than a device has seen is an old copy.
  public var revision: Int64
  /// When the first step began.
  public var start: Timestamp
  /// The shares and when they begin.
  public var steps: RolloutSteps
  /// How many steps a person has let begin, whatever the time is.
  public var reached: Int
  /// How it goes on.
  public var state: State
  /// When it was halted; `nil` while it runs.
  public var haltedAt: Timestamp?
  /// Whether devices take the release without waiting for their share.
  public var isCritical: Bool
  /// When the document was written.
  public var written: Timestamp
  /// Releases of earlier rollouts of the channel that must not run any more, for devices that have them still.
  public var takesBack: [ReleaseVersion] = []

  /// How many releases a document takes back at most.
  public static let maxTakenBack = 16

  /// Begins a rollout.
  public init(
    channel: Channel, version: ReleaseVersion, manifest: Digest, steps: RolloutSteps, start: Timestamp,
    isCritical: Bool = false
  ) {
    (self.channel, self.version, self.manifest) = (channel, version, manifest)
    (self.steps, self.start, self.isCritical) = (steps, start, isCritical)
    (revision, state, written) = (1, .running, start)
    reached = steps.steps[0].after == 0 ? 1 : 0
  }

  /// The number of steps that have begun at a moment; a halted rollout stands still.
  public func begun(at moment: Timestamp) -> Int {
    let now = min(moment, haltedAt ?? moment)
    return max(
      min(reached, steps.steps.count), steps.begun(after: now.secondsSinceEpoch - start.secondsSinceEpoch))
  }

  /// The share that counts at a moment, whether or not it is halted.
  public func share(at moment: Timestamp) -> Share {
    let begun = begun(at: moment)
    return begun == 0 ? .none : steps.steps[begun - 1].share
  }

  /// The next step and when it begins; `nil` after the last one, and while nothing moves.
  public func next(at moment: Timestamp) -> (share: Share, date: Timestamp)? {
    let begun = begun(at: moment)
    guard state == .running, begun < steps.steps.count else { return nil }
    let step = steps.steps[begun]
    return (step.share, start.advanced(bySeconds: step.after))
  }

  /// Whether everybody may have the release at a moment.
  public func isComplete(at moment: Timestamp) -> Bool { state == .running && share(at: moment) == .all }
}

extension Rollout {
  /// What a person does to a rollout.
  public enum Change: Equatable, Sendable {
    /// Lets the next step begin now.
    case advance
    /// One share from now on, and no further steps.
    case set(Share)
    case halt
    /// Takes the release back from the devices that run it.
    case withdraw
    case resume
  }

  /// The document after a change; `nil` when the change makes no difference.
  public func applying(_ change: Change, at now: Timestamp) -> Rollout? {
    var next = self
    switch change {
    case .advance: next.advance(at: now)
    case .set(let share):
      (next.steps, next.reached, next.start) = (RolloutSteps(share), 1, now)
    case .halt where state == .running: (next.state, next.haltedAt) = (.halted, now)
    case .withdraw where state != .withdrawn:
      (next.state, next.haltedAt) = (.withdrawn, haltedAt ?? now)
    case .resume where state == .halted:
      // The time that it stood still does not count.
      let pause = now.secondsSinceEpoch - (haltedAt ?? now).secondsSinceEpoch
      (next.start, next.haltedAt) = (start.advanced(bySeconds: max(0, pause)), nil)
      next.state = .running
    default: break
    }
    guard next != self else { return nil }
    next.revision += 1
    next.written = now
    return next
  }

  /// The next step begins now, and those after it follow at the distance that was planned.
  private mutating func advance(at now: Timestamp) {
    let begun = begun(at: now)
    guard state == .running else { return }
    guard begun < steps.steps.count else {
      // Steps that time let begin are written down, for devices that no signed date tells of them.
      reached = max(reached, begun)
      return
    }
    reached = begun + 1
    let planned = start.advanced(bySeconds: steps.steps[begun].after)
    guard now < planned else { return }
    start = start.advanced(bySeconds: now.secondsSinceEpoch - planned.secondsSinceEpoch)
  }

  /// What a person reads: the share, and how it goes on.
  public func sentence(at moment: Timestamp) -> String {
    let share = share(at: moment)
    switch state {
    case .running:
      guard let next = next(at: moment) else { return "\(share) of devices" }
      return "\(share) of devices, \(next.share) from \(next.date)"
    case .halted: return "halted at \(share) of devices"
    case .withdrawn: return "withdrawn after \(share) of devices"
    }
  }
}
