import OTAFeed
import OTAManifest
import ParserUpdater
import Synchronization
import TestSupport
import Testing
import UpdaterTestSupport

/// The whole way over HTTP, with the real fetcher and a small server on this machine.
@Suite("Over HTTP")
struct LoopbackTests {
  private typealias Answer = @Sendable (HTTPRequest, [UInt8]?) -> HTTPReply?

  /// A device, and a server that serves the feed in a folder unless `answer` says otherwise.
  private func withServer(
    _ answer: @escaping Answer = { _, _ in nil }, mode: TrustMode = .checksumsOnly,
    _ body: (Device, LoopbackServer, FeedLocation) async throws -> Void
  ) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    device.configuration.allowsPlainHTTPOnLoopback = true
    let root = device.home.path("feed")
    let server = try LoopbackServer { request in
      let file = content(root + request.path)
      if let reply = answer(request, file) { return reply }
      return file.map { .ranged($0, request) } ?? .notFound
    }
    defer { server.stop() }
    try await body(device, server, try FeedLocation(server.url))
  }

  private func publish(_ device: Device, _ version: Int64) throws {
    try device.feed.publish(version)
    device.feed.write(to: device.home.path("feed"))
  }

  @Test("a release comes over HTTP: three requests on one connection, one for a check")
  func wholeWay() async throws {
    try await withServer { device, server, location in
      try publish(device, 31)
      let updater = device.updater(location)
      #expect(try await updater.check() == .available(.number(31), notes: nil))
      #expect(server.requests.map(\.path) == ["/manifest.json"])
      #expect(try await updater.update() == .staged(.number(31)))
      #expect(server.requests.count == 4 && Set(server.requests.map(\.connection)) == [1])
      #expect(device.launch().version == 31)
    }
  }

  @Test(
    "a signed release comes over one connection; a check with nothing new is two requests and writes nothing")
  func signed() async throws {
    try await withServer(mode: .signed) { device, server, location in
      try publish(device, 31)
      let updater = device.updater(location)
      #expect(try await updater.update() == .staged(.number(31)))
      #expect(server.requests.count == 8 && Set(server.requests.map(\.connection)) == [1])
      device.launchAndConfirm()
      let before = Inventory(device.store)
      #expect(try await device.updater(location).check() == .upToDate(.number(31)))
      let check = server.requests.dropFirst(8)
      #expect(check.map(\.path) == ["/metadata/2.root.json", "/metadata/timestamp.json"])
      #expect(Set(check.map(\.connection)).count == 1)
      #expect(Inventory(device.store) == before)
    }
  }

  @Test("a signed feed in a folder works as one behind a server does")
  func signedFolder() async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(.signed))
    try publish(device, 31)
    let location = FeedLocation.directory(device.home.path("feed"))
    #expect(try await device.updater(location).check() == .available(.number(31), notes: nil))
    #expect(try await device.updater(location).update() == .staged(.number(31)))
    #expect(device.launchAndConfirm() == 31)
    #expect(try await device.updater(location).check() == .upToDate(.number(31)))
  }

  @Test(
    "a manifest in the old shape with absolute addresses is taken over loopback http when that is allowed")
  func oldShape() async throws {
    try await withServer { device, server, location in
      let release = try SampleRelease(31)
      let root = device.home.path("feed")
      plant(release.bundle, at: "\(root)/parsers.bundle.js")
      plant(release.sources, at: "\(root)/sources.json")
      let (bundle, sources) = (release.manifest.bundle, release.manifest.sources)
      plant(
        """
        {"version":31,"bundle":{"url":"\(server.url)parsers.bundle.js","sha256":"\(bundle.sha256)",
        "bytes":\(bundle.bytes)},"sources":{"url":"\(server.url)sources.json","sha256":"\(sources.sha256)",
        "bytes":\(sources.bytes)}}
        """, at: "\(root)/manifest.json")
      #expect(try await device.updater(location).update() == .staged(.number(31)))
      #expect(device.launch().version == 31)
    }
  }

  @Test("plain http is refused without that option, before any request")
  func plainHTTPRefused() async throws {
    try await withServer { device, server, location in
      try publish(device, 31)
      device.configuration.allowsPlainHTTPOnLoopback = false
      let problem = await problem { _ = try await device.updater(location).update() }
      #expect(problem?.code == .forbiddenURL && problem?.advice?.contains("--allow-http-loopback") == true)
      #expect(server.requests == [])
      let remote = try FeedLocation("http://feed.example/")
      device.configuration.allowsPlainHTTPOnLoopback = true
      #expect(
        await ParserUpdaterTests.problem { _ = try await device.updater(remote).check() }?.code
          == .forbiddenURL)
    }
  }

  @Test("plain http to another host is refused for the files too, although the feed is on loopback")
  func artifactElsewhere() async throws {
    try await withServer { device, server, location in
      let release = try SampleRelease(31) { manifest in
        manifest.bundle = Artifact(
          location: try ArtifactLocation("http://cdn.example/b.js"), sha256: manifest.bundle.sha256,
          bytes: manifest.bundle.bytes)
      }
      plant(release.bytes, at: device.home.path("feed/manifest.json"))
      let problem = await problem { _ = try await device.updater(location).update() }
      #expect(problem?.code == .forbiddenURL)
      #expect(server.requests.map(\.path) == ["/manifest.json"])
    }
  }

  @Test(
    "B17: the content type decides nothing",
    arguments: [nil, "text/plain", "text/html", "application/xml", "application/octet-stream"])
  func contentType(type: String?) async throws {
    try await withServer({ _, file in file.map { .ok($0, contentType: type) } }) { device, _, location in
      try publish(device, 31)
      #expect(try await device.updater(location).update() == .staged(.number(31)))
      #expect(device.launch().version == 31)
    }
  }

  @Test(
    "B17: a login page for each of the three files is soft, and the next update goes through",
    arguments: 0..<3)
  func loginPage(file: Int) async throws {
    let open = Mutex(false)
    let page = Array("<!doctype html>\n<title>Wi-Fi login</title>".utf8)
    let answer: Answer = { request, _ in
      let names = ["manifest.json", ".parsers.bundle.js", ".sources.json"]
      guard !open.withLock({ $0 }), request.path.hasSuffix(names[file]) else { return nil }
      return .ok(page, contentType: "text/html")
    }
    try await withServer(answer) { device, _, location in
      try publish(device, 31)
      let problem = await problem { _ = try await device.updater(location).update() }
      #expect(problem?.code == .htmlInstead && problem?.kept != nil)
      #expect(device.launch().version == 30)
      open.withLock { $0 = true }
      #expect(try await device.updater(location).update() == .staged(.number(31)))
    }
  }

  @Test(
    "B92: a manifest that is gone or forbidden keeps what is there", arguments: [404, 403, 410, 500, 503])
  func gone(status: Int) async throws {
    let broken = Mutex(false)
    let answer: Answer = { _, _ in
      broken.withLock { $0 } ? .status(status, Array("<Error><Code>AccessDenied</Code></Error>".utf8)) : nil
    }
    try await withServer(answer) { device, _, location in
      try publish(device, 31)
      _ = try await device.updater(location).update()
      device.launchAndConfirm()
      broken.withLock { $0 = true }
      let problem = await problem { _ = try await device.updater(location).update() }
      let codes: [Int: ProblemCode] = [403: .forbidden, 404: .notFound, 410: .notFound]
      #expect(problem?.code == codes[status] ?? .serverError && problem?.kept != nil)
      #expect(try device.updater().status().lastProblem?.code == problem?.code.rawValue)
      #expect(device.launch().version == 31)
    }
  }

  @Test("an interrupted download goes on with a range, whatever the host makes of it", arguments: 0..<3)
  func resume(host: Int) async throws {
    let first = Mutex(true)
    let answer: Answer = { request, file in
      guard request.path.hasSuffix(".js"), let file else { return nil }
      let isFirst = first.withLock { first in
        defer { first = false }
        return first
      }
      if isFirst { return .dropped(file, after: 1234) }
      switch host {
      case 0: return nil
      case 1: return .ok(file)
      default: return request.rangeStart == nil ? nil : .status(416, Array("<html>no</html>".utf8))
      }
    }
    try await withServer(answer) { device, server, location in
      try publish(device, 31)
      let updater = device.updater(location)
      #expect(await problem { _ = try await updater.update() }?.code == .truncated)
      #expect(try await updater.update() == .staged(.number(31)))
      let ranges = server.requests.filter { $0.path.hasSuffix(".js") }.map(\.rangeStart)
      #expect(ranges == (host == 2 ? [nil, 1234, nil] : [nil, 1234]))
      #expect(device.launch().release.bundle == SampleRelease.Content(of: 31).bundle)
    }
  }

  @Test("B73: a slow and steady download completes, with progress up to the end")
  func slow() async throws {
    let answer: Answer = { request, file in
      guard request.path.hasSuffix(".js"), let file else { return nil }
      return .slow(file, bytesPerStep: 100, every: 20)
    }
    try await withServer(answer) { device, _, location in
      try publish(device, 31)
      let most = Mutex<[String: Int64]>([:])
      let result = try await device.updater(location).update { step in
        guard case .downloading(let name, let received, let total) = step else { return }
        most.withLock { $0[name] = max($0[name] ?? 0, received * 100 / total) }
      }
      #expect(result == .staged(.number(31)))
      #expect(most.withLock { $0 } == ["parsers.bundle.js": 100, "sources.json": 100])
    }
  }

  @Test("a cancelled download ends at once, although the server is silent")
  func cancelled() async throws {
    let running = Mutex<Task<UpdateResult, any Error>?>(nil)
    let answer: Answer = { request, file in
      guard request.path.hasSuffix(".js"), let file else { return nil }
      // From the server's own thread, so that a busy test run cannot come too late.
      running.withLock { $0?.cancel() }
      return .stalled(file, after: 500)
    }
    try await withServer(answer) { device, _, location in
      try publish(device, 31)
      let updater = device.updater(location)
      let task = running.withLock { running in
        let task = Task { try await updater.update() }
        running = task
        return task
      }
      // Without the cancellation it would end by the rule on stalled transfers, with another code.
      #expect(await problem { _ = try await task.value }?.code == .cancelled)
      #expect(device.launch().version == 30)
    }
  }

  @Test("B46: with a feed that nobody serves a launch is the embedded pair, and only the check fails")
  func nobodyThere() async throws {
    let device = try Device(embedded: 30)
    device.configuration.allowsPlainHTTPOnLoopback = true
    let server = try LoopbackServer { _ in .notFound }
    server.stop()
    let location = try FeedLocation(server.url)
    let launch = device.launch()
    #expect(launch.version == 30 && launch.release.notes == [])
    #expect(await problem { _ = try await device.updater(location).check() }?.code == .refused)
  }

  @Test("a feed in a folder works with absolute addresses, and with relative ones")
  func folder() async throws {
    for absolute in [false, true] {
      let device = try Device(embedded: 30)
      let root = device.home.path("feed")
      let release = try SampleRelease(31) { manifest in
        guard absolute else { return }
        let (bundle, sources) = (manifest.bundle, manifest.sources)
        manifest.bundle = Artifact(
          location: try ArtifactLocation("https://u.example/parsers/" + bundle.location.text),
          sha256: bundle.sha256, bytes: bundle.bytes)
        manifest.sources = Artifact(
          location: try ArtifactLocation("https://u.example/parsers/" + sources.location.text),
          sha256: sources.sha256, bytes: sources.bytes)
      }
      let plain = try SampleRelease(31)
      plant(release.bytes, at: "\(root)/manifest.json")
      plant(release.bundle, at: "\(root)/\(plain.bundlePath)")
      plant(release.sources, at: "\(root)/\(plain.sourcesPath)")
      #expect(try await device.updater(.directory(root)).update() == .staged(.number(31)))
      #expect(device.launch().version == 31)
    }
  }
}
