internal import OTAArchive
internal import OTAFeed
internal import OTAManifest

/// Makes the packed forms of a release: its files compressed, and patches from files that devices may have.
///
/// Each form is unpacked again before it counts. Where packing does not pay, or zstd is missing, there is none: devices take
/// the plain files.
struct PackedForms {
  let state: FeedState
  let lookup: ContentLookup
  let wish: PatchChoice

  /// A compressed file must leave out at least a tenth of the plain one.
  static func pays(_ packed: Int, insteadOf plain: Int) -> Bool { packed * 10 <= plain * 9 }
  /// A patch must have no more than three quarters of what would come otherwise.
  static func pays(_ patch: Int, insteadOfPacked other: Int) -> Bool { patch * 4 <= other * 3 }
  /// Below this size a file is not worth a second name.
  private static let minBytes = 4096

  /// The draft with its forms in the manifest and among the files to write.
  func adding(to draft: ReleaseDraft) async throws(Problem) -> ReleaseDraft {
    guard Zstd.isAvailable else { return draft }
    var (manifest, writes) = (draft.manifest, draft.contents)
    for file in FeedLayout.ContentFile.allCases {
      let forms = try await forms(of: file, in: manifest, draft)
      writes += forms.writes
      manifest.setForms(of: file, encodings: forms.encodings, patches: forms.patches)
    }
    do throws(Problem) {
      return try draft.replacing(manifest, contents: writes)
    } catch  where error.code == .inputRefused {
      // Too large for a manifest with its forms: it goes out without them.
      return draft
    }
  }

  private struct Forms {
    var encodings: [PackedFile] = []
    var patches: [PackedFile] = []
    var writes: [FeedWrite] = []
  }

  private func forms(
    of file: FeedLayout.ContentFile, in manifest: Manifest, _ draft: ReleaseDraft
  ) async throws(Problem) -> Forms {
    let artifact = file.artifact(of: manifest)
    guard artifact.bytes >= Self.minBytes else { return Forms() }
    if let live = state.live[manifest.channel]?.manifest, file.artifact(of: live).sha256 == artifact.sha256,
      wish.versions.isEmpty
    {
      // The same file as before: its forms are there already.
      let before = file.artifact(of: live)
      return Forms(encodings: before.encodings, patches: before.patches)
    }
    let bytes = try await content(file, manifest, draft)
    var tasks: [(base: Digest?, bytes: [UInt8])] = [(nil, [])]
    for base in try await bases(of: file, for: manifest) { tasks.append((base.digest, base.bytes)) }
    return try Self.collect(await Self.pack(bytes, tasks), file, manifest, Int(artifact.bytes))
  }

  private func content(
    _ file: FeedLayout.ContentFile, _ manifest: Manifest, _ draft: ReleaseDraft
  ) async throws(Problem) -> [UInt8] {
    let artifact = file.artifact(of: manifest)
    for write in draft.contents where try ContentLookup.matches(write.bytes, artifact) { return write.bytes }
    return try await lookup.bytes(of: file, in: manifest)
  }

  /// The files that patches are made from, newest first; what is lost or too large for a device is left out.
  private func bases(
    of file: FeedLayout.ContentFile, for manifest: Manifest
  ) async throws(Problem) -> [(digest: Digest, bytes: [UInt8])] {
    let size = file.artifact(of: manifest).bytes
    var seen: Set<Digest> = [file.artifact(of: manifest).sha256]
    var bases: [(digest: Digest, bytes: [UInt8])] = []
    for release in candidates(for: manifest) {
      let artifact = file.artifact(of: release)
      guard artifact.bytes + size <= Limits.standard.maxUnpackMemory, seen.insert(artifact.sha256).inserted
      else { continue }
      do throws(Problem) {
        bases.append((artifact.sha256, try await lookup.bytes(of: file, in: release)))
      } catch  where error.code == .feedIncomplete {
        // Lost: devices that have it take the compressed file.
      }
    }
    return bases
  }

  private func candidates(for manifest: Manifest) -> [Manifest] {
    let all = state.releases.map(\.manifest)
    let recent = all.filter { $0.channel == manifest.channel }.prefix(
      min(wish.releases, PackedFile.maxCount / 2))
    let named = Set(wish.versions + state.settings.embedded)
    return Array(recent) + all.filter { named.contains($0.version) && !recent.contains($0) }
  }

  private typealias Made = (base: Digest?, packed: Zstd.Packed)

  /// Packs on all processors, in the order of the tasks; what fails is left out.
  private static func pack(_ bytes: [UInt8], _ tasks: [(base: Digest?, bytes: [UInt8])]) async -> [Made] {
    await withTaskGroup(of: (Int, Zstd.Packed?).self) { group in
      for (index, task) in tasks.enumerated() {
        group.addTask { (index, packed(bytes, task.bytes)) }
      }
      var made = [Zstd.Packed?](repeating: nil, count: tasks.count)
      for await (index, packed) in group { made[index] = packed }
      return zip(tasks, made).compactMap { task, packed in packed.map { (task.base, $0) } }
    }
  }

  /// One form, when unpacking it gives the file again.
  private static func packed(_ bytes: [UInt8], _ base: [UInt8]) -> Zstd.Packed? {
    do {
      let packed = try Zstd.pack(bytes, base: base)
      let limit = Int(Limits.standard.maxUnpackMemory)
      let plain = try Zstd.unpack(packed.bytes, base: base, maxBytes: bytes.count, maxMemory: limit)
      return plain == bytes ? packed : nil
    } catch {
      // There are other forms, and the plain file.
      return nil
    }
  }

  /// The forms that pay, under their names.
  private static func collect(
    _ made: [Made], _ file: FeedLayout.ContentFile, _ manifest: Manifest, _ plainBytes: Int
  ) throws(Problem) -> Forms {
    var (forms, best) = (Forms(), plainBytes)
    var names: Set<String> = []
    for (base, packed) in made {
      let pays =
        base == nil
        ? Self.pays(packed.bytes.count, insteadOf: plainBytes)
        : Self.pays(packed.bytes.count, insteadOfPacked: best)
      guard pays else { continue }
      let digest = try ContentLookup.digest(of: packed.bytes)
      let path = FeedLayout.packed(file, digest, from: base, of: manifest.version)
      guard names.insert(FeedLayout.packedName(file, from: base)).inserted else { continue }
      let form = PackedFile(
        from: base, location: try FeedSettings.relativeLocation(of: path), sha256: digest,
        bytes: Int64(packed.bytes.count), memory: Int64(max(packed.memory, 1)))
      if base == nil {
        forms.encodings.append(form)
        best = min(best, packed.bytes.count)
      } else {
        forms.patches.append(form)
      }
      forms.writes.append(FeedWrite(path: path, bytes: packed.bytes))
    }
    return forms
  }
}

extension Manifest {
  /// Describes the packed forms of a file.
  mutating func setForms(
    of file: FeedLayout.ContentFile, encodings: [PackedFile], patches: [PackedFile]
  ) {
    var artifact = file.artifact(of: self).plain
    (artifact.encodings, artifact.patches) = (encodings, patches)
    if file == .bundle { bundle = artifact } else { sources = artifact }
  }

  /// The same release without packed forms.
  var withoutForms: Manifest {
    var copy = self
    (copy.bundle, copy.sources) = (bundle.plain, sources.plain)
    return copy
  }

  /// All packed forms of both files.
  var forms: [PackedFile] { [bundle, sources].flatMap { $0.encodings + $0.patches } }
}
