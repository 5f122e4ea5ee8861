public import OTAManifest
internal import OTAStorage

/// What happened on a device, one JSON object a line, newest last; bounded, and never needed to decide anything.
struct HistoryFile {
  /// Beyond this size the older events are dropped, but not what failed here: it stands in for a lost state.
  static let maxBytes = 128 << 10
  private static let maxReadBytes = 4 * maxBytes
  private static let keptEvents = 250

  let root: Directory

  /// Whether the last event of its kind says the same: a failing check every hour is one line.
  func repeats(_ event: HistoryEvent) -> Bool {
    do {
      let last = try read().last { $0.kind == event.kind }
      return last.map { $0.version == event.version && $0.text == event.text } ?? false
    } catch {
      // A history that cannot be read gets the line, if it can get one.
      return false
    }
  }

  /// Appends events.
  ///
  /// What cannot be a history of ours, such as a folder in its place, is moved to `history.jsonl.damaged` first. One that
  /// may not be read or written is left as it is.
  func append(_ events: [HistoryEvent], at date: Timestamp) throws(StorageError) {
    guard !events.isEmpty else { return }
    let reason: String
    do {
      guard try !appendToFile(events, at: date) else { return }
      reason = "it has more than \(Self.maxReadBytes) bytes"
    } catch {
      guard error.kind == .wrongKind else { throw error }
      reason = error.reason
    }
    try root.removeTree(DeviceStore.Name.damagedHistory)
    try root.rename(DeviceStore.Name.history, to: DeviceStore.Name.damagedHistory, in: root)
    let aside = HistoryEvent(
      .lost, nil, "the history was moved to \(DeviceStore.Name.damagedHistory): \(reason)")
    _ = try appendToFile([aside] + events, at: date)
  }

  /// Whether the file took the events; it does not when it is larger than any that we write.
  private func appendToFile(_ events: [HistoryEvent], at date: Timestamp) throws(StorageError) -> Bool {
    var file = try root.appendFile(DeviceStore.Name.history)
    guard file.size <= Self.maxReadBytes else { return false }
    let lines = events.flatMap { $0.line(at: date) }
    if file.size + lines.count > Self.maxBytes {
      try root.replace(DeviceStore.Name.history, with: keptLines(at: date) + lines)
    } else {
      try file.write(lines)
    }
    return true
  }

  /// What stays of a history that became too long.
  private func keptLines(at date: Timestamp) throws(StorageError) -> [UInt8] {
    let (events, unreadable) = try readAll()
    let lost = HistoryEvent(.lost, nil, "\(unreadable) lines that could not be read were removed")
    let rejections = events.dropLast(Self.keptEvents).filter { $0.kind.tellsOfRejections }
    return (unreadable > 0 ? lost.line(at: date) : [])
      + (rejections.suffix(2 * DeviceState.maxRejections) + events.suffix(Self.keptEvents)).flatMap(\.line)
  }

  /// The dates of all events, without decoding the rest of their lines.
  func dates() throws(StorageError) -> [Timestamp] {
    let start = Array(#"{"date":""#.utf8)
    do {
      return try root.read(DeviceStore.Name.history, maxBytes: Self.maxReadBytes).split(separator: 0x0A)
        .compactMap { line in
          guard line.starts(with: start) else { return nil }
          return Timestamp(String(decoding: line.dropFirst(start.count).prefix(20), as: UTF8.self))
        }
    } catch  where error.kind == .missing {
      return []
    }
  }

  /// Reads the events, oldest first; lines that a crash or a hand left unreadable are passed over.
  func read() throws(StorageError) -> [HistoryEvent] { try readAll().events }

  /// Reads the events, oldest first, and counts the lines that are none.
  func readAll() throws(StorageError) -> (events: [HistoryEvent], unreadable: Int) {
    let bytes: [UInt8]
    do {
      bytes = try root.read(DeviceStore.Name.history, maxBytes: Self.maxReadBytes)
    } catch  where error.kind == .missing {
      return ([], 0)
    }
    let lines = bytes.split(separator: 0x0A)
    let events = lines.compactMap(Self.event)
    return (events, lines.count - events.count)
  }

  /// The event of a line; where a crash tore the line before it, the two share one and the whole one counts.
  private static func event(_ line: ArraySlice<UInt8>) -> HistoryEvent? {
    if let event = HistoryEvent(line: Array(line)) { return event }
    guard let start = line.ranges(of: Array(#"{"date":"#.utf8)).last?.lowerBound else { return nil }
    return HistoryEvent(line: Array(line[start...]))
  }
}

extension HistoryEvent.Kind {
  /// Whether a lost state is rebuilt with the help of such events: what failed here, and what of that was forgotten.
  var tellsOfRejections: Bool { [.rejected, .rolledBack, .forgotten].contains(self) }
}

extension HistoryEvent {
  /// The members of one line, also used for output.
  public var json: JSONValue {
    var members = [JSONMember("event", .string(kind.rawValue))]
    if let date { members.insert(JSONMember("date", .string(date.description)), at: 0) }
    if let version { members.append(JSONMember("version", .integer(version.number))) }
    members.append(JSONMember("text", .string(text)))
    if let pair { members += pair.members }
    return .object(members)
  }

  /// The line of an event that happened at this date.
  func line(at date: Timestamp) -> [UInt8] {
    var event = self
    event.date = date
    return event.line
  }

  var line: [UInt8] { json.encoded(indented: false) + [0x0A] }

  init?(line: [UInt8]) {
    do {
      let object = try JSONObject(JSONReader.read(line, maxBytes: 4096, maxDepth: 2))
      guard let kind = Kind(rawValue: try object.string("event")) else { return nil }
      let bundle = try object.optional("bundle", object.digest)
      let sources = try object.optional("sources", object.digest)
      var pair: ContentPair?
      if let bundle, let sources { pair = ContentPair(bundle: bundle, sources: sources) }
      self.init(
        date: try object.timestamp("date"), kind: kind,
        version: try object.optional("version", object.version),
        pair: pair, text: try object.string("text"))
    } catch {
      // A torn or foreign line is no event; the history goes on with the next one.
      return nil
    }
  }
}
