import Foundation
import TestSupport
import Testing

/// Check 3 of the contract: clients that know only the oldest form of the manifest, and feeds that only have that.
@Suite(.ownThreads) struct OldClientTests {
  /// Knows version, url, sha256 and bytes, wants absolute URLs, and shares no code with ours.
  private static let client = """
    import hashlib, json, sys, urllib.request
    def get(url):
        if not url.startswith(('http://', 'https://')): sys.exit('not an absolute URL: ' + url)
        with urllib.request.urlopen(url, timeout=10) as answer: return answer.read()
    manifest = json.loads(get(sys.argv[1]))
    if type(manifest['version']) is not int: sys.exit('the version is no integer')
    for name in 'bundle', 'sources':
        part = manifest[name]
        data = get(part['url'])
        if len(data) != part['bytes']: sys.exit(name + ' has another size')
        if hashlib.sha256(data).hexdigest() != part['sha256']: sys.exit(name + ' has another digest')
        print(name, hashlib.sha256(data).hexdigest())
    print('version', manifest['version'])
    """

  private func oldClient(_ url: String) throws -> ChildResult {
    try run(
      "/usr/bin/python3", ["-c", Self.client, url + "manifest.json"], environment: Tool.bareEnvironment)
  }

  @Test("check 3: an old client takes a release of a feed with a base URL, and the next one")
  func oldClientTakesOurs() throws {
    try withPlayground { playground in
      let root = playground.path("feed")
      let server = try LoopbackServer { .directory(root, $0) }
      defer { server.stop() }
      try playground.makeFeed("--base-url \(server.url)")
      for number in 1...2 {
        try playground.publish(number)
        let result = try oldClient(server.url)
        #expect(result.status == .exited(0), "\(result.errors)")
        let digest = try run("/usr/bin/sha256sum", [playground.path("bundle-\(number).js")]).output.prefix(64)
        #expect(result.output.contains("bundle \(digest)\n"))
        #expect(result.output.hasSuffix("version \(number)\n"))
      }
      try playground.must("rollback --feed feed --yes")
      let result = try oldClient(server.url)
      #expect(result.output.hasSuffix("version 3\n"), "\(result.output) \(result.errors)")
      try playground.must("verify --feed \(server.url) --allow-http-loopback")
    }
  }

  @Test("check 3: without a base URL the URLs are relative, which such a client refuses: the probe can fail")
  func relative() throws {
    try withPlayground { playground in
      let root = playground.path("feed")
      let server = try LoopbackServer { .directory(root, $0) }
      defer { server.stop() }
      try playground.makeFeed()
      try playground.publish(1)
      let result = try oldClient(server.url)
      #expect(result.errors.contains("not an absolute URL"), "\(result.output) \(result.errors)")
    }
  }

  @Test("check 3: our device updates from a feed in exactly the old form, and the publisher takes it over")
  func oldFeed() throws {
    try withPlayground { playground in
      let root = playground.path("old")
      let server = try LoopbackServer { .directory(root, $0) }
      defer { server.stop() }
      func serve(_ version: Int, _ bundle: String) throws {
        func part(_ file: String, _ name: String) throws -> String {
          try playground.write("old/\(name)", playground.read(file))
          let digest = try run("/usr/bin/sha256sum", [playground.path(file)]).output.prefix(64)
          return """
            { "url": "\(server.url)\(name)", "sha256": "\(digest)", "bytes": \(try playground.read(file).count) }
            """
        }
        let parts = (try part(bundle, "parsers.bundle.js"), try part("sources.json", "sources.json"))
        try playground.write(
          "old/manifest.json",
          "{\n  \"version\": \(version),\n  \"bundle\": \(parts.0),\n  \"sources\": \(parts.1)\n}\n")
      }
      try playground.makeApp()
      try serve(37, "bundle-2.js")
      try playground.initDevice(feed: server.url, "--allow-http-loopback")
      let update = try playground.tool.json("device update --store store")
      #expect(update.code == "staged")
      #expect(update.number("version") == 37)
      #expect(
        try playground.must("device activate --store store --print bundle").result.stdout
          == playground.read("bundle-2.js"))
      try playground.must("device confirm --store store")
      try serve(38, "bundle-3.js")
      #expect(try playground.tool.json("device update --store store").number("version") == 38)

      let adopted = try playground.tool.json(
        "init --feed new --checksums-only --adopt \(server.url) --base-url \(server.url) --allow-http-loopback"
      )
      #expect(adopted.number("adopted") == 38)
      let next = try playground.tool.json(
        "publish --feed new --bundle bundle-4.js --sources sources.json")
      #expect(next.number("version") == 39)
      try playground.must("verify --feed new")
    }
  }

  @Test(
    "D1: an old client never fails while its feed is taken over, published to and rolled back, and a new device follows",
    arguments: [true, false])
  func takenOver(isSigned: Bool) throws {
    try withPlayground { playground in
      try playground.makeSignedFeed()
      let root = playground.path("live")
      let server = try LoopbackServer { .directory(root, $0) }
      defer { server.stop() }
      try playground.writeOldFeed("live", version: 28, bundle: "bundle-1.js", address: server.url)
      let before = try playground.read("live/manifest.json")
      let signing = isSigned ? "--release-key release.pem" : ""
      let trust = isSigned ? "--root-key root.pem \(signing)" : "--checksums-only"
      let adopted = try playground.tool.json(
        "init --feed new --adopt \(server.url) --allow-http-loopback \(trust)")
      #expect(adopted.number("adopted") == 28 && adopted.number("oldNamesUntil") == 31)
      #expect(adopted.list("oldNames").count == 2)
      func deploy(_ version: Int) throws {
        try playground.remove("live")
        try playground.copy("new", to: "live")
        #expect(try oldClient(server.url).output.hasSuffix("version \(version)\n"))
        // Who read the old manifest before the switch.
        try playground.write("live/before/manifest.json", before)
        let late = try oldClient(server.url + "before/")
        #expect(late.output.hasSuffix("version 28\n"), "\(late.output) \(late.errors)")
        try playground.remove("live/before")
        let rootFile = isSigned ? "--root live/metadata/1.root.json" : ""
        try playground.must("verify --feed \(server.url) --allow-http-loopback \(rootFile)")
        try playground.must("verify --feed new")
      }
      try deploy(28)
      try playground.must("publish --feed new --bundle bundle-2.js --sources sources.json \(signing)")
      try deploy(29)
      try playground.must("rollback --feed new --yes \(signing)")
      try deploy(30)
      let listed = try playground.tool.json("releases --feed \(server.url) --allow-http-loopback")
      #expect(listed.list("releases").count == 3)
    }
  }

  @Test("check 3: plain http to this machine needs a word, and plain http elsewhere is refused, with a hint")
  func plainHTTP() throws {
    try withPlayground { playground in
      try playground.makeApp()
      let line = "device init --store store --checksums-only --embedded app --feed"
      let loopback = try playground.tool.json("\(line) http://127.0.0.1:8080/", status: 2)
      #expect(loopback.code == "forbidden-url")
      #expect(loopback.string("hint")?.contains("--allow-http-loopback") == true)
      let remote = try playground.tool.json(
        "\(line) http://parsers.example/ --allow-http-loopback", status: 2)
      #expect(remote.code == "forbidden-url")
      #expect(remote.string("hint")?.contains("https") == true)
      for line in [
        "verify --feed http://127.0.0.1:9/", "init --feed x --checksums-only --adopt http://127.0.0.1:9/",
      ] {
        let answer = try playground.tool.json(line, status: 3)
        #expect(answer.string("hint")?.contains("--allow-http-loopback") == true, "\(answer.answer)")
      }
    }
  }
}

extension Playground {
  /// Writes a feed as it was before this tool, with absolute addresses.
  fileprivate func writeOldFeed(_ folder: String, version: Int, bundle: String, address: String) throws {
    func part(_ file: String, _ name: String) throws -> String {
      try write("\(folder)/\(name)", read(file))
      let digest = try run("/usr/bin/sha256sum", [path(file)]).output.prefix(64)
      return
        "{ \"url\": \"\(address)\(name)\", \"sha256\": \"\(digest)\", \"bytes\": \(try read(file).count) }"
    }
    let parts = (try part(bundle, "parsers.bundle.js"), try part("sources.json", "sources.json"))
    try write(
      "\(folder)/manifest.json",
      "{ \"version\": \(version), \"bundle\": \(parts.0), \"sources\": \(parts.1) }")
  }
}
