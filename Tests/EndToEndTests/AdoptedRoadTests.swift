import Foundation
import TestSupport
import Testing

/// The road of a maintainer with a live feed of 28 releases, by hand, while old clients poll a real nginx all the time.
@Suite(.ownThreads, .enabled(if: NginxServer.program != nil, "nginx is not installed"))
struct AdoptedRoadTests {
  @Test(
    "D1: take over, deploy, publish, roll back, rotate a key, publish: an old client that polls never fails",
    arguments: [true, false])
  func adopted(isSigned: Bool) throws {
    try withPlayground { playground in
      let road = try AdoptedRoad(playground, isSigned: isSigned)
      try road.client.expect(28)
      try road.adopt()
      try road.deploy(live: 28)
      try road.publish(29)
      try road.deploy(live: 29)
      try playground.must("rollback --feed feed --yes\(road.key)")
      try road.deploy(live: 30)
      if isSigned { try road.rotate() }
      try road.publish(31)
      try road.deploy(live: 31)
      try road.client.end()
    }
  }
}

/// A feed as an old publisher made it, nginx in front of it, and an old client that never stops asking.
private final class AdoptedRoad {
  let client: PollingClient
  /// What signs, as words of a command line.
  private(set) var key = ""
  private let playground: Playground
  private let server: NginxServer
  private let isSigned: Bool
  private var releaseKeyID = ""
  private var deploys = 0

  init(_ playground: Playground, isSigned: Bool) throws {
    self.playground = playground
    self.isSigned = isSigned
    try FileManager.default.createDirectory(
      atPath: playground.path("host-0"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: playground.path("www"), withDestinationPath: "host-0")
    server = try NginxServer(root: playground.path("www"))
    try Self.oldFeed(playground, server.url)
    client = try PollingClient(server.url)
    guard isSigned else { return }
    for name in ["root", "next"] { try playground.must("key generate --out \(name).pem") }
    releaseKeyID = try #require(playground.tool.json("key generate --out release.pem").string("keyID"))
    key = " --release-key release.pem"
  }

  /// Absolute addresses, three fields, pretty-printed: as real feeds are.
  private static func oldFeed(_ playground: Playground, _ url: String) throws {
    let release = try SyntheticRelease(28)
    func part(_ name: String, _ bytes: [UInt8]) throws -> String {
      try playground.write("host-0/\(name)", bytes)
      let digest = try run("/usr/bin/sha256sum", [playground.path("host-0/\(name)")]).output.prefix(64)
      return #"{ "url": "\#(url)\#(name)", "sha256": "\#(digest)", "bytes": \#(bytes.count) }"#
    }
    let parts = (
      try part("parsers.bundle.js", release.bundle), try part("sources.json", release.sources)
    )
    try playground.write(
      "host-0/manifest.json",
      "{\n  \"version\": 28,\n  \"bundle\": \(parts.0),\n  \"sources\": \(parts.1)\n}\n")
  }

  func adopt() throws {
    let trust = isSigned ? "--root-key root.pem --release-key release.pem" : "--checksums-only"
    let adopted = try playground.tool.json(
      "init --feed feed --adopt \(server.url) --base-url \(server.url) \(trust) --allow-http-loopback")
    #expect(adopted.number("adopted") == 28)
    try playground.must("verify --feed feed")
  }

  func publish(_ number: Int) throws {
    let release = try SyntheticRelease(number)
    try playground.write("b.js", release.bundle)
    try playground.write("s.json", release.sources)
    let answer = try playground.tool.json("publish --feed feed --bundle b.js --sources s.json\(key)")
    #expect(answer.number("version") == number)
  }

  /// The old release key is there, and signs along.
  func rotate() throws {
    try playground.must(
      "key rotate --feed feed --role release --from \(releaseKeyID) --to-public next.pem.pub --root-key root.pem"
        + " --release-key release.pem --release-key next.pem")
    key = " --release-key next.pem"
  }

  /// Puts the folder in the place of what nginx serves, in one moment; then everybody must see the release.
  func deploy(live version: Int) throws {
    deploys += 1
    let script = """
      cp -r feed host-\(deploys) && ln -s host-\(deploys) next-www && mv -T next-www www
      """
    let result = try playground.tool.shell(script)
    #expect(result.status == .exited(0), "\(result.errors)")
    try client.expect(version)
    let root = isSigned ? " --root host-1/metadata/1.root.json" : ""
    try playground.must("verify --feed \(server.url) --allow-http-loopback\(root)")
    for store in ["kept", "fresh-\(deploys)"] { try expectDevice(store, version) }
  }

  private func expectDevice(_ store: String, _ version: Int) throws {
    if !FileManager.default.fileExists(atPath: playground.path(store)) {
      if !FileManager.default.fileExists(atPath: playground.path("app")) {
        try playground.must("embed --feed feed --out app")
      }
      let trust = isSigned ? "--root host-1/metadata/1.root.json" : "--checksums-only"
      try playground.must(
        "device init --store \(store) --feed \(server.url) --embedded app --allow-http-loopback \(trust)")
    }
    try playground.must("device update --store \(store)")
    let launch = try playground.tool.json("device activate --store \(store)")
    #expect(launch.number("version") == version, "\(store): \(launch.answer)")
    try playground.must("device confirm --store \(store)")
  }
}

/// An old client in a process of its own, which knows only version, bundle and sources and never stops asking.
private final class PollingClient {
  private let child: ChildProcess

  private static let program = """
    import hashlib, json, select, sys, urllib.request
    def get(url):
        with urllib.request.urlopen(url, timeout=20) as answer: return answer.read()
    def parts(manifest): return [manifest[name] for name in ('bundle', 'sources')]
    def take(part):
        data = get(part['url'])
        if len(data) != part['bytes'] or hashlib.sha256(data).hexdigest() != part['sha256']:
            raise ValueError(part['url'] + ' has other bytes than its manifest says')
    first, last = None, 0
    while not select.select([sys.stdin], [], [], 0.005)[0]:
        try:
            manifest = json.loads(get(sys.argv[1] + 'manifest.json'))
            if manifest['version'] < last: raise ValueError('the number went back')
            first = first or manifest
            late = parts(first) if manifest['version'] < first['version'] + 3 else []
            for part in parts(manifest) + late: take(part)
            last = manifest['version']
            print('has', last, flush=True)
        except Exception as error:
            print('failed', repr(error), flush=True)
    """

  init(_ url: String) throws {
    child = try ChildProcess(
      "/usr/bin/python3", ["-c", Self.program, url], environment: Tool.bareEnvironment)
  }

  /// Reads on until a poll that began after the deploy has this release; no poll may have failed.
  func expect(_ version: Int) throws {
    var found = 0
    while found < 2 {
      let line = try #require(try child.readLine())
      #expect(line.hasPrefix("has "), "an old client: \(line)")
      if line == "has \(version)" { found += 1 }
      guard line.hasPrefix("has ") else { return }
    }
  }

  /// No poll until the end may have failed.
  func end() throws {
    child.closeInput()
    while let line = try child.readLine() { #expect(line.hasPrefix("has "), "an old client: \(line)") }
  }
}
