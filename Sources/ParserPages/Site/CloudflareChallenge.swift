internal import OTATransfer

/// Recognises the page that Cloudflare shows instead of a site's own to what it takes for a machine.
enum CloudflareChallenge {
  /// The field with which Cloudflare says so itself, in lower case.
  static let field = "cf-mitigated"

  private static let statuses = [403, 429, 503]
  private static let markers = [
    "just a moment", "__cf_chl", "challenge-platform", "cf-browser-verification", "turnstile",
  ].map { Array($0.utf8) }
  /// How much of a page is looked at; the challenge is a small page.
  private static let searchedBytes = 256 << 10

  /// Whether an answer is a challenge: by the field, or by status and marker together.
  ///
  /// A page of the site may hold such a marker as well, and is then an ordinary page with another status.
  static func isShown(in answer: SiteResponse) -> Bool {
    if answer.fields[field]?.lowercased() == "challenge" { return true }
    guard statuses.contains(answer.status) else { return false }
    let page = answer.body.prefix(searchedBytes).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    return markers.contains { page.firstRange(of: $0) != nil }
  }
}
