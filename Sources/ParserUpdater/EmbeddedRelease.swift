internal import OTACrypto
internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

extension ReleaseFiles.Damage {
  /// The same for the copy inside the app, as a problem of the launch.
  var ofEmbedded: Problem {
    let message = "the copy inside the app \(text)"
    return unknown.map { Problem($0.code, message, advice: $0.advice) } ?? Problem(.embeddedUnusable, message)
  }
}

/// The copy of a release inside the app: the last resort of every launch, made by `parser-ota embed`.
public enum EmbeddedRelease: Sendable {
  /// A folder with `manifest.json`, `parsers.bundle.js` and `sources.json`.
  case directory(String)
  /// The three files as bytes, for apps that compile them in.
  case contents(manifest: [UInt8], bundle: [UInt8], sources: [UInt8])

  /// The manifest, read and decoded anew at each call.
  func reference() throws(ReleaseFiles.Damage) -> ReleaseReference {
    switch self {
    case .directory:
      let (manifest, digest) = try ReleaseFiles.readManifest(in: folder())
      return ReleaseReference(manifest, digest: digest)
    case .contents(let manifest, _, _):
      do {
        return ReleaseReference(try Manifest.decode(manifest), digest: try sha256(manifest))
      } catch {
        throw ReleaseFiles.Damage(text: "has a \(ReleaseFiles.manifest) that cannot be read")
      }
    }
  }

  /// The manifest when it can be read; a launch is what reports a copy that cannot be used.
  var readableReference: ReleaseReference? {
    do {
      return try reference()
    } catch {
      // Everyone who asks this way can do without; `activate` asks for the reason.
      return nil
    }
  }

  /// The whole release, hashed in this call.
  func load() throws(ReleaseFiles.Damage) -> ReleaseFiles.Loaded {
    switch self {
    case .directory: return try ReleaseFiles.load(from: folder(), expecting: nil)
    case .contents(let manifestBytes, let bundle, let sources):
      do {
        let manifest = try Manifest.decode(manifestBytes)
        guard try sha256(bundle) == manifest.bundle.sha256, try sha256(sources) == manifest.sources.sha256
        else {
          throw ReleaseFiles.Damage(text: "has files that are not the ones of its manifest")
        }
        return ReleaseFiles.Loaded(
          manifest: manifest, manifestDigest: try sha256(manifestBytes), bundle: bundle, sources: sources)
      } catch let error as ReleaseFiles.Damage {
        throw error
      } catch {
        throw ReleaseFiles.Damage(text: "has a \(ReleaseFiles.manifest) that cannot be read")
      }
    }
  }

  /// Verifies the whole release as `load` does, without keeping its bytes.
  func verify() throws(ReleaseFiles.Damage) {
    switch self {
    case .directory: try ReleaseFiles.verify(folder(), expecting: nil)
    case .contents: _ = try load()
    }
  }

  private func folder() throws(ReleaseFiles.Damage) -> Directory {
    guard case .directory(let path) = self else { throw ReleaseFiles.Damage(text: "is not a folder") }
    do {
      return try Directory.open(path)
    } catch {
      throw ReleaseFiles.Damage(error, "cannot be opened: \(error.message)")
    }
  }
}
