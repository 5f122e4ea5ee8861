internal import OTAManifest

/// The table of sources with its search and filters.
struct FeedPageSources {
  private let model: FeedPageModel

  init(_ model: FeedPageModel) { self.model = model }

  func write(_ html: inout HTMLText) {
    html.raw("<section aria-labelledby=\"sources\">\n<h2 id=\"sources\">Sources</h2>\n")
    guard !model.sources.isEmpty else {
      html.raw("<p>No catalog.</p>\n</section>\n")
      return
    }
    form(&html)
    let adult = model.sources.count(where: \.isNsfw)
    if adult > 0 {
      html.raw(
        "<input type=\"checkbox\" id=\"adult\"><label for=\"adult\"> Show \(adult) adult sources</label>\n")
    }
    html.raw(
      "<p id=\"count\" role=\"status\">\(model.sources.count - adult) of \(model.sources.count) sources</p>\n"
    )
    html.raw(
      "<div class=\"scroll\" role=\"region\" aria-labelledby=\"list\" tabindex=\"0\"><table id=\"table\">\n<caption id=\"list\">Sources of "
    )
    html.text(model.sourcesOf ?? "")
    html.raw("</caption>\n<thead><tr>")
    for name in ["Source", "Language", "Family", "Domain", "State", "Changed in"] {
      html.raw("<th scope=\"col\">\(name)</th>")
    }
    html.raw("</tr></thead>\n<tbody>\n")
    for source in model.sources { row(source, &html) }
    html.raw("</tbody></table></div>\n</section>\n")
  }

  private func form(_ html: inout HTMLText) {
    html.raw(
      "<form role=\"search\" id=\"filters\" aria-label=\"Sources\" hidden><label>Search <input type=\"search\" id=\"q\" autocomplete=\"off\"></label>"
    )
    select("Language", 1, model.sources.map(\.locale), &html)
    select("Family", 2, model.sources.map(\.family), &html)
    select("State", 4, model.sources.map(\.state), &html)
    html.raw("</form>\n")
  }

  /// A filter by one column: its values, each once, in order.
  private func select(_ name: String, _ column: Int, _ values: [String], _ html: inout HTMLText) {
    let unique = Set(values).sorted()
    guard unique.count > 1 else { return }
    html.raw("<label>\(name) <select data-column=\"\(column)\"><option value=\"\">all</option>")
    for value in unique {
      html.raw("<option>")
      html.text(value)
      html.raw("</option>")
    }
    html.raw("</select></label>")
  }

  private func row(_ source: FeedPageModel.Source, _ html: inout HTMLText) {
    html.raw(source.isNsfw ? "<tr data-a><th scope=\"row\">" : "<tr><th scope=\"row\">")
    html.isolated(source.title)
    html.raw(" <code>")
    html.text(source.id)
    html.raw(source.isNsfw ? "</code> <span class=\"tag\">adult</span></th><td>" : "</code></th><td>")
    html.text(source.locale)
    html.raw("</td><td>")
    html.text(source.family)
    html.raw("</td><td>")
    if Self.isHost(source.domain) {
      html.raw("<a href=\"https://\(source.domain)/\">\(source.domain)</a>")
    } else {
      html.isolated(source.domain)
    }
    html.raw("</td><td>")
    html.raw(source.state == "ok" ? "" : "<span class=\"tag bad\">")
    html.text(source.state)
    html.raw(source.state == "ok" ? "" : "</span>")
    if let advisory = source.advisory {
      html.raw(" ")
      html.isolated(advisory)
    }
    html.raw(
      "</td><td>\(source.changedIn.map(String.init) ?? "<span class=\"vh\">earlier</span>")</td></tr>\n")
  }

  /// Whether a domain is a host and nothing more, so that it may stand in an address as it is.
  private static func isHost(_ text: String) -> Bool {
    text.wholeMatch(of: #/[A-Za-z0-9](?:[A-Za-z0-9.\-]{0,251}[A-Za-z0-9])?(?::[0-9]{1,5})?/#) != nil
  }
}
