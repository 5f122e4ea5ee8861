internal import OTACrypto
internal import OTAFeed
public import OTAManifest
public import OTAStorage

/// What a survey has done so far, in its folder, so that one that was killed goes on where it stopped.
///
/// A line for each source that is done, after one that says which survey it is. A line that was cut off is dropped.
public final class SurveyJournal: Sendable {
  /// The name of the file.
  public static let name = "survey-in-progress.jsonl"
  private static let fileMode: UInt32 = 0o644

  private let folder: Directory
  /// When the survey began.
  public let started: Timestamp
  /// The sources that were done before this run.
  public let done: [SurveyedSource]

  /// Goes on with the survey of this folder, or begins a new one when there is none or when it asked for something else.
  ///
  /// - Parameters:
  ///   - subject: everything that makes it the same survey: the bundle, the catalog, the sources, what is asked.
  ///   - now: the moment that a new survey begins.
  public init(in folder: Directory, subject: JSONValue, now: Timestamp) throws(Problem) {
    self.folder = folder
    let key = try Self.key(subject)
    let kept = try Self.reading { () throws(StorageError) in
      try folder.kind(of: Self.name) == nil
        ? [] : try folder.read(Self.name, maxBytes: SurveyDocument.maxBytes)
    }
    let lines = kept.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true).map(Array.init)
    if let head = lines.first, let begun = Self.begun(head, key: key) {
      started = begun
      done = lines.dropFirst().compactMap(Self.source)
    } else {
      started = now
      done = []
    }
    // Written anew in any case: what follows must not be appended to half a line.
    let text = [Self.head(key, started)] + done.map { SurveyDocument.value($0).encoded(indented: false) }
    try Self.reading { () throws(StorageError) in
      try folder.replace(Self.name, with: Self.joined(text), mode: Self.fileMode)
    }
  }

  /// Keeps a source that is done.
  public func keep(_ source: SurveyedSource) throws(Problem) {
    let line = Self.joined([SurveyDocument.value(source).encoded(indented: false)])
    try Self.reading { () throws(StorageError) in
      var file = try folder.appendFile(Self.name, mode: Self.fileMode)
      try file.write(line)
      try file.finish()
    }
  }

  /// Ends the survey: the next one begins anew.
  public func end() throws(Problem) {
    try Self.reading { () throws(StorageError) in _ = try folder.remove(Self.name) }
  }

  private static func joined(_ lines: [[UInt8]]) -> [UInt8] {
    lines.flatMap { $0 + [UInt8(ascii: "\n")] }
  }

  private static func key(_ subject: JSONValue) throws(Problem) -> String {
    do {
      return try sha256(subject.encoded(indented: false)).hex
    } catch {
      throw Problem(.storageFailed, "no digest can be made: \(error.message)")
    }
  }

  private static func head(_ key: String, _ started: Timestamp) -> [UInt8] {
    JSONValue.object([
      JSONMember("format", .integer(SurveyDocument.format)), JSONMember("survey", .string(key)),
      JSONMember("started", .string(started.description)),
    ]).encoded(indented: false)
  }

  private static func begun(_ line: [UInt8], key: String) -> Timestamp? {
    do {
      let object = try JSONObject(JSONReader.read(line, maxBytes: 4096))
      guard try object.integer("format") == SurveyDocument.format, try object.string("survey") == key else {
        return nil
      }
      return Timestamp(try object.string("started"))
    } catch {
      // Then it is the journal of something else, and the survey begins anew.
      return nil
    }
  }

  private static func source(_ line: [UInt8]) -> SurveyedSource? {
    do {
      return try SurveyDocument.source(
        JSONObject(JSONReader.read(line, maxBytes: 1 << 20, maxDepth: 8)))
    } catch {
      // A line that was cut off: the source is surveyed once more.
      return nil
    }
  }

  private static func reading<Value>(
    _ work: () throws(StorageError) -> Value
  ) throws(Problem) -> Value {
    do {
      return try work()
    } catch {
      throw Problem(error)
    }
  }
}
