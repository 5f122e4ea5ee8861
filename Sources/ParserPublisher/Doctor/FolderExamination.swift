internal import OTAFeed
public import OTAManifest
internal import OTAStorage

/// Looks at the folder of a feed for what hosts need beside its files, before it is deployed.
public struct FolderExamination: Sendable {
  let path: String

  /// Examines the folder of a feed.
  public init(_ path: String) { self.path = path }

  /// Looks at the folder.
  ///
  /// - Throws: `not-a-feed` when there is none.
  public func run() async throws(Problem) -> HostReport {
    let host = DirectoryHost(root: path)
    let manifest = try host.read("manifest.json", maxBytes: Limits.standard.maxManifestBytes)
    let settings = try host.read(FeedLayout.settings, maxBytes: Limits.standard.maxStateBytes)
    guard manifest != nil || settings != nil else {
      throw Problem(
        .notAFeed, "\(path) is not a feed: it has no manifest.json",
        advice: "make one with parser-ota init, or give the address of a feed")
    }
    var report = HostReport(address: path)
    let needed: [(String, HostFinding.Code, String)] = [
      (FeedLayout.missingPage, .noMissingPage, "there is no page for files that are not there"),
      (FeedLayout.plainHosting, .noPlainHosting, "GitHub Pages may leave files out"),
      (
        FeedLayout.headers, .noHeadersFile,
        "Cloudflare Pages and Netlify are not told how long copies may live"
      ),
    ]
    for (name, code, message) in needed where try host.read(name, maxBytes: 1 << 20) == nil {
      report.findings.append(HostFinding(code, name, message, .other))
    }
    return report
  }
}
