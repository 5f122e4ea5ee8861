internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// The two files of a release, read once: these bytes are hashed, checked and written, never the files again.
struct ReleaseInputs {
  let bundle: [UInt8]
  let bundleDigest: Digest
  let sources: [UInt8]
  let sourcesDigest: Digest
  let catalog: SourceCatalog
  /// What is odd but allowed.
  let warnings: [String]

  var pair: ContentPair { ContentPair(bundle: bundleDigest, sources: sourcesDigest) }

  /// Reads what a request names: two files and nothing beside them, or an archive, once it is authenticated.
  init(_ request: PublishRequest) async throws(Problem) {
    if let promoted = request.promoted {
      try self.init(bundlePath: request.bundlePath, sourcesPath: request.sourcesPath) { path, _ in
        path == request.bundlePath ? promoted.bundle : promoted.sources
      }
      return
    }
    guard let archive = request.archive else {
      try self.init(bundlePath: request.bundlePath, sourcesPath: request.sourcesPath)
      return
    }
    let release = try await ArchiveTrust(archive, root: request.archiveRoot).release(now: nil).manifest
    let content = ReleaseContent(reader: FeedReader(.archive(archive)))
    let bundle = try await content.bytes(of: .bundle, in: release)
    let sources = try await content.bytes(of: .sources, in: release)
    try self.init(bundlePath: request.bundlePath, sourcesPath: request.sourcesPath) { path, _ in
      path == request.bundlePath ? bundle : sources
    }
  }

  /// Takes the two files of a release that were read and verified; `name` is what messages call it.
  init(bundle: [UInt8], sources: [UInt8], name: String) throws(Problem) {
    let path = "\(name) (parsers.bundle.js)"
    try self.init(bundlePath: path, sourcesPath: "\(name) (sources.json)") { asked, _ in
      asked == path ? bundle : sources
    }
  }

  /// Reads exactly these two files and nothing beside them.
  init(bundlePath: String, sourcesPath: String) throws(Problem) {
    try self.init(bundlePath: bundlePath, sourcesPath: sourcesPath, reading: Self.read)
  }

  private init(
    bundlePath: String, sourcesPath: String,
    reading read: (_ path: String, _ maxBytes: Int64) throws(Problem) -> [UInt8]
  ) throws(Problem) {
    guard bundlePath != sourcesPath else {
      throw Self.refusal(bundlePath, "is given both as the bundle and as the catalog")
    }
    let limits = Limits.standard
    let bundle = try read(bundlePath, limits.maxBundleBytes)
    try Self.requireNotStray(bundlePath, bundle, isBundle: true)
    try Self.check(bundlePath, bundle) { () throws(InputError) in
      try ReleaseContentCheck.checkBundle(head: bundle)
      try TextEncodingCheck.requirePlainUTF8(bundle)
    }
    let sources = try read(sourcesPath, limits.maxSourcesBytes)
    try Self.requireNotStray(sourcesPath, sources)
    catalog = try Self.check(sourcesPath, sources) { () throws(InputError) in
      try SourceCatalog.decode(sources)
    }
    (self.bundle, self.sources) = (bundle, sources)
    bundleDigest = try ContentLookup.digest(of: bundle)
    sourcesDigest = try ContentLookup.digest(of: sources)
    guard bundleDigest != sourcesDigest else {
      throw Self.refusal(bundlePath, "has the same content as \(sourcesPath): it is the catalog")
    }
    warnings = [(bundlePath, bundle), (sourcesPath, sources)].compactMap { (path, bytes) in
      Self.hasCRLF(bytes) ? "\(path) has CRLF line endings; it is published byte for byte as it is" : nil
    }
  }

  private static func read(_ path: String, _ maxBytes: Int64) throws(Problem) -> [UInt8] {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? ""[...].utf8
    guard !name.isEmpty, name.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
      throw refusal(path, "has a name with characters other than printable ASCII: rename it")
    }
    do {
      return try readInput(at: path, maxBytes: Int(maxBytes))
    } catch {
      throw problem(error, path: path, maxBytes: maxBytes)
    }
  }

  private static func problem(_ error: StorageError, path: String, maxBytes: Int64) -> Problem {
    switch error.kind {
    case .missing where error.systemCode != 0:
      Problem(.inputMissing, "\(path) does not exist", advice: "build it first, or give its right path")
    case .wrongKind:
      Problem(.inputWrongKind, "\(path) is not a regular file", advice: "give the path of a file")
    case .tooLarge: refusal(path, "has more than the \(maxBytes) bytes that clients accept")
    default: Problem(ofInput: error)
    }
  }

  /// Names a checkout or merge that went wrong as what it is, before its consequences are found.
  private static func requireNotStray(
    _ path: String, _ bytes: [UInt8], isBundle: Bool = false
  ) throws(Problem) {
    guard let stray = StrayContent(bytes) else { return }
    // A script may hold such a line as text: the gate shows it, and takes a maintainer's word for it.
    if case .mergeConflict = stray, isBundle { return }
    throw Problem(.inputInvalid, "\(path.printable()) \(stray.message)", advice: stray.advice)
  }

  private static func check<Value>(
    _ path: String, _ bytes: [UInt8], _ read: () throws(InputError) -> Value
  ) throws(Problem) -> Value {
    do {
      return try read()
    } catch {
      let place = CatalogLines(path, bytes).place(ofPath: error.field)
      throw error.field.isEmpty
        ? refusal(path, error.message)
        : Problem(
          .inputInvalid, "\(place.text ?? path): \(error.message)",
          advice: "correct the file and publish again")
    }
  }

  private static func refusal(_ path: String, _ detail: String) -> Problem {
    Problem(.inputInvalid, "\(path.printable()) \(detail)")
  }

  private static func hasCRLF(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while let position = rest.firstIndex(of: 0x0D) {
      rest = rest[(position + 1)...]
      if rest.first == 0x0A { return true }
    }
    return false
  }
}
