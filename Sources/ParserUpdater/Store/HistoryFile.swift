public import OTAManifest
internal import OTAStorage

/// What happened on a device, one JSON object a line, newest last; bounded, and never needed to decide anything.
struct HistoryFile {
  /// Beyond this size the older events are dropped, but not what failed here: it stands in for a lost state.
  static let maxBytes = 128 << 10
  private static let maxReadBytes = 4 * maxBytes
  private static let keptEvents = 250

  let root: Directory

  /// Appends events where that is possible: what they tell of has happened, whether it is written down or not.
  func note(_ events: [HistoryEvent], at date: Timestamp) {
    do {
      try append(events, at: date)
    } catch {
      // A history must not stop what it tells of.
    }
  }

  /// Appends an event unless the last one of its kind says the same, so that a failing check every hour is one line.
  func noteOnce(_ event: HistoryEvent, at date: Timestamp) {
    do {
      let last = try read().last { $0.kind == event.kind }
      if let last, last.version == event.version, last.text == event.text { return }
    } catch {
      // A history that cannot be read gets the line, if it can get one.
    }
    note([event], at: date)
  }

  /// Appends events; a failure is given back for information only.
  func append(_ events: [HistoryEvent], at date: Timestamp) throws(StorageError) {
    guard !events.isEmpty else { return }
    var lines: [UInt8] = []
    for var event in events {
      event.date = date
      lines += event.line
    }
    var file = try root.appendFile(DeviceStore.Name.history)
    if file.size + lines.count > Self.maxBytes {
      try root.replace(DeviceStore.Name.history, with: keptLines(file.size) + lines)
    } else {
      try file.write(lines)
    }
  }

  /// What stays of a history that became too long; nothing of one that we cannot have written.
  private func keptLines(_ size: Int) throws(StorageError) -> [UInt8] {
    guard size <= Self.maxReadBytes else { return [] }
    let events = try read()
    let rejections = events.dropLast(Self.keptEvents).filter { $0.kind == .rejected || $0.kind == .forgotten }
    return (rejections.suffix(2 * DeviceState.maxRejections) + events.suffix(Self.keptEvents)).flatMap(\.line)
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
  func read() throws(StorageError) -> [HistoryEvent] {
    let bytes: [UInt8]
    do {
      bytes = try root.read(DeviceStore.Name.history, maxBytes: Self.maxReadBytes)
    } catch  where error.kind == .missing {
      return []
    }
    return bytes.split(separator: 0x0A).compactMap(Self.event)
  }

  /// The event of a line; where a crash tore the line before it, the two share one and the whole one counts.
  private static func event(_ line: ArraySlice<UInt8>) -> HistoryEvent? {
    if let event = HistoryEvent(line: Array(line)) { return event }
    guard let start = line.ranges(of: Array(#"{"date":"#.utf8)).last?.lowerBound else { return nil }
    return HistoryEvent(line: Array(line[start...]))
  }
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
