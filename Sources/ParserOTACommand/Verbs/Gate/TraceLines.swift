internal import OTAManifest
internal import ParserEngine
internal import ParserPages

/// How requests and logged lines are shown while a parser runs.
enum TraceLines {
  /// A request in one line: what was asked, what came, how large and how long.
  static func line(_ trace: PageTrace) -> String {
    let request = "\(trace.request.method) \(trace.request.url.printable(maxCharacters: 500))"
    let milliseconds = trace.duration / .milliseconds(1)
    let time = "\(Int(milliseconds.rounded())) ms"
    switch trace.answer {
    case .fault(let fault):
      return "\(request)  no page: \(fault.message.printable()) [\(fault.code)]  \(time)"
    case .page(let page):
      let charset = page.charset.map { "  \($0)" } ?? ""
      let moved =
        page.finalURL == trace.request.url ? "" : "  from \(page.finalURL.printable(maxCharacters: 500))"
      return "\(request)  \(page.status)  \(page.body.count) bytes  \(time)\(charset)\(moved)"
    }
  }

  static func line(_ log: LogLine) -> String {
    "console.\(log.level): \(log.text.printable(maxCharacters: 500))"
  }
}
