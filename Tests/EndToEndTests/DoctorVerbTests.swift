import Foundation
import TestSupport
import Testing

/// Hosts with a habit, and what the doctor says of each: one code, whom it hurts, and what to change.
@Suite(.ownThreads) struct DoctorVerbTests {
  private typealias Answer = @Sendable (_ request: HTTPRequest, _ file: [UInt8]?) -> HTTPReply?

  /// The least that a host does right, so that only the habit is found.
  private static func good(_ request: HTTPRequest, _ file: [UInt8]?) -> HTTPReply {
    guard let file else { return .notFound }
    let isFile = request.path.hasPrefix("/files/")
    let fields = [
      "ETag": "\"\(file.count)\"", "Access-Control-Allow-Origin": "*",
      "Cache-Control": isFile ? "max-age=31536000, immutable" : "no-cache",
      "Content-Type": request.path.hasSuffix(".js") ? "text/javascript" : "application/json",
    ]
    if request.headers["if-none-match"] == fields["ETag"] { return .status(304, [], fields) }
    if let range = request.headers["range"], range == "bytes=16-31", file.count > 32 {
      var part = fields
      part["Content-Range"] = "bytes 16-31/\(file.count)"
      return .status(206, Array(file[16...31]), part)
    }
    return .status(200, file, fields)
  }

  private static func changed(_ reply: HTTPReply, _ name: String, _ value: String?) -> HTTPReply {
    var reply = reply
    var lines = String(decoding: reply.head, as: UTF8.self).components(separatedBy: "\r\n").filter {
      !$0.lowercased().hasPrefix(name.lowercased() + ":")
    }
    if let value { lines.insert("\(name): \(value)", at: 1) }
    reply.head = Array(lines.joined(separator: "\r\n").utf8)
    return reply
  }

  private static func label(_ request: HTTPRequest, _ file: [UInt8]?) -> HTTPReply? {
    file.map { changed(good(request, $0), "Content-Encoding", "br") }
  }

  private static func closed(_ request: HTTPRequest, _ file: [UInt8]?) -> HTTPReply? {
    file.map { changed(good(request, $0), "Access-Control-Allow-Origin", nil) }
  }

  private static let page = Array("<!doctype html><title>App</title>".utf8)

  /// A habit, and the code that names it.
  private static let habits: [String: (code: String, answer: Answer)] = [
    "a page for what is not there": (
      "host-answers-everything", { _, file in file == nil ? .ok(page, contentType: "text/html") : nil }
    ),
    "401 for what is not there": ("missing-refused", { _, file in file == nil ? .status(401) : nil }),
    "minified scripts": (
      "transformed",
      { request, file in
        guard request.path.hasSuffix(".js"), let file else { return nil }
        return good(request, file.filter { $0 != 0x0A })
      }
    ),
    "an added script": (
      "transformed",
      { request, file in
        guard request.path.hasSuffix(".js"), let file else { return nil }
        return good(request, file + Array("/* cf */".utf8))
      }
    ),
    "a wrong label": (
      "wrong-encoding-label",
      { label($0, $1) }
    ),
    "compressed scripts": (
      "unasked-encoding",
      { request, file in
        guard request.path.hasSuffix(".js"), file != nil else { return nil }
        return .ok([0x1F, 0x8B, 8, 0, 1, 2, 3], headers: ["Content-Encoding": "gzip"])
      }
    ),
    "pages as the type": (
      "wrong-type", { request, file in file.map { changed(good(request, $0), "Content-Type", "text/html") } }
    ),
    "a pointer for a day": (
      "cached-too-long",
      { request, file in
        request.path == "/manifest.json"
          ? file.map { changed(good(request, $0), "Cache-Control", "max-age=86400") } : nil
      }
    ),
    "files that are not cached": (
      "not-cached", { request, file in file.map { changed(good(request, $0), "Cache-Control", "no-cache") } }
    ),
    "an old copy": (
      "old-copy",
      { request, file in
        request.path == "/manifest.json" ? file.map { changed(good(request, $0), "Age", "1200") } : nil
      }
    ),
    "no ranges": (
      "no-ranges",
      { request, file in
        file.map {
          good(HTTPRequest(method: request.method, target: request.target), $0)
        }
      }
    ),
    "no entity tags": (
      "no-conditional-requests", { request, file in file.map { changed(good(request, $0), "ETag", nil) } }
    ),
    "a redirect": (
      "redirected",
      { request, file in
        file != nil && !request.target.contains("?") ? .redirect(to: request.path + "?v=1") : nil
      }
    ),
    "a clock that is off": (
      "clock-differs",
      { request, file in
        file.map { changed(good(request, $0), "Date", "Sun, 06 Nov 1994 08:49:37 GMT") }
      }
    ),
    "nothing for other sites": (
      "no-cors",
      { closed($0, $1) }
    ),
    "status 203": ("odd-status", { request, file in file.map { .status(203, $0) } }),
  ]

  private func withHost(
    _ answer: @escaping Answer, _ body: (Playground, LoopbackServer) throws -> Void
  ) throws {
    try withPlayground { playground in
      try playground.makeSignedFeed()
      let root = playground.path("signed")
      let host = try LoopbackServer { request in
        let file = FileManager.default.contents(atPath: root + request.path).map { Array($0) }
        return answer(request, file) ?? Self.good(request, file)
      }
      defer { host.stop() }
      try body(playground, host)
    }
  }

  @Test("a good host: nothing to change")
  func good() throws {
    try withHost({ _, _ in nil }) { playground, host in
      let answer = try playground.tool.json(
        "doctor --feed \(host.url) --root signed/metadata/1.root.json")
      #expect(answer.code == "sound" && answer.list("findings").isEmpty, "\(answer.answer)")
      #expect(answer.string("expires.timestamp")?.hasSuffix("Z") == true)
      #expect(answer.number("wireBytes.manifest.json") == nil && answer.value("wireBytes") != nil)
    }
  }

  @Test("N31-N34: each habit has its code, whom it hurts, and a remedy", arguments: habits.keys.sorted())
  func habit(name: String) throws {
    let (code, answer) = try #require(Self.habits[name])
    try withHost(answer) { playground, host in
      let said = try playground.tool(["doctor", "--feed", host.url, "--json"])
      let report = try JSONAnswer(said)
      let findings = report.list("findings").compactMap { $0 as? [String: Any] }
      let found = try #require(findings.first { $0["code"] as? String == code }, "\(said)")
      for key in ["hurts", "remedy", "message", "place", "severity"] {
        #expect((found[key] as? String)?.isEmpty == false, "\(key)")
      }
      let isError = found["severity"] as? String == "error"
      #expect(isError == (said.code == 1) || findings.count > 1, "\(said)")
    }
  }

  @Test("a host that is not there, and an address without a feed, are failures with their codes")
  func nothing() throws {
    try withHost({ _, file in file == nil ? nil : .notFound }) { playground, host in
      let missing = try playground.tool.json("doctor --feed \(host.url)", status: 4)
      #expect(missing.code == "not-found")
      host.stop()
      let gone = try playground.tool.json("doctor --feed \(host.url)", status: 4)
      #expect(gone.code == "refused")
    }
  }

  @Test("a mirror that lags is named, and one that is gone")
  func mirrors() throws {
    try withHost({ _, _ in nil }) { playground, host in
      try playground.copy("signed", to: "old")
      try playground.must(
        "publish --feed signed --bundle bundle-3.js --sources sources.json --release-key release.pem")
      let old = playground.path("old")
      let mirror = try LoopbackServer { request in
        Self.good(request, FileManager.default.contents(atPath: old + request.path).map { Array($0) })
      }
      defer { mirror.stop() }
      let answer = try playground.tool.json("doctor --feed \(host.url) --mirror \(mirror.url)")
      #expect(answer.string("findings.0.code") == "mirror-stale", "\(answer.answer)")
    }
  }

  @Test("before it is deployed, a folder is looked at for what hosts need")
  func folder() throws {
    try withPlayground { playground in
      try playground.makeSignedFeed()
      #expect(try playground.tool.json("doctor --feed signed").list("findings").isEmpty)
      try playground.remove("signed/404.html")
      let answer = try playground.tool.json("doctor --feed signed")
      #expect(answer.string("findings.0.code") == "no-missing-page", "\(answer.answer)")
    }
  }
}
