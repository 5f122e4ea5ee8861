import Foundation
import TestSupport

/// A site that answers what a site of files cannot: forms, cookies, challenges, silence.
enum ScriptedSite {
  static let binary = Array(UInt8(0x80)...0xFF)
  private static let chapters = try? run(
    "/bin/gzip", ["-c"], stdin: Array("<a class=chapter href=/c/9>Nine</a>".utf8)
  ).stdout

  static func start() throws -> LoopbackServer { try LoopbackServer { respond($0) } }

  /// The sources of this site, by what is odd about them.
  static func sources(_ server: LoopbackServer) -> [ReaderSource] {
    let domain = "127.0.0.1:\(server.port)"
    let odd = ["GONE", "CHALLENGE", "HUGE", "HANG", "BINARY"].map { id in
      ReaderSource(
        id: id, domain: domain, overrides: ["scheme": "http", "listPath": "/\(id.lowercased())"])
    }
    return odd + [
      ReaderSource(id: "READER", domain: domain, overrides: ["scheme": "http"]),
      ReaderSource(id: "FORM", domain: domain, family: "FormParser", overrides: ["scheme": "http"]),
      ReaderSource(id: "BROKEN", domain: domain, family: "BrokenParser", overrides: ["scheme": "http"]),
    ]
  }

  private static func respond(_ request: HTTPRequest) -> HTTPReply {
    switch request.path {
    case "/list": return page("<a class=work href=/m/1>One</a><a class=work href=/m/2>Two</a>")
    case "/search": return page("<a class=work href=/m/1>\(request.target)</a>")
    case "/m/1", "/m/2":
      let chapters = "<h1>A work</h1><a class=chapter href=/c/1>1</a><a class=chapter href=/c/2>2</a>"
      return page(chapters, ["Set-Cookie": "pass=abc; Path=/; HttpOnly"])
    case "/c/1", "/c/2", "/c/9": return page("<img class=page src=/i/1.png><img class=page src=/i/2.png>")
    case "/ajax/chapters": return form(request)
    case "/challenge":
      return .status(503, Array("<title>Just a moment...</title>".utf8), ["Server": "cloudflare"])
    case "/huge": return .endless(Array(repeating: UInt8(ascii: "x"), count: 65_536))
    case "/hang": return .silent
    case "/binary":
      return .ok(
        Array("<a class=work href=/b>".utf8) + binary + Array("</a>".utf8),
        contentType: "text/html; charset=x-user-defined")
    default: return .notFound
    }
  }

  private static func page(_ html: String, _ headers: [String: String] = [:]) -> HTTPReply {
    .ok(Array(html.utf8), contentType: "text/html; charset=utf-8", headers: headers)
  }

  /// The chapters, for a form as a page of the site would send it.
  private static func form(_ request: HTTPRequest) -> HTTPReply {
    let fields = request.headers
    guard request.method == "POST", request.body.starts(with: Array("id=%2Fm%2F".utf8)),
      fields["cookie"] == "pass=abc", fields["x-requested-with"] == "XMLHttpRequest",
      fields["x-extra"] == "yes",
      fields["content-type"]?.hasPrefix("application/x-www-form-urlencoded") == true,
      fields["origin"] == fields["referer"].map({ String($0.dropLast()) })
    else { return .status(403) }
    return .ok(chapters ?? [], contentType: "text/html", headers: ["Content-Encoding": "gzip"])
  }
}
