internal import OTAManifest

/// A feed as the events of a plan make it: what devices find in it at each moment.
struct SimulatedFeed: Sendable {
  /// What stands on the feed from a moment on.
  struct Moment: Sendable {
    let from: Int64
    /// The newest release that everybody may have.
    let complete: Manifest
    let rollout: Rollout?
  }

  /// The moment that counts as the beginning.
  static let start = Timestamp(secondsSinceEpoch: 1_800_000_000)

  private(set) var moments: [Moment]
  /// The releases that are bad, by their numbers.
  private(set) var bad: Set<ReleaseVersion> = []
  /// When the last bad release was stopped: halted, withdrawn or rolled back; `nil` for never.
  private(set) var stopped: Int64?
  /// The release that everybody runs at the beginning.
  static let firstVersion: Int64 = 10

  init(_ plan: SimulationPlan) {
    moments = [Moment(from: 0, complete: Self.manifest(Self.firstVersion), rollout: nil)]
    for event in plan.events { apply(event) }
  }

  /// The number of the newest release, whoever may have it.
  private var newest: Int64 {
    moments.map { max($0.complete.version.number, $0.rollout?.version.number ?? 0) }.max() ?? 1
  }

  /// A release that differs from others by its number alone.
  static func manifest(_ number: Int64, content: Int64? = nil) -> Manifest {
    let digest = digest(content ?? number)
    let location = ArtifactLocation.relative(.madeUp)
    var manifest = Manifest(
      version: ReleaseVersion(number) ?? .first,
      bundle: Artifact(location: location, sha256: digest, bytes: 1),
      sources: Artifact(location: location, sha256: digest, bytes: 1))
    manifest.content = ReleaseVersion(content ?? number) ?? .first
    return manifest
  }

  /// A digest that stands for a number.
  static func digest(_ number: Int64) -> Digest { Digest(standingFor: number) }

  private mutating func apply(_ event: SimulationPlan.Event) {
    guard let now = moments.last else { return }
    let date = Self.start.advanced(bySeconds: event.at)
    switch event.action {
    case .publish(let steps, let isBad):
      var manifest = Self.manifest(newest + 1)
      manifest.withdrawn = now.complete.withdrawn + takenBack(now)
      if isBad { bad.insert(manifest.version) }
      guard let steps else { return add(event.at, manifest, nil) }
      let rollout = Rollout(
        channel: .stable, version: manifest.version, manifest: Self.digest(manifest.version.number),
        steps: steps,
        start: date)
      add(event.at, now.complete, rollout)
    case .change(let change):
      guard let next = now.rollout?.applying(change, at: date) else { return }
      if next.state != .running, bad.contains(next.version) { stop(event.at) }
      add(event.at, now.complete, next)
    case .complete:
      guard let rollout = now.rollout, rollout.state != .withdrawn else { return }
      var manifest = Self.manifest(rollout.version.number)
      manifest.withdrawn = now.complete.withdrawn
      add(event.at, manifest, nil)
    case .rollBack: rollBack(now, at: event.at)
    }
  }

  private func takenBack(_ moment: Moment) -> [ReleaseVersion] {
    moment.rollout.map { $0.state == .withdrawn ? [$0.version] : [] } ?? []
  }

  /// Publishes the newest content that is not bad, and withdraws what came after it.
  private mutating func rollBack(_ now: Moment, at time: Int64) {
    let left = now.rollout?.version ?? now.complete.version
    let good = moments.map(\.complete).last { $0.version < left && !bad.contains($0.content) }
    var manifest = Self.manifest(newest + 1, content: good?.content.number ?? Self.firstVersion)
    manifest.withdrawn = now.complete.withdrawn + [left]
    stop(time)
    add(time, manifest, nil)
  }

  private mutating func stop(_ time: Int64) { stopped = stopped ?? time }

  private mutating func add(_ time: Int64, _ complete: Manifest, _ rollout: Rollout?) {
    moments.append(Moment(from: time, complete: complete, rollout: rollout))
  }

  /// The index of what counts at a time, looked for from an earlier one on.
  func index(at time: Int64, from index: Int) -> Int {
    var index = index
    while index + 1 < moments.count, moments[index + 1].from <= time { index += 1 }
    return index
  }
}
