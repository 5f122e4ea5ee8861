internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// One trial load: written down, tried on verified bytes within a time box, and written down again.
struct TrialRun {
  let change: StoreChange

  func run(_ trial: any TrialLoad, within limit: Duration) async -> TrialLoadResult {
    do {
      guard let release = try begin() else { return .nothingToTry }
      let verdict = try await judge(release, trial, within: limit)
      return try end(release, verdict) ? .tried(release.version, verdict) : .overtaken(release.version)
    } catch {
      return .notRecorded(error)
    }
  }

  /// Gives the files up when it returns, so that those of a rejected release can be removed.
  private func judge(
    _ release: ReleaseReference, _ trial: any TrialLoad, within limit: Duration
  ) async throws(Problem) -> TrialVerdict {
    let (files, lease) = try load(release)
    let candidate = TrialCandidate(version: release.version, bundle: files.bundle, sources: files.sources)
    let verdict = await Self.verdict(of: trial, on: candidate, within: limit)
    withExtendedLifetime(lease) {}
    return verdict
  }

  private func begin() throws(Problem) -> ReleaseReference? {
    try change.change { (state) throws(Problem) in
      let situation = change.situation(of: state, in: try change.openStore())
      guard let release = state.releaseToTry(situation) else { return (nil, []) }
      state.beginTrialLoad(of: release)
      return (release, [])
    }
  }

  /// Reads and hashes the files, and keeps other processes from removing them meanwhile.
  private func load(_ release: ReleaseReference) throws(Problem) -> (ReleaseFiles.Loaded, ReleaseLease?) {
    do {
      guard let store = try DeviceStore.openPrivate(change.configuration.directory) else {
        throw Problem(.storageFailed, "the store is gone")
      }
      let folder = try store.folder(of: release)
      let lease = try ReleaseLease.take(folder)
      return (try ReleaseFiles.load(from: folder, expecting: release.manifest), lease)
    } catch let problem as Problem {
      throw problem
    } catch let damage as ReleaseFiles.Damage {
      // The launch finds the same, and takes another candidate.
      throw damage.unknown ?? Problem(.storageFailed, "release \(release.version) \(damage.text)")
    } catch let error as StorageError {
      throw Problem(error)
    } catch {
      throw Problem(.storageFailed, "release \(release.version) cannot be read")
    }
  }

  private func end(_ release: ReleaseReference, _ verdict: TrialVerdict) throws(Problem) -> Bool {
    try change.change { (state) throws(Problem) in
      guard state.endTrialLoad(of: release, verdict, now: change.now) else { return (false, []) }
      return switch verdict {
      case .works: (true, [HistoryEvent(.tried, release, "trial load: it works")])
      case .undecided(let reason): (true, [HistoryEvent(.tried, release, "trial load undecided: \(reason)")])
      case .fails(let reason): (true, [HistoryEvent(.rejected, release, "trial load: \(reason)")])
      }
    }
  }

  /// The verdict, or that there was none in time: whichever comes first is heard, and the other one is cancelled.
  private static func verdict(
    of trial: any TrialLoad, on candidate: TrialCandidate, within limit: Duration
  ) async -> TrialVerdict {
    let (verdicts, heard) = AsyncStream<TrialVerdict>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let trying = Task { heard.yield(await trial.tryLoading(candidate)) }
    let waiting = Task {
      do {
        try await Task.sleep(for: limit)
        heard.yield(.undecided("no verdict within \(limit)"))
      } catch {
        // The verdict came first.
      }
    }
    defer {
      trying.cancel()
      waiting.cancel()
    }
    for await verdict in verdicts { return verdict }
    return .undecided("the launch was cancelled")
  }
}
