internal import OTAArchive
internal import OTACrypto
internal import OTAFeed
internal import OTAManifest
internal import OTAStorage
internal import OTATransfer

/// Brings one file of a release here in its packed forms: as a patch to a file that is here, or compressed.
///
/// The smallest comes first. What cannot be had, or does not give exactly the file that the manifest describes, is given up
/// for the next one; the caller has the plain file as the last. So no packed file can make an update fail.
struct PackedDownload: Sendable {
  /// The file as the manifest calls it.
  let name: String
  let artifact: Artifact
  /// Where resumable downloads are.
  let partial: Directory
  /// Where the file is put together.
  let scratch: Directory
  let reader: FeedReader
  /// Packed files that came along with the manifest, by their paths below the feed.
  let enclosed: [String: [UInt8]]
  /// Files of this name that are on the device, by the digests that their manifests give.
  let bases: [Digest: BaseFile]

  /// Memory for small packed pieces on their way.
  private static let chunkBytes = 64 << 10

  /// Puts the file together under its name in the scratch folder; `false` when it must come as it is.
  ///
  /// - Parameter plainBytes: what the plain file would cost; nothing larger is fetched.
  /// - Throws: when the disk fails or the caller cancels.
  func run(plainBytes: Int64, _ progress: @escaping @Sendable (Int64, Int64) -> Void) async throws -> Bool {
    for packed in choices(below: plainBytes) {
      if Task.isCancelled { return false }
      do {
        if try await unpack(packed, progress) { return true }
      } catch  where Self.isOfThisFile(error) {
        // Missing, damaged, cut short, a bomb, made for another base: the next form, or the plain file.
      }
      try removeRest(of: packed)
    }
    return false
  }

  /// What is worth trying, the cheapest first.
  private func choices(below plainBytes: Int64) -> [PackedFile] {
    let known = artifact.encodings + artifact.patches.filter { $0.from.map { bases[$0] != nil } ?? false }
    return known.filter { $0.memory <= Limits.standard.maxUnpackMemory && cost($0) < plainBytes }
      .sorted { cost($0) < cost($1) }
  }

  /// What is enclosed costs nothing more.
  private func cost(_ packed: PackedFile) -> Int64 {
    enclosed[packed.location.text] == nil ? packed.bytes : 0
  }

  private func unpack(
    _ packed: PackedFile, _ progress: @escaping @Sendable (Int64, Int64) -> Void
  ) async throws -> Bool {
    let base = try packed.from.map { from throws in try bases[from]?.bytes(expecting: from) } ?? []
    guard let base else { return false }
    if let bytes = enclosed[packed.location.text], try sha256(bytes) == packed.sha256 {
      progress(packed.bytes, packed.bytes)
      var rest = bytes
      return try unpack(base: base) {
        defer { rest = [] }
        return rest
      }
    }
    let kind = packed.from == nil ? "the compressed \(name)" : "a patch to \(name)"
    let download = ArtifactDownload(name: kind, artifact: packed.artifact, partial: partial, reader: reader)
    try await download.run { progress(Int64($0), packed.bytes) }
    var file = try partial.openForReading(packed.sha256.hex)
    return try unpack(base: base) { try file.read(maxBytes: Self.chunkBytes) }
  }

  /// Unpacks into the scratch folder; whether it gave the file. What was written in vain is removed.
  private func unpack(base: [UInt8], read: () throws -> [UInt8]) throws -> Bool {
    let sink = try ArtifactSink(creating: name, in: scratch)
    do {
      try Zstd.unpack(
        expecting: Int(artifact.bytes), base: base, maxMemory: Int(Limits.standard.maxUnpackMemory),
        read: read
      ) { span in
        do { try sink.receive(span) } catch { throw WriteFailure(cause: error) }
      }
      if try sink.finish().digest == artifact.sha256, try isSoundAtTheStart() { return true }
    } catch let failure as WriteFailure {
      throw failure.cause
    } catch is ZstdError {
      // Refused; nothing of it is kept.
    }
    _ = try scratch.remove(name)
    return false
  }

  /// A bundle that is none is refused with its reason when it comes as it is.
  private func isSoundAtTheStart() throws -> Bool {
    guard name == ReleaseFiles.bundle else { return true }
    var file = try scratch.openForReading(name)
    do {
      try ReleaseContentCheck.checkBundle(head: try file.read(maxBytes: 512))
      return true
    } catch is InputError {
      return false
    }
  }

  private func removeRest(of packed: PackedFile) throws {
    _ = try partial.remove(packed.sha256.hex)
    if try scratch.kind(of: name) != nil { _ = try scratch.remove(name) }
  }

  /// Whether another form may do better: not where the disk is full, the host wants a pause, or the caller cancelled.
  private static func isOfThisFile(_ error: any Error) -> Bool {
    switch error {
    case let error as TransferError:
      ![.cancelled, .sinkFailed, .throttled, .libraryMissing].contains(error.kind)
    case let problem as Problem:
      problem.code.responsibility == .untrustedContent
        || problem.code.responsibility == .tryLater
          && ![.cancelled, .throttled, .busy].contains(problem.code)
    default: false
    }
  }

  private struct WriteFailure: Error { let cause: any Error }
}

/// A file that is on the device and may be what a patch was made against.
enum BaseFile: Sendable {
  case file(Directory, name: String, bytes: Int)
  case memory([UInt8])

  /// The bytes, when they are what the manifest beside them says; a damaged file is no base.
  func bytes(expecting digest: Digest) throws -> [UInt8]? {
    let found: [UInt8]
    switch self {
    case .memory(let bytes): found = bytes
    case .file(let folder, let name, let count):
      do {
        found = try folder.read(name, exactly: count)
      } catch {
        // Collected meanwhile, damaged or not readable: there are other forms.
        return nil
      }
    }
    return try sha256(found) == digest ? found : nil
  }
}
