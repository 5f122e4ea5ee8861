internal import OTATransfer
internal import ParserEngine

/// The header fields with which apps send the requests of parsers.
enum AppHeaders {
  private static let userAgent =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    + "Version/17.5 Mobile/15E148 Safari/604.1"

  /// The fields of the app, and after them those of the parser, which win.
  static func fields(for request: PageRequest, url: String) -> [SiteRequest.Field] {
    let root = SiteAddress.root(ofDomain: request.domain, orURL: url)
    var fields = [
      SiteRequest.Field("User-Agent", userAgent),
      SiteRequest.Field("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
      SiteRequest.Field("Accept-Language", "en-US,en;q=0.9"),
      SiteRequest.Field("Referer", root),
    ]
    if request.method == "POST" {
      fields += [
        SiteRequest.Field("Origin", String(root.dropLast())),
        SiteRequest.Field("X-Requested-With", "XMLHttpRequest"),
        SiteRequest.Field("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8"),
      ]
    }
    return fields + request.headers.map { SiteRequest.Field($0.name, $0.value) }
  }
}
