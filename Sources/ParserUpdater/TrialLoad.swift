public import OTAManifest

/// Loads a release in an engine of the app's choice before it is used for the first time.
///
/// An app that has an engine of its own implements this over that engine. The product `ParserTrialLoad` has one over
/// the engine of the release gate.
public protocol TrialLoad: Sendable {
  /// Loads the pair and says whether it works; called once for a release, and not before its files were verified.
  ///
  /// An answer that comes after the time limit is not heard; the task is cancelled then.
  func tryLoading(_ candidate: TrialCandidate) async -> TrialVerdict
}

/// A verified pair that was never used.
public struct TrialCandidate: Sendable {
  /// The release.
  public let version: ReleaseVersion
  /// The bytes of the bundle, hashed just now.
  public let bundle: [UInt8]
  /// The bytes of the catalog, hashed just now.
  public let sources: [UInt8]

  /// Names a pair; the updater makes its own, and this is for tests of trial loads.
  public init(version: ReleaseVersion, bundle: [UInt8], sources: [UInt8]) {
    self.version = version
    self.bundle = bundle
    self.sources = sources
  }
}

/// What a trial load says about a release.
public enum TrialVerdict: Equatable, Sendable {
  /// It loads; it is used at the next launch, on trial as always.
  case works
  /// It does not load, for this reason; it is rejected and never used.
  case fails(String)
  /// Nobody can say, for this reason, such as an engine that is missing; it is used at the next launch, on trial.
  case undecided(String)
}

/// What `Updater.tryStaged(with:within:)` did.
public enum TrialLoadResult: Equatable, Sendable {
  /// No release waits for its first use, or another one runs next.
  case nothingToTry
  /// The verdict on a release; it is written down.
  case tried(ReleaseVersion, TrialVerdict)
  /// The verdict came too late: another process used or replaced the release meanwhile.
  case overtaken(ReleaseVersion)
  /// The store could not be read or written; the launch goes on as without a trial load.
  case notRecorded(Problem)
}

extension Updater {
  /// Tries the staged release before it is used, once, and writes down the verdict.
  ///
  /// That it begins is written first, durably: an app that dies in its own engine does not try the same release again.
  /// Never throws, needs no network, and ends within the limit and a moment; call it before `activate()`.
  ///
  /// - Parameter limit: the time box; a release without a verdict in time is used on trial, like one without this call.
  public func tryStaged(
    with trial: any TrialLoad, within limit: Duration = .seconds(20)
  ) async -> TrialLoadResult {
    await TrialRun(change: change).run(trial, within: limit)
  }

  /// Tries the staged release, then launches: `tryStaged(with:within:)` and `activate()` in one call.
  public func activate(
    trying trial: any TrialLoad, within limit: Duration = .seconds(20)
  ) async -> ActiveRelease {
    _ = await tryStaged(with: trial, within: limit)
    return activate()
  }
}
