import Foundation
import OTATransfer
import TestSupport
import Testing

@Suite("A real server")
struct NginxTests {
  @Test(
    "HTTP/2: whole files, a rest, an unchanged and a missing one share a connection",
    .enabled(if: NginxServer.program != nil, "nginx is not installed"))
  func http2() async throws {
    let tls = try TLSServer.shared.get()
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("ota-root-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: root) }
    let body = patterned(500_000)
    try Data(body).write(to: root.appendingPathComponent("bundle.js"))
    let nginx = try NginxServer(root: root.path, certificatesOf: tls)
    let fetcher = loopbackFetcher { $0.certificateFile = tls.authorityFile }
    let file = nginx.url + "bundle.js"

    try await until {
      await fetcher.failure(FetchRequest(url: nginx.url + "up", maxBytes: 9))?.kind == .notFound
    }
    let first = try await fetcher.fetch(FetchRequest(url: file, maxBytes: 500_000), into: MemorySink())
    let tag = try #require(first.entityTag)
    let sink = RecordingSink(holding: Array(body.prefix(123_456)))
    let rest = FetchRequest(
      url: file, maxBytes: 500_000, resume: ResumePoint(offset: 123_456, validator: tag))
    #expect(try await fetcher.fetch(rest, into: sink).resumedFrom == 123_456)
    #expect(sink.bytes == body)
    let same = try await fetcher.fetch(
      FetchRequest(url: file, maxBytes: 500_000, ifNoneMatch: tag), into: MemorySink())
    #expect(same.status == 304)
    #expect(
      await fetcher.failure(FetchRequest(url: nginx.url + "2.root.json", maxBytes: 9))?.kind == .notFound)

    try await until { nginx.log.count >= 5 }
    let words = nginx.log.map { $0.split(separator: " ") }
    #expect(words.allSatisfy { $0.first == "HTTP/2.0" })
    #expect(Set(words.map { $0[1] }).count == 1)
    #expect(words.map { $0[4] } == ["404", "200", "206", "304", "404"])
  }

  @Test(
    "two files at a time share one connection, side by side over HTTP/2 and in turn over HTTP/1.1",
    .enabled(if: NginxServer.program != nil, "nginx is not installed"), arguments: [true, false])
  func sideBySide(usesHTTP2: Bool) async throws {
    let tls = try TLSServer.shared.get()
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("ota-root-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: root) }
    let body = patterned(300_000)
    for name in ["bundle.js", "sources.json"] { try Data(body).write(to: root.appendingPathComponent(name)) }
    let nginx = try NginxServer(root: root.path, certificatesOf: usesHTTP2 ? tls : nil)
    let fetcher = loopbackFetcher { $0.certificateFile = tls.authorityFile }
    try await until {
      await fetcher.failure(FetchRequest(url: nginx.url + "up", maxBytes: 9))?.kind == .notFound
    }
    async let bundle = fetcher.bytes(nginx.url + "bundle.js")
    async let sources = fetcher.bytes(nginx.url + "sources.json")
    let (one, other) = try await (bundle, sources)
    #expect(one == body && other == body)
    try await until { nginx.log.count >= 3 }
    #expect(Set(nginx.log.map { $0.split(separator: " ")[1] }).count == 1, "\(nginx.log)")
  }

  @Test(
    "N31: the settings for nginx on the page about hosts are good ones, and a fallback to a page is seen",
    .enabled(if: NginxServer.program != nil, "nginx is not installed"))
  func settings() async throws {
    let tls = try TLSServer.shared.get()
    let page = try String(
      contentsOfFile: BuiltProducts.packageRoot()
        + "/Sources/ParserUpdater/ParserUpdater.docc/Hosts.md", encoding: .utf8)
    let documented = try #require(page.firstMatch(of: /(?s)```nginx\n(.*?)```/)).output.1
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("ota-root-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: root.appendingPathComponent("files"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: root) }
    let body = Data(String(repeating: "a text that compresses well\n", count: 400).utf8)
    for name in ["manifest.json", "files/x.js", "index.html"] {
      try body.write(to: root.appendingPathComponent(name))
    }
    let fetcher = loopbackFetcher { $0.certificateFile = tls.authorityFile }
    let good = try NginxServer(root: root.path, certificatesOf: tls, directives: String(documented))
    try await until { (try? await fetcher.bytes(good.url + "manifest.json")) != nil }
    for (path, life) in [("manifest.json", "max-age=60"), ("files/x.js", "max-age=31536000, immutable")] {
      let sink = MemorySink()
      let response = try await fetcher.fetch(
        FetchRequest(url: good.url + path, maxBytes: body.count), into: sink)
      #expect(sink.bytes == Array(body) && response.claimedCoding == nil && response.cacheControl == life)
    }
    for path in ["metadata/2.root.json", "files/none.js"] {
      #expect(await fetcher.failure(FetchRequest(url: good.url + path, maxBytes: 9999))?.status == 404)
    }
    let bad = try NginxServer(
      root: root.path, certificatesOf: tls,
      directives: "location / { try_files $uri /index.html; } gzip on; gzip_types *;")
    try await until { (try? await fetcher.bytes(bad.url + "metadata/2.root.json")) == Array(body) }
  }
}
