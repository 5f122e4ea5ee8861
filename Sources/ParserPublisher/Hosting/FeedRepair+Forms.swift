internal import OTAArchive
internal import OTAFeed
internal import OTAManifest

/// Packed forms that are lost: devices do without, so nothing is dropped for them.
extension FeedRepair {
  /// Restores the packed forms of a live release: from a copy, or by packing its files again.
  ///
  /// - Parameter releases: the kept releases, whose files patches are made from.
  mutating func restoreForms(
    of manifest: Manifest, among releases: [VerifiedManifest]
  ) async throws(Problem) {
    for file in FeedLayout.ContentFile.allCases {
      let artifact = file.artifact(of: manifest)
      for form in artifact.encodings + artifact.patches {
        let path = form.location.text
        guard
          let fault = try await restore(path, digest: form.sha256, bytes: form.bytes, others: [])
        else { continue }
        if let bytes = try await packedAgain(form, file, manifest, releases) {
          try await write(path, bytes, from: "release \(manifest.version), packed again")
        } else {
          warnings.append("\(path) \(fault): devices take the plain file until the next publish")
        }
      }
    }
  }

  /// The same bytes from the same files; another version of zstd may make other ones.
  private func packedAgain(
    _ form: PackedFile, _ file: FeedLayout.ContentFile, _ manifest: Manifest, _ releases: [VerifiedManifest]
  ) async throws(Problem) -> [UInt8]? {
    let lookup = ContentLookup(host: view)
    do throws(Problem) {
      var base: [UInt8] = []
      if let from = form.from {
        let origin = releases.map(\.manifest).first { file.artifact(of: $0).sha256 == from }
        guard let origin else { return nil }
        base = try await lookup.bytes(of: file, in: origin)
      }
      let bytes = try await lookup.bytes(of: file, in: manifest)
      // Without zstd, or with another version of it, the next publish makes new ones.
      guard let packed = try? Zstd.pack(bytes, base: base).bytes,
        try ContentLookup.matches(packed, form.artifact)
      else { return nil }
      return packed
    } catch  where error.code == .feedIncomplete {
      return nil
    }
  }
}
