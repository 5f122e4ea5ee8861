internal import OTAArchive
internal import OTACrypto
internal import OTAFeed
internal import OTAManifest
internal import OTAStorage
internal import OTATransfer

/// A release being put together in the scratch folder, until it is whole and durable and can be moved into place.
struct Staging: Sendable {
  private let store: DeviceStore
  private let incoming: Directory
  private let partial: Directory
  private let scratch: Directory
  private let scratchName: String
  private let offer: VerifiedManifest
  private let configuration: UpdaterConfiguration

  init(
    store: DeviceStore, incoming: Directory, offer: VerifiedManifest, configuration: UpdaterConfiguration
  ) throws(Problem) {
    self.store = store
    self.incoming = incoming
    self.offer = offer
    self.configuration = configuration
    let manifest = offer.manifest
    GarbageCollection.collectScratch(of: store, keepingPartials: manifest.partialNames)
    scratchName = "\(manifest.version)-\(LaunchID.random())"
    do {
      partial = try store.root.subdirectory(creating: DeviceStore.Name.partial)
      scratch = try incoming.subdirectory(creating: scratchName)
    } catch {
      GarbageCollection.collectScratch(of: store, keepingPartials: [])
      throw Problem(error).keeping(UpdateRun.kept)
    }
  }

  /// A file of the release, verified and durable, and where it is until all of them are there.
  private struct Part {
    let name: String
    let folder: Directory
    let nameThere: String
  }

  /// Brings all three files into the scratch folder, verified and durable.
  ///
  /// Downloads stay among the partial ones until nothing more can be refused, so that none is made twice.
  func collect(
    from reader: FeedReader, progress: @escaping @Sendable (UpdateProgress) -> Void
  ) async throws(Problem) {
    do {
      let manifest = offer.manifest
      let whole = WholeProgress(of: [manifest.bundle.bytes, manifest.sources.bytes], progress)
      let first: @Sendable () async throws -> Part = { [self] in
        try await collect(ReleaseFiles.bundle, manifest.bundle, from: reader, whole.file(0))
      }
      let second: @Sendable () async throws -> Part = { [self] in
        try await collect(ReleaseFiles.sources, manifest.sources, from: reader, whole.file(1))
      }
      let (bundle, sources) = try await Self.both(first, second, sideBySide: configuration.filesAtOnce > 1)
      try checkCatalog(sources)
      for part in [bundle, sources] where part.folder !== scratch {
        try part.folder.rename(part.nameThere, to: part.name, in: scratch)
      }
      // What was unpacked, and the rest of a form that was given up.
      for name in offer.manifest.partialNames { _ = try partial.remove(name) }
      var file = try scratch.createFile(ReleaseFiles.manifest)
      try file.write(offer.bytes)
      try file.finish()
      try scratch.sync()
    } catch {
      let problem = Self.problem(error, needed: offer.manifest.bytesToStore, in: store)
      removeScratch(keepingPartials: problem.code != .diskFull)
      throw problem.keeping(UpdateRun.kept)
    }
  }

  /// Both, side by side where that is wanted; one that fails ends the other.
  private static func both(
    _ first: @escaping @Sendable () async throws -> Part,
    _ second: @escaping @Sendable () async throws -> Part,
    sideBySide: Bool
  ) async throws -> (Part, Part) {
    guard sideBySide else { return (try await first(), try await second()) }
    async let one = first()
    async let other = second()
    return try await (one, other)
  }

  private func collect(
    _ name: String, _ artifact: Artifact, from reader: FeedReader,
    _ progress: @escaping @Sendable (UpdateProgress) -> Void
  ) async throws -> Part {
    if try copyLocal(name, artifact) {
      progress(.reusing(name))
      return Part(name: name, folder: scratch, nameThere: name)
    }
    if try await collectPacked(name, artifact, from: reader, progress) {
      return Part(name: name, folder: scratch, nameThere: name)
    }
    let download = ArtifactDownload(name: name, artifact: artifact, partial: partial, reader: reader)
    try await download.run { received in
      progress(.downloading(name, received: Int64(received), total: artifact.bytes))
    }
    return Part(name: name, folder: partial, nameThere: artifact.sha256.hex)
  }

  /// Takes a file with these very bytes from a release that is here already, hashing it on the way.
  private func copyLocal(_ name: String, _ artifact: Artifact) throws -> Bool {
    for folder in localFolders() {
      guard let found = LocalArtifact(folder, artifact, name) else { continue }
      let sink = try ArtifactSink(creating: name, in: scratch)
      if try found.copy(into: sink, expecting: artifact) { return true }
      _ = try scratch.remove(name)
    }
    guard case .contents(_, let bundle, let sources) = configuration.embedded else { return false }
    let bytes = name == ReleaseFiles.bundle ? bundle : sources
    guard try sha256(bytes) == artifact.sha256 else { return false }
    var file = try scratch.createFile(name)
    try file.write(bytes)
    try file.finish()
    return true
  }

  /// Takes the smallest of the file's packed forms, where that is less than what is missing of the plain file.
  private func collectPacked(
    _ name: String, _ artifact: Artifact, from reader: FeedReader,
    _ progress: @escaping @Sendable (UpdateProgress) -> Void
  ) async throws -> Bool {
    guard reader.archive == nil, !artifact.encodings.isEmpty || !artifact.patches.isEmpty, Zstd.isAvailable
    else {
      return false
    }
    let there =
      try partial.kind(of: artifact.sha256.hex) == .file ? partial.size(of: artifact.sha256.hex) ?? 0 : 0
    let download = PackedDownload(
      name: name, artifact: artifact, partial: partial, scratch: scratch, reader: reader,
      enclosed: offer.enclosed, bases: artifact.patches.isEmpty ? [:] : bases(name))
    return try await download.run(plainBytes: artifact.bytes - Int64(there)) { received, total in
      progress(.downloading(name, received: received, total: total))
    }
  }

  /// The files of one name that are on the device, whatever release they belong to.
  private func bases(_ name: String) -> [Digest: BaseFile] {
    var bases: [Digest: BaseFile] = [:]
    for folder in localFolders() {
      do {
        let manifest = try ReleaseFiles.readManifest(in: folder).manifest
        let artifact = name == ReleaseFiles.bundle ? manifest.bundle : manifest.sources
        bases[artifact.sha256] = .file(folder, name: name, bytes: Int(artifact.bytes))
      } catch {
        // A folder without a readable manifest has nothing to offer.
      }
    }
    if case .contents(let manifest, let bundle, let sources) = configuration.embedded,
      // Without a readable manifest it is no base; a launch reports it.
      let manifest = try? Manifest.decode(manifest)
    {
      let isBundle = name == ReleaseFiles.bundle
      bases[(isBundle ? manifest.bundle : manifest.sources).sha256] = .memory(isBundle ? bundle : sources)
    }
    return bases
  }

  private func localFolders() -> [Directory] {
    var folders: [Directory] = []
    do {
      if case .directory(let path) = configuration.embedded { folders.append(try Directory.open(path)) }
    } catch {
      // Without the embedded copy the file is looked for elsewhere.
    }
    do {
      let releases = try store.root.subdirectory(DeviceStore.Name.releases)
      for name in try store.releaseFolders() { folders.append(try releases.subdirectory(name)) }
    } catch {
      // Collected meanwhile, or not readable: the file is looked for elsewhere.
    }
    return folders
  }

  /// A catalog that is none must never be launched; its digest alone does not say that it is one.
  private func checkCatalog(_ part: Part) throws {
    let bytes = try part.folder.read(part.nameThere, maxBytes: Int(Limits.standard.maxSourcesBytes))
    do {
      _ = try SourceCatalog.decode(bytes)
    } catch {
      throw Problem(
        .sourcesInvalid, "the source catalog of release \(offer.manifest.version): \(error.message)",
        advice: "tell the publisher of the feed; the next release is taken as usual")
    }
  }

  /// Moves the scratch folder to its name among the releases; the caller holds the lock of the store.
  func moveIntoPlace() throws(StorageError) {
    let releases = try store.root.subdirectory(creating: DeviceStore.Name.releases)
    let name = ReleaseReference(offer.manifest, digest: offer.digest).folderName
    if try releases.kind(of: name) != nil {
      // Damaged or left over: out of the way first, since a rename does not replace a folder that has files.
      try releases.rename(name, to: "replaced-\(LaunchID.random())", in: incoming)
    }
    try incoming.rename(scratchName, to: name, in: releases)
    try releases.sync()
  }

  /// Removes what this run left in the scratch folders; partial downloads stay for the next run, unless they are in the way.
  func removeScratch(keepingPartials: Bool = true) {
    GarbageCollection.collectScratch(
      of: store, keepingPartials: keepingPartials ? offer.manifest.partialNames : [])
  }

  static func problem(_ error: any Error, needed: Int, in store: DeviceStore) -> Problem {
    switch error {
    case let problem as Problem: problem
    case let error as StorageError: Problem(error, needed: needed, in: store)
    case let error as CryptoError: Problem(error)
    case let error as TransferError:
      switch error.underlying {
      // A folder of a feed fails with errors of storage as well: those are no matter of this store.
      case let storage as StorageError where error.kind == .sinkFailed:
        Problem(storage, needed: needed, in: store)
      case let crypto as CryptoError: Problem(crypto)
      default: Problem(error)
      }
    default: Problem(.storageFailed, "the release could not be stored")
    }
  }
}

/// A file on the device whose manifest says that it has the wanted bytes.
private struct LocalArtifact {
  private let folder: Directory
  private let name: String

  init?(_ folder: Directory, _ artifact: Artifact, _ name: String) {
    do {
      let manifest = try ReleaseFiles.readManifest(in: folder).manifest
      let there = name == ReleaseFiles.bundle ? manifest.bundle : manifest.sources
      guard there.sha256 == artifact.sha256, there.bytes == artifact.bytes else { return nil }
    } catch {
      // A folder without a readable manifest has nothing to offer.
      return nil
    }
    self.folder = folder
    self.name = name
  }

  /// Copies the file; whether it really has the wanted bytes. Throws only when the copy cannot be written.
  func copy(into sink: ArtifactSink, expecting artifact: Artifact) throws -> Bool {
    do {
      var file = try folder.openForReading(name)
      guard file.size == Int(artifact.bytes) else { return false }
      while sink.bytes <= Int(artifact.bytes) {
        let chunk = try file.read()
        if chunk.isEmpty { break }
        do { try sink.receive(chunk) } catch { throw WriteFailure(cause: error) }
      }
    } catch let failure as WriteFailure {
      throw failure.cause
    } catch {
      // A file that cannot be read, for whatever reason, is fetched instead.
      return false
    }
    return try sink.finish().digest == artifact.sha256
  }

  private struct WriteFailure: Error { let cause: any Error }
}
