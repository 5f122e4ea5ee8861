internal import OTACrypto
internal import OTAFeed
internal import OTAManifest

/// Finds the bytes of a release in a feed, whatever its manifest calls them.
///
/// A manifest may name a file by an absolute URL, of this feed or of the one that it was taken over from. Only a file
/// with the right size and digest is ever accepted, so trying several places is safe.
struct ContentLookup {
  let host: any FeedHost

  /// The places where a file of a release can be, the likeliest first.
  static func candidates(_ file: FeedLayout.ContentFile, of manifest: Manifest) -> [String] {
    let artifact = file.artifact(of: manifest)
    var paths: [String] = []
    switch artifact.location {
    case .relative(let path): paths.append(path.text)
    case .absolute(let address):
      let plain = address.path.percentDecoded ?? address.path
      var parts = plain.split(separator: "/").suffix(8)
      while !parts.isEmpty {
        paths.append(parts.joined(separator: "/"))
        parts.removeFirst()
      }
    }
    let own = FeedLayout.content(file, artifact.sha256, of: manifest.content)
    return paths.contains(own) ? paths : paths + [own]
  }

  /// The verified bytes, or a problem that names the file.
  func bytes(of file: FeedLayout.ContentFile, in manifest: Manifest) async throws(Problem) -> [UInt8] {
    let artifact = file.artifact(of: manifest)
    var damaged: String?
    for path in Self.candidates(file, of: manifest) {
      guard let bytes = try await read(path, artifact) else { continue }
      if try Self.matches(bytes, artifact) { return bytes }
      damaged = damaged ?? path
    }
    let (state, advice) = try await fault(damaged, artifact)
    throw Problem(
      .feedIncomplete, "\(state): it is the \(file.rawValue) of release \(manifest.version)", advice: advice)
  }

  /// What is wrong with a file, and how to mend it.
  private func fault(_ path: String?, _ artifact: Artifact) async throws(Problem) -> (String, String) {
    let repair = "parser-ota repair restores the file, from a copy of the feed with --from FOLDER|URL"
    guard let path else { return ("\(artifact.location.text) is missing", repair) }
    do throws(Problem) {
      let bytes = try await host.read(path, maxBytes: Int(2 * artifact.bytes) + 4096) ?? []
      guard let strange = StrangeContent(bytes, insteadOf: artifact.sha256, bytes: artifact.bytes) else {
        return ("\(path) is damaged", repair)
      }
      return ("\(path) \(strange.message)", "\(strange.advice); \(repair)")
    } catch  where error.code == .tooLarge {
      return ("\(path) is damaged", repair)
    } catch  where error.code == .wrongKind {
      return ("\(path) is damaged: \(error.message)", repair)
    }
  }

  /// Whether exactly this file is at a place.
  func has(_ path: String, _ artifact: Artifact) async throws(Problem) -> Bool {
    guard let bytes = try await read(path, artifact) else { return false }
    return try Self.matches(bytes, artifact)
  }

  private func read(_ path: String, _ artifact: Artifact) async throws(Problem) -> [UInt8]? {
    do {
      return try await host.read(path, maxBytes: Int(artifact.bytes))
    } catch  where error.code == .tooLarge || error.code == .wrongKind {
      // Too long, or no file at all: then it is not this one, and another place may have it.
      return []
    }
  }

  static func matches(_ bytes: [UInt8], _ artifact: Artifact) throws(Problem) -> Bool {
    guard bytes.count == artifact.bytes else { return false }
    return try digest(of: bytes) == artifact.sha256
  }

  /// SHA-256, with the library's own failure as a problem.
  static func digest(of bytes: [UInt8]) throws(Problem) -> Digest {
    do {
      return try sha256(bytes)
    } catch {
      throw Problem(.cryptoUnavailable, "cannot compute SHA-256 on this machine: \(error.message)")
    }
  }
}
