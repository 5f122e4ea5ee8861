package import OTAManifest
internal import OTATrust

/// Where everything lies below the root of a feed, and what kind of file stands there.
///
/// Publishers, clients and hosts take every name from here.
package enum FeedLayout {
  /// The folder of what only publishers read.
  package static let privateFolder = ".parser-ota"
  package static let settings = "\(privateFolder)/feed.json"
  /// Names the release that is being written; gone when it is live and tidied up.
  package static let pending = "\(privateFolder)/pending.json"
  /// The manifest of a release that is being adopted, as it was; gone when the feed is ready.
  package static let adopting = "\(privateFolder)/adopting.json"
  package static let page = "index.html"
  /// What the page says of releases beside their manifests.
  package static let pageMemory = "\(privateFolder)/page.json"
  /// Sent by hosts for what is not there; without it some send `index.html` with 200, also for metadata.
  package static let missingPage = "404.html"
  /// Tells GitHub Pages to serve every file as it is, also where a name begins with `_`.
  package static let plainHosting = ".nojekyll"
  /// Tells Cloudflare Pages and Netlify which header fields to send; other hosts ignore it.
  package static let headers = "_headers"
  package static let channelsFolder = "channels"
  package static let releasesFolder = "\(targetsFolder)/releases"
  package static let metadataFolder = "metadata"
  /// The base of all targets of signed metadata.
  package static let targetsFolder = "files"
  /// The name of the timestamp in its folder.
  package static let timestampName = "timestamp.json"
  /// Says which snapshot is the newest: the commit point for clients that verify signatures.
  package static let timestamp = "\(metadataFolder)/\(timestampName)"
  /// What a device would ask for next, in one file.
  package static let expressName = "express.tar.zst"
  package static let express = "\(metadataFolder)/\(expressName)"
  /// The root that a signed feed was made with, and that apps may have been shipped with.
  package static let firstRoot = metadata("root", 1)
  /// The most bytes of a root that anybody accepts.
  package static let maxRootBytes = TrustLimits.standard.maxRootBytes
  /// The lock of a publisher, on hosts that have none of their own.
  package static let lock = "\(privateFolder)/lock"

  /// The two files of a release.
  package enum ContentFile: String, CaseIterable {
    case bundle = "parsers.bundle.js"
    case sources = "sources.json"

    package func artifact(of manifest: Manifest) -> Artifact {
      self == .bundle ? manifest.bundle : manifest.sources
    }
  }

  package static let manifestSuffix = ".manifest.json"

  /// The path of content that release `version` is the first to have.
  package static func content(_ file: ContentFile, _ digest: Digest, of version: ReleaseVersion) -> String {
    "\(releasesFolder)/\(version)/\(digest.hex).\(file.rawValue)"
  }

  /// The path of a packed form of content, in the folder of the release that describes it.
  ///
  /// - Parameter base: the file that a patch is made from; `nil` for the file compressed.
  package static func packed(
    _ file: ContentFile, _ digest: Digest, from base: Digest?, of version: ReleaseVersion
  ) -> String {
    "\(releasesFolder)/\(version)/\(digest.hex).\(packedName(file, from: base))"
  }

  /// The name of a packed form without its digest.
  package static func packedName(_ file: ContentFile, from base: Digest?) -> String {
    "\(file.rawValue)\(base.map { ".\($0.hex.prefix(8))" } ?? "")\(packedSuffix)"
  }

  private static let packedSuffix = ".zst"

  private static func isPackedName(_ name: String) -> Bool {
    guard name.hasSuffix(packedSuffix) else { return false }
    let plain = String(name.dropLast(packedSuffix.utf8.count))
    return ContentFile.allCases.contains { file in
      if digest(inName: plain, before: ".\(file.rawValue)") != nil { return true }
      let (stem, base) = (plain.dropLast(9), plain.suffix(9))
      return base.first == "." && base.dropFirst().allSatisfy(\.isHexDigit)
        && digest(inName: String(stem), before: ".\(file.rawValue)") != nil
    }
  }

  /// The path of the manifest that stays when the pointer moves on.
  package static func manifest(_ digest: Digest, of version: ReleaseVersion) -> String {
    "\(releasesFolder)/\(version)/\(digest.hex)\(manifestSuffix)"
  }

  /// The digest in the name of an immutable manifest; `nil` for any other name.
  package static func manifestDigest(inName name: String) -> Digest? {
    digest(inName: name, before: manifestSuffix)
  }

  /// Whether a name in a release's folder is one that a publisher gives.
  package static func isImmutableName(_ name: String) -> Bool {
    manifestDigest(inName: name) != nil
      || ContentFile.allCases.contains { digest(inName: name, before: ".\($0.rawValue)") != nil }
      || isPackedName(name)
  }

  /// Whether a path names content by its digest, so that whatever is there has these bytes or is damaged.
  package static func isContentAddressed(_ path: String, _ file: ContentFile, _ digest: Digest) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 4 && path.hasPrefix(releasesFolder + "/")
      && ReleaseVersion(decimal: parts[2]) != nil
      && parts[3] == "\(digest.hex).\(file.rawValue)"
  }

  /// Whether a path belongs to the feed itself, so that no content may be put there.
  package static func isReserved(_ path: String) -> Bool {
    let folder = path.prefix { $0 != "/" }.asciiLowercased
    let own = [
      privateFolder, channelsFolder, metadataFolder, page, missingPage, plainHosting, headers,
      Channel.stable.manifestPath, Channel.stable.rolloutPath, Channel.stable.advisoriesPath,
    ]
    return own.contains(folder) || path.hasSuffix(manifestSuffix)
  }

  /// The path of metadata whose name carries its version.
  package static func metadata(_ role: String, _ version: Int64) -> String {
    "\(metadataFolder)/\(version).\(role).json"
  }

  /// The version in the name of metadata of a role; `nil` for any other name.
  package static func metadataVersion(_ role: String, inName name: String) -> Int64? {
    guard name.hasSuffix(".\(role).json") else { return nil }
    return ReleaseVersion(decimal: name.dropLast(role.utf8.count + 6))?.number
  }

  /// The folder of the copies of a channel's pointer that signed metadata speaks of.
  package static func pointerCopiesFolder(of channel: Channel) -> String {
    channel == .stable ? targetsFolder : "\(targetsFolder)/\(channelsFolder)/\(channel)"
  }

  /// The copy of a channel's pointer under the name that signed metadata gives to it.
  package static func pointerCopy(_ digest: Digest, of channel: Channel) -> String {
    "\(pointerCopiesFolder(of: channel))/\(digest.hex)\(manifestSuffix)"
  }

  private static func digest(inName name: String, before suffix: String) -> Digest? {
    guard name.hasSuffix(suffix), let digest = Digest(hex: name.dropLast(suffix.utf8.count)),
      name.hasPrefix(digest.hex)
    else { return nil }
    return digest
  }
}

// MARK: Kinds

extension FeedLayout {
  /// What may happen to a file once it is on a feed, and so how it is written, cached and read back.
  package enum Kind: Sendable {
    /// Its name says what its bytes are: it never changes, and caches may keep it for good.
    case immutable
    /// Its name carries a version of signed metadata: it never changes, and pointers lead to it.
    case versioned
    /// Changes under its name: readers must always get the newest one, and it is written last.
    case pointer
    /// For the publisher alone: no reader asks for it.
    case own
  }

  /// The kind of file that stands at a path; whatever the layout does not name may change, so it is a pointer.
  package static func kind(of path: String) -> Kind {
    if path.hasPrefix(privateFolder + "/") { return .own }
    let (folder, name) = split(path)
    if folder == metadataFolder {
      return [timestampName, expressName].contains(String(name)) ? .pointer : .versioned
    }
    guard path.hasPrefix(targetsFolder + "/"), name.utf8.count > 65,
      Digest(hex: name.prefix(64)) != nil, name.dropFirst(64).hasPrefix(".")
    else { return .pointer }
    return .immutable
  }

  /// Whether a path is a folder of this layout; whatever else has no folders that a publisher would look into.
  package static func isFolder(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    return switch parts.first.map(String.init) {
    case targetsFolder: parts.count == 1 || (parts.count <= 3 && targetFolders.contains(String(parts[1])))
    case channelsFolder: parts.count <= 2
    case metadataFolder, privateFolder: parts.count == 1
    default: false
    }
  }

  /// The folders below that of all targets.
  private static let targetFolders = [String(split(releasesFolder).name), channelsFolder]

  /// The path of a target of signed metadata, whose digest stands before the last part of its name.
  package static func target(_ path: String, _ digest: Digest) -> String {
    let (folder, name) = split(path)
    return "\(targetsFolder)/\(folder.isEmpty ? "" : "\(folder)/")\(digest.hex).\(name)"
  }

  /// The folder of a path, empty for the root of the feed, and the last name.
  package static func split(_ path: String) -> (folder: Substring, name: Substring) {
    guard let slash = path.lastIndex(of: "/") else { return ("", path[...]) }
    return (path[..<slash], path[path.index(after: slash)...])
  }

  /// The media type of a file by its name.
  package static func mediaType(of path: String) -> String {
    let name = split(path).name
    for (ending, type) in mediaTypes where name.hasSuffix(ending) { return type }
    return "application/octet-stream"
  }

  private static let mediaTypes = [
    (".json", "application/json"), (".js", "text/javascript; charset=utf-8"),
    (".html", "text/html; charset=utf-8"), (".txt", "text/plain; charset=utf-8"),
    (".zst", "application/zstd"),
  ]

  /// How long caches may keep a file: a year under a name that never changes, and never without asking under any other.
  package static func cacheControl(of path: String) -> String {
    switch kind(of: path) {
    case .immutable: "public, max-age=31536000, immutable"
    // An interrupted publisher may have left metadata of a version that the next one makes anew.
    case .versioned, .pointer: "no-cache"
    case .own: "no-store"
    }
  }
}
