internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// The look through the candidates of a launch: the one reading for the launch and for every question about it.
///
/// Takes the first candidate whose files were read and hashed in this call and are the ones of its manifest.
struct CandidateSearch {
  /// A candidate that is whole.
  struct Choice {
    let candidate: LaunchPlan.Candidate
    /// The bytes; `nil` for a question.
    let files: ReleaseFiles.Loaded?
    let lease: ReleaseLease?
    let folder: String?
  }

  /// The first whole candidate.
  private(set) var choice: Choice?
  /// The candidates before it that are no whole releases; what is unknown is not among them.
  private(set) var damaged: [LaunchPlan.Candidate] = []
  /// All candidates before it, and why they were passed over.
  private(set) var passedOver: [PassedOver] = []
  /// The first reason why something is unknown.
  private(set) var unknown: Problem?
  /// The candidates after it, which were not looked at.
  private(set) var rest: ArraySlice<LaunchPlan.Candidate> = []
  private let store: DeviceStore?
  private let embedded: EmbeddedRelease

  /// Looks for the release of a launch, and keeps its bytes and its folder.
  static func launch(
    _ plan: LaunchPlan, in store: DeviceStore?, _ embedded: EmbeddedRelease
  ) -> CandidateSearch {
    CandidateSearch(plan.candidates, store, embedded) { search, candidate throws(ReleaseFiles.Damage) in
      try search.load(candidate)
    }
  }

  /// Looks for the release that a launch would take; keeps nothing and takes no lock.
  static func question(
    _ plan: LaunchPlan, in store: DeviceStore?, _ embedded: EmbeddedRelease
  ) -> CandidateSearch {
    CandidateSearch(plan.candidates, store, embedded) { search, candidate throws(ReleaseFiles.Damage) in
      try search.verify(candidate)
      return Choice(candidate: candidate, files: nil, lease: nil, folder: nil)
    }
  }

  private init(
    _ candidates: [LaunchPlan.Candidate], _ store: DeviceStore?, _ embedded: EmbeddedRelease,
    _ read: (CandidateSearch, LaunchPlan.Candidate) throws(ReleaseFiles.Damage) -> Choice
  ) {
    self.store = store
    self.embedded = embedded
    for (index, candidate) in candidates.enumerated() {
      do {
        choice = try read(self, candidate)
        rest = candidates[(index + 1)...]
        return
      } catch {
        if error.unknown == nil { damaged.append(candidate) }
        unknown = unknown ?? error.unknown
        passedOver.append(
          PassedOver(candidate.release.version, candidate.origin, code: error.code, error.text))
      }
    }
  }

  private func load(_ candidate: LaunchPlan.Candidate) throws(ReleaseFiles.Damage) -> Choice {
    guard candidate.origin != .embedded, let store else {
      var folder: String?
      if case .directory(let path) = embedded { folder = path }
      return Choice(candidate: candidate, files: try embedded.load(), lease: nil, folder: folder)
    }
    let folder = try store.openFolder(of: candidate.release)
    let lease: ReleaseLease?
    do {
      lease = try ReleaseLease.take(folder)
    } catch {
      throw ReleaseFiles.Damage(error, "cannot be opened: \(error.message)")
    }
    let files = try ReleaseFiles.load(from: folder, expecting: candidate.release.manifest)
    return Choice(candidate: candidate, files: files, lease: lease, folder: folder.path)
  }

  private func verify(_ candidate: LaunchPlan.Candidate) throws(ReleaseFiles.Damage) {
    guard candidate.origin != .embedded, let store else { return try embedded.verify() }
    try store.verify(candidate.release)
  }

  /// The events that tell of the search.
  func events(launch: LaunchID) -> [HistoryEvent] {
    var events = damaged.map { damaged in
      let passed = passedOver.first { $0.version == damaged.release.version && $0.origin == damaged.origin }
      return HistoryEvent(.dropped, damaged.release, passed?.message ?? "not whole")
    }
    if let chosen = choice?.candidate {
      events.append(
        HistoryEvent(.launched, chosen.release, "launch \(launch) from \(chosen.origin.rawValue)"))
    }
    return events
  }
}
