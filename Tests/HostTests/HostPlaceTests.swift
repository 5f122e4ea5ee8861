import Foundation
import OTAFeed
import OTAManifest
import OTAStorage
import OTATransfer
import Synchronization
import TestSupport
import Testing

@testable import ParserPublisher

/// How hosts are written, and what may never be seen of their credentials.
@Suite struct HostPlaceTests {
  @Test(
    "a URL that names no host is refused with what to write, and without the secret in it",
    arguments: [
      "git+https://me:s3cr3t@host/x.git#feed", "git+ftp://host/x.git", "git+file:///x.git#../up",
      "git+ssh://host/x#-f",
      "dav+http://host/feed/", "dav+https://me:s3cr3t@host/", "s3://", "s3://bucket?key=s3cr3t",
    ])
  func refusals(text: String) throws {
    let environment = ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "s3cr3t"]
    let found = #expect(throws: Problem.self) { try HostPlace(text, environment: environment).host() }
    #expect(found?.code == .misuse)
    let shown = "\(found?.message ?? "") \(found?.advice ?? "")"
    #expect(!shown.contains("s3cr3t"), "\(shown)")
  }

  @Test("what git gets to see of an environment is its own affair alone")
  func environment() {
    let secrets = [
      "AWS_SECRET_ACCESS_KEY": "a", "PARSER_OTA_RELEASE_KEY": "b", "PARSER_OTA_DAV_PASSWORD": "c",
      "GIT_INDEX_FILE": "d",
      "PARSER_OTA_GIT_TOKEN": "t", "HOME": "/home/me", "SSH_AUTH_SOCK": "s",
    ]
    let web = GitCommand(address: "https://host/x.git", branch: "feed", folder: "/f", secrets).environment
    #expect(web["PARSER_OTA_GIT_TOKEN"] == "t" && web["HOME"] == "/home/me" && web["SSH_AUTH_SOCK"] == "s")
    for name in [
      "AWS_SECRET_ACCESS_KEY", "PARSER_OTA_RELEASE_KEY", "PARSER_OTA_DAV_PASSWORD", "GIT_INDEX_FILE",
    ] {
      #expect(web[name] == nil, "\(name)")
    }
    let file = GitCommand(address: "file:///x.git", branch: "feed", folder: "/f", secrets).environment
    #expect(file["PARSER_OTA_GIT_TOKEN"] == nil)
  }

  @Test("credentials of a web server come from the environment, else from the entry of its host in .netrc")
  func netrc() throws {
    let address = try WebAddress("https://store.example/feed/")
    let files: (String) -> String? = { path in
      path == "/n"
        ? "machine other.example login o password p\nmachine store.example\n  login u\n  password p\ndefault login d password e"
        : nil
    }
    let from = { (environment: [String: String]) in
      WebCredentials.authorization(for: address, environment, files: files)
    }
    #expect(from(["NETRC": "/n"]) == "Basic dTpw")
    #expect(from(["NETRC": "/n", "PARSER_OTA_DAV_TOKEN": "x"]) == "Bearer x")
    #expect(from(["PARSER_OTA_DAV_USER": "u", "PARSER_OTA_DAV_PASSWORD": "p"]) == "Basic dTpw")
    #expect(from([:]) == nil)
  }

  @Test(
    "objects carry type and lifetime: a year for names that say what they are, no copy without asking for the rest"
  )
  func fields() async throws {
    let place = FakeStore()
    let maintainer = try Maintainer("store")
    try await maintainer.begin(try TestHost.objectStore(place))
    try await maintainer.publish("one", try TestHost.objectStore(place))
    let bundle = try #require(place.keys.first { $0.hasSuffix(".parsers.bundle.js") })
    #expect(place.fields(of: bundle)["cache-control"] == "public, max-age=31536000, immutable")
    #expect(place.fields(of: bundle)["content-type"] == "text/javascript; charset=utf-8")
    for name in ["manifest.json", "metadata/timestamp.json", "metadata/1.root.json"] {
      #expect(place.fields(of: "bucket/feed/\(name)")["cache-control"] == "no-cache", "\(name)")
      #expect(place.fields(of: "bucket/feed/\(name)")["content-type"] == "application/json", "\(name)")
    }
  }

  @Test("a store that ignores conditions is found out and said, and one that honours them is not")
  func warnings() async throws {
    for (store, warns) in [
      (FakeStore(.ignoresConditions), true), (FakeStore(), false), (FakeStore(.wantsPlainMarks), false),
    ] {
      let host = try TestHost.objectStore(store)
      await (try host.lock(wait: .seconds(1))).release()
      #expect(host.warnings.isEmpty != warns)
    }
  }

  @Test(
    "a store that passes is asked again, one that refuses is not, and an answer that was lost does no harm")
  func retries() async throws {
    let place = FakeStore()
    let line = ScriptedTransport(place)
    let host = try TestHost.objectStore(line)
    let lock = try await host.lock(wait: .seconds(1))
    #expect(try await host.read("manifest.json", maxBytes: 100) == nil)
    line.script([.status(503), .lost])
    // The store took the first of these writes, and its answer never came.
    try await host.replace("manifest.json", with: [1])
    #expect(place.bytes(of: "bucket/feed/manifest.json") == [1])
    line.script([.status(403)])
    #expect(await problem { _ = try await host.list("metadata") }?.code == .forbidden)
    await lock.release()
  }

  @Test("files that readers do not get yet are waited for, and nothing speaks of them before")
  func publicFiles() async throws {
    let served = Mutex<[String: [UInt8]]>([:])
    let asked = Mutex(0)
    let server = try LoopbackServer { request in
      asked.withLock { $0 += 1 }
      // A host that needs a while until it shows what it took.
      guard asked.withLock({ $0 }) > 3, let bytes = served.withLock({ $0[String(request.path.dropFirst())] })
      else {
        return .notFound
      }
      return .status(200, bytes)
    }
    defer { server.stop() }
    let name = "files/releases/1/\(String(repeating: "ab", count: 32)).sources.json"
    served.withLock { $0[name] = [1, 2] }
    let address = try WebAddress(server.url)
    let files = PublicFiles(patience: .seconds(20), pause: .milliseconds(5))
    try await files.wait(for: [FeedWrite(path: name, bytes: [1, 2])], at: address)
    #expect(asked.withLock { $0 } == 4)
    let short = PublicFiles(patience: .milliseconds(30), pause: .milliseconds(5))
    let found = await problem {
      try await short.wait(for: [FeedWrite(path: name, bytes: [1, 3])], at: address)
    }
    #expect(found?.code == .timedOut && found?.message.contains("has other bytes") == true)
  }

  @Test(
    "a deploy command gets each step by itself, pointers after what they lead to, and again what it failed at"
  )
  func deploy() async throws {
    let folder = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: folder.path("feed"), withIntermediateDirectories: true)
    let maintainer = try Maintainer("deploy")
    let connect = { (command: String) in
      DeployHost(
        folder: DirectoryHost(root: folder.path("feed")), command: command,
        environment: ["PATH": "/usr/bin:/bin"])
    }
    let log = "sed \"s|^|$PARSER_OTA_STEP |\" >> '\(folder.path("log"))'"
    try await maintainer.begin(connect(log))
    try Data().write(to: URL(fileURLWithPath: folder.path("log")))
    let failed = await problem {
      try await maintainer.publish("one", connect("test $PARSER_OTA_STEP != pointers || exit 7; \(log)"))
    }
    #expect(failed?.code == .transferFailed && failed?.message.contains("status 7") == true)
    _ = try await maintainer.publish("one", connect(log))
    let lines = try String(contentsOfFile: folder.path("log"), encoding: .utf8).split(separator: "\n").map(
      String.init)
    let steps = lines.map { String($0.prefix { $0 != " " }) }
    #expect(
      steps == steps.sorted { (FeedStep(rawValue: $0)?.order ?? 9) < (FeedStep(rawValue: $1)?.order ?? 9) })
    #expect(
      lines.last == "pointers manifest.json" || lines.last == "pointers metadata/timestamp.json", "\(lines)")
    #expect(lines.contains("pointers manifest.json") && lines.contains("pointers metadata/timestamp.json"))
    #expect(!lines.contains { $0.contains(".parser-ota/") })
  }

  @Test(
    "rsync carries what readers need, in steps, and takes away what went",
    .enabled(if: access("/usr/bin/rsync", X_OK) == 0, "rsync is not installed: run ci/setup"))
  func rsync() async throws {
    let folder = try TemporaryDirectory()
    for name in ["feed", "out"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    }
    let host = DeployHost(
      folder: DirectoryHost(root: folder.path("feed")),
      command: """
        to='\(folder.path("out"))/'
        if [ $PARSER_OTA_STEP = removal ]; then rsync -ac --delete --exclude=/.parser-ota ./ "$to"
        else rsync -ac --files-from=- ./ "$to"; fi
        """,
      environment: ["PATH": "/usr/bin:/bin"])
    let maintainer = try Maintainer("deploy")
    try await maintainer.begin(host, kept: 2)
    let out = DirectoryHost(root: folder.path("out"))
    for number in 1...4 {
      try await maintainer.publish("release \(number)", host)
      try await expectWhole(out, at: Maintainer.date, "release \(number)")
    }
    let root = try #require(try host.read(FeedLayout.firstRoot, maxBytes: 512_000))
    #expect(try await Device(root: root).version(out) == 4)
    let (here, there) = (try await HostTree(host: host).paths(), try await HostTree(host: out).paths())
    #expect(there == here.filter { FeedLayout.kind(of: $0) != .own })
  }
}

extension FeedStep {
  fileprivate var order: Int { FeedStep.allCases.firstIndex(of: self) ?? 0 }
}

/// A line to a store on which a few things go wrong, one after the other.
final class ScriptedTransport: HostTransport {
  enum Step: Sendable {
    case status(Int)
    /// The store gets the request, and nobody gets its answer.
    case lost
  }
  private let base: any HostTransport
  private let steps = Mutex<[Step]>([])

  init(_ base: any HostTransport) { self.base = base }

  func script(_ next: [Step]) { steps.withLock { $0 = next } }

  func send(_ request: HostRequest) async throws(TransferError) -> HostAnswer {
    switch steps.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
    case .status(let status)?: return HostAnswer(status: status)
    case .lost?:
      _ = try await base.send(request)
      throw TransferError(.truncated, url: request.url, detail: "the connection ended")
    case nil: return try await base.send(request)
    }
  }
}
