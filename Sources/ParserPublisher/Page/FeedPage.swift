internal import OTACrypto
internal import OTAFeed
internal import OTAManifest

/// The page of a feed for people: one static file that asks for nothing else, useful without script.
///
/// Whatever comes from catalogs and manifests goes through `HTMLText`; only the templates are written as they are.
struct FeedPage {
  private static let mark = "<meta name=\"generator\" content=\"parser-ota\">"
  private let model: FeedPageModel

  init(_ model: FeedPageModel) { self.model = model }

  /// Whether a page was made here, and may be replaced.
  static func isGenerated(_ page: [UInt8]) -> Bool {
    String(decoding: page.prefix(2048), as: UTF8.self).contains(mark)
  }

  /// The whole page.
  func bytes() throws(Problem) -> [UInt8] {
    var html = HTMLText()
    try head(&html)
    top(&html)
    lives(&html)
    FeedPageSources(model).write(&html)
    releases(&html)
    trust(&html)
    html.raw("</main>\n<footer><p>Made by parser-ota. Apps read this feed by themselves.</p></footer>\n")
    html.raw("<script>\(FeedPageTemplate.script)</script>\n</body>\n</html>\n")
    return html.bytes
  }

  private func head(_ html: inout HTMLText) throws(Problem) {
    let style = try Self.hash(FeedPageTemplate.style)
    let script = try Self.hash(FeedPageTemplate.script)
    html.raw(
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-\(style)'; \
      script-src 'sha256-\(script)'; base-uri 'none'; form-action 'none'">
      \(Self.mark)
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <title>
      """)
    html.text("\(model.title): parser releases")
    html.raw("</title>\n<style>\(FeedPageTemplate.style)</style>\n</head>\n<body>\n")
  }

  private static func hash(_ text: String) throws(Problem) -> String {
    HTMLText.base64(try ContentLookup.digest(of: Array(text.utf8)).bytes)
  }

  private func top(_ html: inout HTMLText) {
    html.raw("<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header>\n<h1>")
    html.isolated(model.title)
    html.raw(
      "</h1>\n<p>Releases of parsers, for apps that read them by themselves. There is nothing to install here.</p>\n"
    )
    html.raw("<nav aria-label=\"On this page\"><ul>")
    let places = [
      ("live", "Live"), ("sources", "Sources"), ("releases", "Releases"), ("verify", "Verify"),
    ]
    for (id, name) in places { html.raw("<li><a href=\"#\(id)\">\(name)</a></li>") }
    html.raw("</ul></nav>\n</header>\n<main id=\"main\" tabindex=\"-1\">\n")
  }

  // MARK: Live

  private func lives(_ html: inout HTMLText) {
    html.raw("<section aria-labelledby=\"live\">\n<h2 id=\"live\">Live</h2>\n")
    if model.lives.isEmpty { html.raw("<p>No release was published yet.</p>\n") }
    for live in model.lives {
      html.raw("<article class=\"card\">\n<h3>")
      html.text(live.channel)
      html.raw(": release \(live.version)</h3>\n<p>")
      Self.date(live.released, &html)
      if let content = live.content { html.raw(" <span class=\"tag\">content of release \(content)</span>") }
      if let contract = live.contract { html.raw(" <span class=\"tag\">contract \(contract)</span>") }
      if let oldest = live.minimumAppVersion {
        html.raw(" <span class=\"tag\">app ")
        html.text(oldest)
        html.raw(" or later</span>")
      }
      html.raw("</p>\n")
      Self.notes(live.notes, &html)
      address(live.address, "manifest", &html)
      if !live.withdrawn.isEmpty {
        let shown = live.withdrawn.prefix(20).map(String.init).joined(separator: ", ")
        let rest = live.withdrawn.count > 20 ? " and \(live.withdrawn.count - 20) more" : ""
        html.raw("<p><span class=\"tag bad\">withdrawn</span> \(shown)\(rest)</p>\n")
      }
      html.raw("</article>\n")
    }
    html.raw("</section>\n")
  }

  /// An address with a button that script shows.
  private func address(_ address: String, _ name: String, _ html: inout HTMLText) {
    html.raw("<p class=\"copy\"><span class=\"key\">\(name)</span> <a href=\"")
    html.text(address)
    html.raw("\"><code>")
    html.text(address)
    html.raw("</code></a> <button type=\"button\" hidden data-copy=\"")
    html.text(address)
    html.raw("\">Copy<span class=\"vh\"> the address of the \(name)</span></button></p>\n")
  }

  private static func notes(_ notes: String?, _ html: inout HTMLText) {
    guard let notes else { return }
    html.raw("<p class=\"notes\">")
    html.isolated(notes, keepsLines: true)
    html.raw("</p>\n")
  }

  private static func date(_ date: String?, _ html: inout HTMLText) {
    guard let date else { return html.raw("no date") }
    html.raw("<time datetime=\"\(date)\">\(date.prefix(10)) \(date.dropFirst(11).prefix(5)) UTC</time>")
  }

  // MARK: Releases

  private func releases(_ html: inout HTMLText) {
    html.raw("<section aria-labelledby=\"releases\">\n<h2 id=\"releases\">Releases</h2>\n")
    if model.releases.isEmpty { html.raw("<p>None yet.</p>\n") }
    html.raw("<ol class=\"releases\" reversed>\n")
    for release in model.releases {
      html.raw("<li value=\"\(release.version)\"><h3>Release \(release.version)")
      if release.isLive { html.raw(" <span class=\"tag good\">live</span>") }
      if release.isWithdrawn { html.raw(" <span class=\"tag bad\">withdrawn</span>") }
      html.raw("</h3>\n<p>")
      html.text(release.channel)
      html.raw(", ")
      Self.date(release.released, &html)
      if let content = release.content { html.raw(", a roll back to the content of release \(content)") }
      html.raw("</p>\n")
      Self.notes(release.notes, &html)
      Self.list("What changed", release.changes, release.version, &html)
      Self.list("Checks", release.checks, release.version, &html)
      html.raw("</li>\n")
    }
    html.raw("</ol>\n</section>\n")
  }

  private static func list(_ title: String, _ lines: [String], _ version: Int64, _ html: inout HTMLText) {
    guard !lines.isEmpty else { return }
    html.raw(
      "<details><summary>\(title)<span class=\"vh\"> in release \(version)</span> (\(lines.count))</summary><ul>"
    )
    for line in lines {
      html.raw("<li>")
      html.isolated(line)
      html.raw("</li>")
    }
    html.raw("</ul></details>\n")
  }

  // MARK: Trust

  private func trust(_ html: inout HTMLText) {
    html.raw("<section aria-labelledby=\"verify\">\n<h2 id=\"verify\">Verify</h2>\n")
    if let address = model.address { self.address(address, "feed", &html) }
    if let digest = model.rootDigest {
      html.raw(
        "<p>Everything is signed, as a repository of <a href=\"https://theupdateframework.io/\">The Update Framework</a>:"
          + " apps accept nothing that its keys did not sign. The first root, <a href=\"\(FeedLayout.firstRoot)\">"
          + "\(FeedLayout.firstRoot)</a>, must have this SHA-256 digest; compare it with what the app's author says.</p>\n"
      )
      html.raw("<p class=\"copy\"><span class=\"key\">root</span> <code class=\"digest\">\(digest)</code>")
      html.raw(
        " <button type=\"button\" hidden data-copy=\"\(digest)\">Copy<span class=\"vh\"> the digest of the root</span></button></p>\n"
      )
      html.raw("<div class=\"scroll\" role=\"region\" aria-labelledby=\"ends\" tabindex=\"0\"><table>\n")
      html.raw(
        "<caption id=\"ends\">When the signatures expire</caption>\n<thead><tr><th scope=\"col\">Role</th>")
      html.raw("<th scope=\"col\">Good until</th></tr></thead>\n<tbody>\n")
      for role in model.roles {
        html.raw("<tr><th scope=\"row\">\(role.name)</th><td>")
        Self.date(role.expires, &html)
        html.raw("</td></tr>\n")
      }
      html.raw("</tbody></table></div>\n")
    } else {
      html.raw(
        "<p>This feed is not signed: apps check sizes and digests, and whoever controls the host controls the feed.</p>\n"
      )
    }
    html.raw("<pre tabindex=\"0\"><code>parser-ota verify --feed ")
    html.text(model.address?.shellWord ?? "ADDRESS")
    html.raw(model.rootDigest == nil ? "" : " --root root.json")
    html.raw("</code></pre>\n</section>\n")
  }
}
