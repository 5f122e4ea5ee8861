internal import OTAManifest
package import OTATransfer
internal import OTATrust

/// Where signed metadata and the files it speaks of are fetched from.
package struct TUFRepository: Sendable {
  let fetcher: any Fetcher
  private let metadataBase: String
  private let targetsBase: String
  /// How long all metadata of one run may take together.
  let budget: Duration

  /// Takes the URLs of the two folders, with or without a final slash.
  package init(
    fetcher: any Fetcher, metadataBase: String, targetsBase: String,
    budget: Duration = FeedPatience().metadata
  ) {
    self.budget = budget
    self.fetcher = fetcher
    self.metadataBase = metadataBase.hasSuffix("/") ? metadataBase : metadataBase + "/"
    self.targetsBase = targetsBase.hasSuffix("/") ? targetsBase : targetsBase + "/"
  }

  /// The address of the feed's folder; `nil` where metadata and files are not below one, as in the layout of a feed.
  var feedFolder: String? {
    let name = FeedLayout.metadataFolder + "/"
    guard metadataBase.hasSuffix("/" + name) else { return nil }
    return String(metadataBase.dropLast(name.count))
  }

  /// The same files, fetched in another way.
  func through(_ fetcher: any Fetcher) -> TUFRepository {
    TUFRepository(fetcher: fetcher, metadataBase: metadataBase, targetsBase: targetsBase, budget: budget)
  }

  /// The URL of metadata; names carry a version on a feed with consistent snapshots, and a root always.
  func metadataURL(role: String, version: Int64?) -> String {
    metadataBase + (version.map { "\($0)." } ?? "") + percentEncoded(role) + ".json"
  }

  /// The URL of a target, with its digest before the last name on a feed with consistent snapshots.
  ///
  /// - Throws: `malformed` for a path that leads elsewhere than below the folder of all targets.
  func targetURL(_ target: TargetDescription, usesConsistentSnapshots: Bool) throws(TrustError) -> String {
    var names = target.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard let last = names.popLast(), !(names + [last]).contains(where: { ["", ".", ".."].contains($0) })
    else {
      throw TrustError(
        .malformed, role: target.path,
        "is no path of a target: it begins or ends with \"/\" or has a dot part")
    }
    var name = last
    if usesConsistentSnapshots {
      guard let digest = target.hashes.nameDigest else {
        throw TrustError(.cannotVerify, role: target.path, "has no digest of a kind that is known here")
      }
      name = "\(hexadecimal(digest)).\(last)"
    }
    return targetsBase + (names + [name]).map(Self.pathPart).joined(separator: "/")
  }

  /// A part of a path as it stands in a URL; escapes that the path has already are kept.
  private static func pathPart(_ name: String) -> String {
    percentEncoded(name, keeping: { "!$&'()*+,;=:@%".utf8.contains($0) })
  }
}

/// Bytes as lower-case hexadecimal digits.
private func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
