/// The list of sources that a release carries: never empty, and with one entry for each source.
public struct SourceCatalog: Sendable {
  /// The largest size of a catalog in bytes, 16 MiB.
  public static let maxBytes = 16 << 20
  /// The largest number of entries; a catalog beyond it is damaged or hostile.
  public static let maxEntries = 50_000

  /// The entries in the order of the file.
  public let entries: [SourceEntry]
  /// What was filled in or read in another way than it was written, each with its sources; for the maintainer.
  public var notes: [CatalogNote] { CatalogNote.grouped(entries) }
  /// The entries by every spelling of their ids.
  let index: SourceIndex

  /// Reads a catalog, all of it or nothing: one bad entry refuses the file.
  ///
  /// - Throws: `InputError` whose field names the entry by its index from 0, such as `[3].id`.
  public static func decode(
    _ bytes: [UInt8], maxBytes: Int = SourceCatalog.maxBytes
  ) throws(InputError) -> SourceCatalog {
    let document = try JSONReader.read(bytes, maxBytes: maxBytes)
    guard case .array(let items) = document else {
      throw InputError(.wrongType, "is \(document.kindName), not an array of sources")
    }
    guard !items.isEmpty else { throw InputError(.empty, "has no sources: expected at least one") }
    guard items.count <= maxEntries else {
      throw InputError(.tooLarge, "has \(items.count) sources, more than the \(maxEntries) allowed")
    }
    var entries: [SourceEntry] = []
    for (position, item) in items.enumerated() { entries.append(try SourceEntry(item, position: position)) }
    return try SourceCatalog(entries)
  }

  /// The same catalog with other hosts; `nil` keeps the host of an entry.
  func replacingDomains(_ host: (SourceEntry) -> String?) -> SourceCatalog {
    SourceCatalog(entries: entries.map { entry in host(entry).map(entry.at) ?? entry }, index: index)
  }

  private init(entries: [SourceEntry], index: SourceIndex) {
    self.entries = entries
    self.index = index
  }

  private init(_ entries: [SourceEntry]) throws(InputError) {
    var index = SourceIndex()
    for entry in entries {
      guard let twin = index.insert(entry.id.text, position: entry.position) else { continue }
      throw InputError(
        .duplicateID, field: "[\(entry.position)].id",
        "is \"\(entry.id.text.escaped())\", the same source as \"\(entries[twin].id.text.escaped())\" "
          + "at [\(twin)].id: remove or rename one of them")
    }
    self.entries = entries
    self.index = index
  }

  /// The entry with exactly this id; `nil` when there is none.
  public subscript(_ id: SourceID) -> SourceEntry? {
    index.position(of: id.text).map { entries[$0] }.flatMap { $0.id == id ? $0 : nil }
  }
}

/// Something that a catalog leaves out or writes in an unusual way, and that a reader understands all the same.
public struct CatalogNote: Equatable, Sendable {
  /// The name of the field.
  public let field: String
  /// What was done about it, as the end of a sentence that begins with the field.
  public let detail: String
  /// The sources that it concerns, in the order of the catalog.
  public let sources: [SourceID]

  /// A note about one entry.
  struct Remark: Hashable, Sendable {
    let field: String
    let detail: String

    init(_ field: String, _ detail: String) { (self.field, self.detail) = (field, detail) }
  }

  /// One note for all entries that have the same remark, in the order in which they first come up.
  static func grouped(_ entries: [SourceEntry]) -> [CatalogNote] {
    var order: [Remark] = []
    var sources: [Remark: [SourceID]] = [:]
    for entry in entries {
      for remark in entry.remarks {
        if sources[remark] == nil { order.append(remark) }
        sources[remark, default: []].append(entry.id)
      }
    }
    return order.map { CatalogNote(field: $0.field, detail: $0.detail, sources: sources[$0] ?? []) }
  }
}
