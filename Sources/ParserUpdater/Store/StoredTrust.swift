internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// What a store remembers for trust: signed metadata, the manifests that are there, and the dates that were seen.
struct StoredTrust: Sendable {
  private static let folderName = "metadata"
  private let store: DeviceStore?
  private let embedded: EmbeddedRelease

  /// Reads from a store; `nil` for a device that has none yet.
  init(_ store: DeviceStore?, embedded: EmbeddedRelease) {
    self.store = store
    self.embedded = embedded
  }

  /// The metadata of the store, to be read only: what is new is forgotten after the run.
  func readOnly() throws(StorageError) -> any TrustedMetadataStore {
    guard let store else { return OverlayMetadataStore() }
    do {
      return OverlayMetadataStore(
        over: DirectoryMetadataStore(try store.root.subdirectory(Self.folderName)))
    } catch  where error.kind == .missing || error.kind == .wrongKind {
      return OverlayMetadataStore()
    }
  }

  /// The metadata of the store, made when there is none; for the one update that runs.
  static func writable(_ store: DeviceStore) throws(StorageError) -> any TrustedMetadataStore {
    do {
      return DirectoryMetadataStore(try store.root.subdirectory(creating: folderName))
    } catch  where error.kind == .wrongKind {
      // Something else stands in its place; all of it can be had from the shipped root again.
      try store.root.removeTree(folderName)
      return DirectoryMetadataStore(try store.root.subdirectory(creating: folderName))
    }
  }

  /// Removes the unfinished files of updates that died; for the holder of the update lock.
  static func collectTemporaries(of store: DeviceStore) {
    do {
      try DirectoryMetadataStore(store.root.subdirectory(folderName)).removeTemporaries()
    } catch {
      // No metadata yet, or not removable now: tried again at the next update.
    }
  }

  /// The bytes of a manifest with this digest, when a release on this device has it.
  func manifest(_ digest: Digest) -> [UInt8]? {
    if case .contents(let manifest, _, _) = embedded, embedded.readableReference?.manifest == digest {
      return manifest
    }
    for folder in folders(digest) {
      do {
        return try folder.read(ReleaseFiles.manifest, maxBytes: Limits.standard.maxManifestBytes)
      } catch {
        // Not there or not readable: the feed has it too.
      }
    }
    return nil
  }

  private func folders(_ digest: Digest) -> [Directory] {
    var folders: [Directory] = []
    do {
      if case .directory(let path) = embedded, embedded.readableReference?.manifest == digest {
        folders.append(try Directory.open(path))
      }
      let releases = try store?.root.subdirectory(DeviceStore.Name.releases)
      for name in try store?.releaseFolders() ?? [] where name.hasSuffix("-\(digest.hex.prefix(16))") {
        if let releases { folders.append(try releases.subdirectory(name)) }
      }
    } catch {
      // Collected meanwhile: the feed has the manifest too.
    }
    return folders
  }

  // MARK: Dates

  /// When the stored timestamp says that it was signed; `nil` when there is none, or none that says so.
  ///
  /// It was verified when it was stored, and is asked for explanations alone.
  var signedAt: Timestamp? {
    do {
      guard let bytes = try readOnly().load(.newest(role: "timestamp")) else { return nil }
      let document = try JSONReader.read(bytes, maxBytes: bytes.count)
      return try JSONObject(document).object("signed").object("x-parser-ota").timestamp("signed")
    } catch {
      // Without it an explanation says less.
      return nil
    }
  }

  /// What time it is, by the clock and by what was seen.
  func moment(_ clock: Timestamp, _ state: DeviceState) -> TrustMoment {
    let overruled = state.overruledDate
    let seen = seenDates(state).filter { date in overruled.map { date > $0 } ?? true }
    return TrustMoment(clock: clock, signedDate: signedDates(state).max(), seenDate: seen.max())
  }

  private func signedDates(_ state: DeviceState) -> [Timestamp] {
    var dates: [Timestamp] = []
    do {
      if case .contents(let manifest, _, _) = embedded {
        dates += [try Manifest.decode(manifest).released].compactMap(\.self)
      } else if case .directory(let path) = embedded {
        dates += [try ReleaseFiles.readManifest(in: Directory.open(path)).manifest.released]
          .compactMap(\.self)
      }
    } catch {
      // A copy that cannot be read says nothing about the time; a launch reports it.
    }
    for release in state.references {
      do {
        guard let store else { break }
        let read = try ReleaseFiles.readManifest(in: store.folder(of: release))
        guard read.digest == release.manifest, let date = read.manifest.released else { continue }
        dates.append(date)
      } catch {
        // A release that cannot be read says nothing about the time; a launch reports it.
      }
    }
    return dates
  }

  private func seenDates(_ state: DeviceState) -> [Timestamp] {
    var dates = state.rejected.map(\.date)
    if let date = state.lastProblem?.date { dates.append(date) }
    do {
      if let store { dates += try HistoryFile(root: store.root).dates() }
    } catch {
      // A history that cannot be read says nothing about the time.
    }
    return dates
  }
}
