internal import OTAManifest
internal import OTAStorage
internal import Synchronization

/// Counts what an app reports of one launch: in memory, and on the disk at most once a minute.
final class CallReporter: Sendable {
  /// The least time between two writes, in seconds.
  static let writeSeconds: Int64 = 60

  private struct Books {
    var tally: CallTally
    var before: CallTally
    var broken: [String]
    var others: [ReportFile.Entry]
    var written: Timestamp
    var isChanged = false
    var isDecided: Bool
    var families: [String: String]?
  }

  private let release: ReleaseReference
  private let directory: String
  private let catalog: [UInt8]
  private let books: Mutex<Books>

  /// Goes on with what earlier launches reported of the release that runs.
  ///
  /// - Parameter isOnTrial: whether the release waits for a verdict.
  init(_ release: ReleaseReference, catalog: [UInt8], directory: String, isOnTrial: Bool, now: Timestamp) {
    (self.release, self.directory, self.catalog) = (release, directory, catalog)
    let entries = Self.file(directory)?.read() ?? []
    let own = entries.first { $0.manifest == release.manifest }
    let others = entries.filter { $0.manifest != release.manifest }
    books = Mutex(
      Books(
        tally: own?.tally ?? CallTally(), before: others.first?.tally ?? CallTally(),
        broken: own?.broken ?? [], others: others, written: now, isDecided: !isOnTrial))
  }

  private static func file(_ directory: String) -> ReportFile? {
    do {
      return try DeviceStore.openPrivate(directory).map { ReportFile(root: $0.root) }
    } catch {
      // Counted in memory alone.
      return nil
    }
  }

  /// Counts a call.
  ///
  /// - Returns: what it decided about the release on trial, once.
  func report(_ outcome: CallOutcome, of source: SourceID, at now: Timestamp) -> CallJudgement? {
    let (judgement, isDue) = books.withLock { books -> (CallJudgement?, Bool) in
      guard books.tally.count(outcome, of: source.text) else { return (nil, false) }
      books.isChanged = true
      let isDue = now >= books.written.advanced(bySeconds: Self.writeSeconds)
      if books.isDecided && books.broken.isEmpty && outcome != .parseError { return (nil, isDue) }
      let families = books.families ?? Self.families(catalog)
      books.families = families
      let judgement = CallJudgement(books.tally, against: books.before) { families[$0] }
      books.broken = judgement.broken
      guard !books.isDecided, judgement.verdict != .undecided else { return (nil, isDue) }
      books.isDecided = true
      return (judgement, true)
    }
    if isDue { write(at: now) }
    return judgement
  }

  private static func families(_ catalog: [UInt8]) -> [String: String] {
    do {
      let entries = try SourceCatalog.decode(catalog).entries
      return Dictionary(entries.map { ($0.id.text, $0.family) }, uniquingKeysWith: { first, _ in first })
    } catch {
      // Without families every error counts.
      return [:]
    }
  }

  /// The sources that broke with the release on this device.
  var broken: [SourceID] { books.withLock { $0.broken.compactMap { SourceID($0) } } }

  /// Writes what is new; a disk that takes nothing costs the counts of a minute.
  func write(at now: Timestamp) {
    let entries = books.withLock { books -> [ReportFile.Entry]? in
      guard books.isChanged else { return nil }
      (books.isChanged, books.written) = (false, now)
      return [ReportFile.Entry(manifest: release.manifest, tally: books.tally, broken: books.broken)]
        + books.others
    }
    guard let entries else { return }
    do {
      try Self.file(directory)?.write(entries)
    } catch {
      books.withLock { $0.isChanged = true }
    }
  }
}
