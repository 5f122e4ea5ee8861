internal import OTACrypto
public import OTAManifest
internal import ParserEngine

/// A survey as a page for people: one table that sorts and filters, and reads well without a script.
public enum SurveyPage {
  /// The bytes of the page; nothing in it comes from elsewhere, and nothing that sites wrote can become markup.
  ///
  /// - Throws: `Problem` when no digest of its own script can be made.
  public static func bytes(_ report: SurveyReport) throws(Problem) -> [UInt8] {
    let policy =
      "default-src 'none'; style-src '\(try digest(of: style))'; script-src '\(try digest(of: script))'"
    return Array(
      """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Survey of \(report.surveyed)</title>
      <style>\(style)</style>
      <main>
      <h1>Survey of \(report.surveyed)</h1>
      <p>\(MarkupText.escaped(report.sentence))\(changes(report))</p>
      <form id="filters" hidden>
        <label>Find <input id="find" type="search" autocomplete="off"></label>
        <label>State <select id="state"><option value="">all\(options)</select></label>
        <label><input id="changed" type="checkbox"> only what changed</label>
        <span id="count" role="status"></span>
      </form>
      <div class="wide"><table>
      <thead><tr>\(head)</tr></thead>
      <tbody>
      \(report.sources.map(row).joined())</tbody>
      </table></div>
      <p>\(legend)</p>
      </main>
      <script>\(script)</script>
      </html>

      """.utf8)
  }

  private static func digest(of text: String) throws(Problem) -> String {
    do {
      return "sha256-\(Base64Text.encode(Array(try sha256(Array(text.utf8)).bytes)))"
    } catch {
      throw Problem(.storageFailed, "no digest can be made: \(error.message)")
    }
  }

  private static func changes(_ report: SurveyReport) -> String {
    guard report.isCompared else { return "." }
    let counts = SurveyChange.allCases.map { "\(report.sources($0).count) \($0.rawValue)" }
    return "; since the survey before: \(counts.joined(separator: ", "))."
  }

  private static let columns = [
    "Source", "Language", "Family", "Domain", "State", "What", "Steps", "History",
  ]
  private static let head = columns.map { "<th scope=\"col\">\($0)</th>" }.joined()
  private static let options = SurveyState.allCases.map { "<option>\($0.rawValue)" }.joined()
  private static let legend =
    "Steps and history: "
    + SurveyState.allCases.map { "<b class=\"\($0.rawValue)\">\(mark($0))</b> \($0.rawValue)" }.joined(
      separator: ", ") + ". Steps are list, search, details, pages, picture; · was not asked."

  private static func row(_ source: SurveyedSource) -> String {
    let change = source.change.map { " <i>\($0.rawValue)</i>" } ?? ""
    let cells = [
      "\(MarkupText.escaped(source.id.text))<br><small>\(MarkupText.escaped(source.title.printable(maxCharacters: 200)))</small>",
      MarkupText.escaped(source.locale), MarkupText.escaped(source.family),
      MarkupText.escaped(source.domain),
      "<b class=\"\(source.state.rawValue)\">\(source.state.rawValue)</b>\(change)",
      MarkupText.escaped(source.state == .ok && source.text == "ok" ? "" : source.text),
      "<span class=\"dots\">\(source.steps.map(dot).joined())</span>",
      "<span class=\"dots\">\(source.history.map(dot).joined())</span>",
    ]
    let changed = source.change == nil ? "" : " data-changed"
    let body = cells.dropFirst().map { "<td>\($0)</td>" }.joined()
    return
      "<tr data-state=\"\(source.state.rawValue)\"\(changed)><th scope=\"row\">\(cells[0])</th>\(body)</tr>\n"
  }

  private static func dot(_ step: SurveyStep) -> String {
    let state: SurveyState? =
      switch step.verdict {
      case .ok: .ok
      case .skipped: nil
      case .moved: .moved
      case .fewer: .degraded
      case .challenge, .blocked, .unknown: .unknown
      default: .broken
      }
    let label = MarkupText.escaped("\(step.name.rawValue): \(step.verdict.rawValue), \(step.text)")
    guard let state else { return "<span role=\"img\" aria-label=\"\(label)\" title=\"\(label)\">·</span>" }
    return dot(state, label)
  }

  private static func dot(_ day: SurveyedSource.Day) -> String {
    dot(day.state, "\(day.surveyed): \(day.state.rawValue)")
  }

  private static func dot(_ state: SurveyState, _ label: String) -> String {
    "<b class=\"\(state.rawValue)\" role=\"img\" aria-label=\"\(label)\" title=\"\(label)\">\(mark(state))</b>"
  }

  /// Told apart by shape as well as by colour.
  private static func mark(_ state: SurveyState) -> String {
    switch state {
    case .ok: "●"
    case .degraded: "◐"
    case .broken: "✕"
    case .moved: "➜"
    case .unknown: "?"
    }
  }

  private static let style = """
    :root { color-scheme: light dark; --ok: #176b2c; --degraded: #7a5200; --broken: #b00020; --moved: #1f4fa3;
      --unknown: #595959; }
    @media (prefers-color-scheme: dark) { :root { --ok: #7fd894; --degraded: #f0c060; --broken: #ff8a94;
      --moved: #9dbdf5; --unknown: #b5b5b5; } }
    body { font: 1rem/1.45 system-ui, sans-serif; margin: 1.5rem; }
    form { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; margin: 1rem 0; }
    form[hidden] { display: none; }
    .wide { overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; }
    th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #8886;
      overflow-wrap: anywhere; min-width: 4rem; }
    thead th { position: sticky; top: 0; background: Canvas; overflow-wrap: normal; }
    thead button { font: inherit; font-weight: bold; background: none; border: 0; padding: 0; color: inherit;
      cursor: pointer; text-decoration: underline dotted; }
    .dots { white-space: nowrap; letter-spacing: .1em; }
    .ok { color: var(--ok); } .degraded { color: var(--degraded); } .broken { color: var(--broken); }
    .moved { color: var(--moved); } .unknown { color: var(--unknown); }
    """

  private static let script = """
    (function () {
      "use strict";
      var body = document.querySelector("tbody");
      var rows = Array.prototype.slice.call(body.rows);
      var texts = rows.map(function (row) { return row.textContent.toLowerCase(); });
      var find = document.getElementById("find");
      var state = document.getElementById("state");
      var changed = document.getElementById("changed");
      var count = document.getElementById("count");
      function filter() {
        var wanted = find.value.toLowerCase();
        var shown = 0;
        rows.forEach(function (row, index) {
          var fits = (!wanted || texts[index].indexOf(wanted) >= 0)
            && (!state.value || row.dataset.state === state.value)
            && (!changed.checked || "changed" in row.dataset);
          row.hidden = !fits;
          if (fits) shown += 1;
        });
        count.textContent = shown + " of " + rows.length;
      }
      function key(row, column) { return row.cells[column].textContent; }
      document.querySelectorAll("thead th").forEach(function (head, column) {
        var button = document.createElement("button");
        button.type = "button";
        button.textContent = head.textContent;
        head.textContent = "";
        head.appendChild(button);
        button.addEventListener("click", function () {
          var down = head.getAttribute("aria-sort") === "ascending";
          document.querySelectorAll("thead th").forEach(function (other) { other.removeAttribute("aria-sort"); });
          head.setAttribute("aria-sort", down ? "descending" : "ascending");
          rows.map(function (row, index) { return { row: row, key: key(row, column), index: index }; })
            .sort(function (a, b) {
              var order = a.key < b.key ? -1 : a.key > b.key ? 1 : a.index - b.index;
              return down ? -order : order;
            })
            .forEach(function (entry) { body.appendChild(entry.row); });
        });
      });
      [find, state, changed].forEach(function (field) { field.addEventListener("input", filter); });
      document.getElementById("filters").addEventListener("submit", function (event) { event.preventDefault(); });
      document.getElementById("filters").hidden = false;
      filter();
    })();
    """
}
