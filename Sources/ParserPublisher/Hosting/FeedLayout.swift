internal import OTAManifest

/// Where everything lies below the root of a feed.
enum FeedLayout {
  static let settings = ".parser-ota/feed.json"
  /// Names the release that is being written; gone when it is live and tidied up.
  static let pending = ".parser-ota/pending.json"
  /// The manifest of a release that is being adopted, as it was; gone when the feed is ready.
  static let adopting = ".parser-ota/adopting.json"
  static let page = "index.html"
  /// Sent by hosts for what is not there; without it some send `index.html` with 200, also for metadata.
  static let missingPage = "404.html"
  /// Tells GitHub Pages to serve every file as it is, also where a name begins with `_`.
  static let plainHosting = ".nojekyll"
  static let channelsFolder = "channels"
  static let releasesFolder = "files/releases"
  static let metadataFolder = "metadata"
  /// The base of all targets of signed metadata.
  static let targetsFolder = "files"
  /// Says which snapshot is the newest: the commit point for clients that verify signatures.
  static let timestamp = "metadata/timestamp.json"

  /// The two files of a release.
  enum ContentFile: String, CaseIterable {
    case bundle = "parsers.bundle.js"
    case sources = "sources.json"

    func artifact(of manifest: Manifest) -> Artifact {
      self == .bundle ? manifest.bundle : manifest.sources
    }
  }

  private static let manifestSuffix = ".manifest.json"

  /// The path of content that release `version` is the first to have.
  static func content(_ file: ContentFile, _ digest: Digest, of version: ReleaseVersion) -> String {
    "\(releasesFolder)/\(version)/\(digest.hex).\(file.rawValue)"
  }

  /// The path of the manifest that stays when the pointer moves on.
  static func manifest(_ digest: Digest, of version: ReleaseVersion) -> String {
    "\(releasesFolder)/\(version)/\(digest.hex)\(manifestSuffix)"
  }

  /// The digest in the name of an immutable manifest; `nil` for any other name.
  static func manifestDigest(inName name: String) -> Digest? { digest(inName: name, before: manifestSuffix) }

  /// Whether a name in a release's folder is one that a publisher gives.
  static func isImmutableName(_ name: String) -> Bool {
    manifestDigest(inName: name) != nil
      || ContentFile.allCases.contains { digest(inName: name, before: ".\($0.rawValue)") != nil }
  }

  /// Whether a path names content by its digest, so that whatever is there has these bytes or is damaged.
  static func isContentAddressed(_ path: String, _ file: ContentFile, _ digest: Digest) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 4 && path.hasPrefix(releasesFolder + "/")
      && ReleaseVersion(decimal: parts[2]) != nil
      && parts[3] == "\(digest.hex).\(file.rawValue)"
  }

  /// Whether a path belongs to the feed itself, so that no content may be put there.
  static func isReserved(_ path: String) -> Bool {
    let folder = path.prefix { $0 != "/" }.asciiLowercased
    let own = [
      ".parser-ota", channelsFolder, metadataFolder, page, missingPage, plainHosting,
      Channel.stable.manifestPath,
    ]
    return own.contains(folder) || path.hasSuffix(manifestSuffix)
  }

  /// The path of metadata whose name carries its version.
  static func metadata(_ role: String, _ version: Int64) -> String {
    "\(metadataFolder)/\(version).\(role).json"
  }

  /// The version in the name of metadata of a role; `nil` for any other name.
  static func metadataVersion(_ role: String, inName name: String) -> Int64? {
    guard name.hasSuffix(".\(role).json") else { return nil }
    return ReleaseVersion(decimal: name.dropLast(role.utf8.count + 6))?.number
  }

  /// The folder of the copies of a channel's pointer that signed metadata speaks of.
  static func pointerCopiesFolder(of channel: Channel) -> String {
    channel == .stable ? targetsFolder : "\(targetsFolder)/\(channelsFolder)/\(channel)"
  }

  /// The copy of a channel's pointer under the name that signed metadata gives to it.
  static func pointerCopy(_ digest: Digest, of channel: Channel) -> String {
    "\(pointerCopiesFolder(of: channel))/\(digest.hex)\(manifestSuffix)"
  }

  private static func digest(inName name: String, before suffix: String) -> Digest? {
    guard name.hasSuffix(suffix), let digest = Digest(hex: name.dropLast(suffix.utf8.count)),
      name.hasPrefix(digest.hex)
    else { return nil }
    return digest
  }
}
