internal import OTACrypto
public import OTAManifest
internal import OTAStorage
internal import ParserEngine

/// A folder of recordings: `SOURCE_ID/fixture.json` with `SOURCE_ID/pages/<sha256>` beside it.
///
/// Made to be kept under version control: equal recordings are equal bytes, and a page is stored once.
public struct FixtureFolder: Sendable {
  private static let indexName = "fixture.json"
  private static let pagesName = "pages"
  private static let folderMode: UInt32 = 0o755
  private static let fileMode: UInt32 = 0o644

  /// The path of the folder.
  public let path: String

  /// Names the folder; nothing is read yet.
  public init(_ path: String) { self.path = path }

  /// The sources that have a recording, in the order of their names; other files and folders are passed over.
  public func sources() throws(FixtureError) -> [SourceID] {
    try Self.mapping {
      let root = try Directory.open(path)
      var sources: [SourceID] = []
      for entry in try root.entries() where entry.kind == .directory && !entry.name.hasPrefix(".") {
        let folder = try root.subdirectory(entry.name)
        guard try folder.kind(of: Self.indexName) == .file,
          let source = try Self.source(ofFolder: entry.name, folder)
        else { continue }
        sources.append(source)
      }
      return sources
    }
  }

  /// Reads the recording of a source; every page is there and has the digest that the index names.
  public func read(_ source: SourceID) throws(FixtureError) -> Fixture {
    try Self.mapping {
      let name = try Self.folderName(of: source)
      let root = try Directory.open(path)
      guard try root.kind(of: name) != nil else { throw FixtureError.missing(path: path, source) }
      let folder = try root.subdirectory(name)
      let index = try Self.index(in: folder, of: source)
      let pages = try folder.kind(of: Self.pagesName) == nil ? nil : folder.subdirectory(Self.pagesName)
      return try Self.fixture(index, pages: pages, path: folder.path)
    }
  }

  /// Puts a recording in the place of the one before it, whole or not at all.
  public func write(_ fixture: Fixture) throws(FixtureError) {
    try Self.mapping {
      let files = try Self.files(of: fixture)
      let name = try Self.folderName(of: fixture.source)
      let temporary = Directory.temporaryPrefix + name
      let root = try Directory.create(path, mode: Self.folderMode)
      try Self.requireOwn(root)
      try root.removeTree(temporary)
      do {
        try Self.write(files, to: root.subdirectory(creating: temporary, mode: Self.folderMode))
        if try root.kind(of: name) == nil {
          try root.renameExclusively(temporary, to: name, in: root)
        } else {
          try root.exchange(temporary, with: name)
        }
        try root.sync()
      } catch {
        // The failure is what counts; what is left begins with a dot and goes with the next recording.
        try? root.removeTree(temporary)
        throw error
      }
      try root.removeTree(temporary)
    }
  }

  /// Refuses a folder of other things; one with a recording, or with nothing but notes, is fine.
  private static func requireOwn(_ root: Directory) throws {
    var strange: [String] = []
    for entry in try root.entries() where !entry.name.hasPrefix(".") {
      if entry.kind == .directory, entry.name.hasPrefix(digestMark) || source(ofFolder: entry.name) != nil,
        try root.subdirectory(entry.name).kind(of: indexName) == .file
      {
        return
      }
      if !entry.name.hasPrefix("README") && !entry.name.hasPrefix("LICENSE") { strange.append(entry.name) }
    }
    guard strange.isEmpty else { throw FixtureError.foreignFolder(path: root.path, names: strange) }
  }

  // MARK: Names

  /// The longest name that is written out; with the prefix of an unfinished one it fits every file system.
  private static let maxNameBytes = 200
  /// Stands before the digest of an id whose name would be longer; no name that is written out begins so.
  private static let digestMark = "="

  /// The name of a source's folder: letters, digits, `_`, `-` and inner dots as they are, every other byte as `%XX`; `=` and
  /// the SHA-256 digest of the id where that would be longer than 200 bytes.
  static func folderName(of source: SourceID) throws(FixtureError) -> String {
    let name = writtenOut(source)
    guard name.utf8.count > maxNameBytes else { return name }
    do {
      return digestMark + (try sha256(Array(source.text.utf8)).hex)
    } catch {
      throw .unusable("no digest can be made of an id: \(error.message)")
    }
  }

  private static func writtenOut(_ source: SourceID) -> String {
    var name: [UInt8] = []
    for byte in source.text.utf8 {
      let isPlain =
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_")
        || byte == UInt8(ascii: "-") || (byte == UInt8(ascii: ".") && !name.isEmpty)
      if isPlain {
        name.append(byte)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        name += Array("%\(digits.utf8.count == 1 ? "0" : "")\(digits)".utf8)
      }
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// The source of a folder; `nil` for a folder that no recording is kept in.
  private static func source(ofFolder name: String, _ folder: Directory) throws -> SourceID? {
    guard name.hasPrefix(digestMark) else { return source(ofFolder: name) }
    let index = try readIndex(in: folder)
    return try folderName(of: index.source) == name ? index.source : nil
  }

  /// The source whose folder has this name, written out; `nil` for a name that no source's folder has.
  static func source(ofFolder name: String) -> SourceID? {
    guard let text = name.percentDecoded, let source = SourceID(text),
      writtenOut(source) == name, name.utf8.count <= maxNameBytes
    else { return nil }
    return source
  }

  // MARK: Files

  private static func mapping<Value>(_ work: () throws -> Value) throws(FixtureError) -> Value {
    do {
      return try work()
    } catch let error as FixtureError {
      throw error
    } catch let error as StorageError {
      throw .storage(error)
    } catch {
      throw .unusable("\(error)")
    }
  }

  private static func files(of fixture: Fixture) throws(FixtureError) -> FixtureFiles {
    guard fixture.exchanges.count <= Fixture.maxExchanges, fixture.steps.count <= Fixture.maxSteps else {
      throw .unusable("the recording of \(fixture.source) has more than \(Fixture.maxExchanges) requests")
    }
    let files: FixtureFiles
    do { files = try FixtureFiles(fixture) } catch {
      throw .unusable("no digest can be made of a page: \(error.message)")
    }
    guard files.index.count <= Fixture.maxIndexBytes,
      files.pages.values.allSatisfy({ $0.count <= Fixture.maxPageBytes }),
      fixture.exchanges.reduce(0, { $0 + $1.answerBytes }) <= Fixture.maxTotalBytes
    else { throw .unusable("the recording of \(fixture.source) is larger than one may be") }
    return files
  }

  private static func write(_ files: FixtureFiles, to folder: Directory) throws(StorageError) {
    let pages = try folder.subdirectory(creating: pagesName, mode: folderMode)
    for (name, bytes) in files.pages { try pages.replace(name, with: bytes, mode: fileMode) }
    try folder.replace(indexName, with: files.index, mode: fileMode)
  }

  private static func index(in folder: Directory, of source: SourceID) throws -> FixtureIndex {
    let index = try readIndex(in: folder)
    guard index.source == source else {
      throw FixtureError.malformed(
        path: "\(folder.path)/\(indexName)",
        InputError(
          .malformed, field: "source",
          "is \"\(index.source.text.printable())\", but the folder is of \(source)"))
    }
    return index
  }

  private static func readIndex(in folder: Directory) throws -> FixtureIndex {
    do {
      let bytes = try folder.read(indexName, maxBytes: Fixture.maxIndexBytes)
      if let stray = StrayContent(bytes) { throw InputError(.malformed, "\(stray.message): \(stray.advice)") }
      return try FixtureIndex(bytes)
    } catch let error as InputError {
      throw FixtureError.malformed(path: "\(folder.path)/\(indexName)", error)
    }
  }

  private static func fixture(_ index: FixtureIndex, pages: Directory?, path: String) throws -> Fixture {
    var exchanges: [Exchange] = []
    for (position, request) in index.requests.enumerated() {
      let answer: PageAnswer
      switch request.answer {
      case .fault(let fault): answer = .fault(fault)
      case .page(let page):
        let file = "\(path)/\(pagesName)/\(page.digest.hex)"
        let bytes = try pages?.read(page.digest.hex, exactly: page.bytes)
        guard let bytes, try sha256(bytes) == page.digest else {
          throw FixtureError.malformed(
            path: file,
            InputError(.malformed, "is not the page of requests[\(position)]: record the source again"))
        }
        var answered = Page(
          status: page.status, finalURL: page.finalURL, charset: page.charset, body: bytes)
        answered.isMoved = page.isMoved
        answer = .page(answered)
      }
      exchanges.append(
        Exchange(method: request.method, url: request.url, body: Array(request.body.utf8), answer: answer))
    }
    return Fixture(
      source: index.source, domain: index.domain, moment: (index.recorded, index.bundle), steps: index.steps,
      exchanges: exchanges)
  }
}
