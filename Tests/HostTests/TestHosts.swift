import Foundation
import OTACrypto
import OTAFeed
import OTAManifest
import OTAStorage
import OTATransfer
import OTATrust
import Synchronization
import TestSupport
import Testing

@testable import ParserPublisher

/// One kind of host, and how a new publisher reaches it, as another process would.
struct TestHost: Sendable {
  let name: String
  let connect: @Sendable () throws -> any FeedHost
  /// Whatever must live as long as the host.
  let keeps: any Sendable

  /// The patience of tests: long enough that a machine with much to do takes nobody for dead.
  static let patience: HostPatience = {
    var patience = HostPatience()
    patience.lease = .seconds(8)
    patience.standing = .milliseconds(600)
    patience.retryPause = .milliseconds(2)
    return patience
  }()

  static func requests(_ transport: any HostTransport) -> HostRequests {
    HostRequests(transport: transport, patience: patience)
  }

  static func objectStore(
    _ transport: any HostTransport, lease: Duration = .milliseconds(800)
  ) throws -> any FeedHost {
    var patience = patience
    patience.lease = lease
    let environment = [
      "AWS_ACCESS_KEY_ID": "AKTEST", "AWS_SECRET_ACCESS_KEY": "SKTESTSECRET",
      "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
    ]
    let settings = try ObjectStoreSettings("s3://bucket/feed", environment) { _ in nil }
    let store = ObjectStore(settings, requests(transport)) {
      Timestamp(secondsSinceEpoch: SystemClock.wallSeconds())
    }
    return RemoteHost(store, patience: patience)
  }
}

// MARK: Every kind

extension TestHost {
  /// The kinds that need nothing but this machine.
  enum Kind: String, CaseIterable, Sendable {
    case folder, git, store, oddStore, plainMarks, deploy, dav, seaweed

    var isInstalled: Bool {
      switch self {
      case .dav: NginxServer.program != nil
      case .seaweed: SeaweedServer.program != nil
      default: true
      }
    }
  }

  static func make(_ kind: Kind) async throws -> TestHost {
    switch kind {
    case .folder: try folder()
    case .git: try git()
    case .store: store(FakeStore(), kind.rawValue)
    case .oddStore: store(FakeStore(.ignoresConditions, .forbidsMissing), kind.rawValue)
    case .plainMarks: store(FakeStore(.wantsPlainMarks), kind.rawValue)
    case .deploy: try deploy()
    case .dav: try dav()
    case .seaweed: try await seaweed()
    }
  }

  private static func folder() throws -> TestHost {
    let folder = try TemporaryDirectory()
    return TestHost(name: "folder", connect: { DirectoryHost(root: folder.path) }, keeps: folder)
  }

  static func store(_ store: FakeStore, _ name: String) -> TestHost {
    TestHost(name: name, connect: { try objectStore(store, lease: patience.lease) }, keeps: store)
  }

  private static func git() throws -> TestHost {
    let folder = try TemporaryDirectory()
    let made = try run("/usr/bin/git", ["init", "--quiet", "--bare", folder.path("feed.git")])
    try #require(made.status == .exited(0), "\(made.errors)")
    // Settings and hooks of a machine that would change every file, and refuse every commit.
    try Data("[core]\n\tautocrlf = true\n\teol = crlf\n\thooksPath = \(folder.path("hooks"))\n".utf8).write(
      to: URL(fileURLWithPath: folder.path("gitconfig")))
    try FileManager.default.createDirectory(atPath: folder.path("hooks"), withIntermediateDirectories: true)
    try Data("#!/bin/sh\nexit 1\n".utf8).write(to: URL(fileURLWithPath: folder.path("hooks/pre-commit")))
    chmod(folder.path("hooks/pre-commit"), 0o755)
    let environment = [
      "PATH": "/usr/bin:/bin", "HOME": folder.path, "TMPDIR": folder.path,
      "GIT_CONFIG_GLOBAL": folder.path("gitconfig"),
      "GIT_DIR": "/nonexistent",
    ]
    return TestHost(
      name: "git",
      connect: {
        try HostPlace("git+file://\(folder.path("feed.git"))#feed", environment: environment).host()
      },
      keeps: folder)
  }

  private static func deploy() throws -> TestHost {
    let folder = try TemporaryDirectory()
    for name in ["feed", "out"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    }
    let command = """
      while read -r path; do
        echo "$PARSER_OTA_STEP $path" >> '\(folder.path("log"))'
        if [ -e "$path" ]; then mkdir -p '\(folder.path("out"))'/"$(dirname "$path")" && cp "$path" '\(folder.path("out"))'/"$path"
        else rm -f '\(folder.path("out"))'/"$path"; fi
      done
      """
    return TestHost(
      name: "deploy",
      connect: {
        DeployHost(
          folder: DirectoryHost(root: folder.path("feed")), command: command,
          environment: ["PATH": "/usr/bin:/bin"])
      }, keeps: folder)
  }

  private static func dav() throws -> TestHost {
    let folder = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: folder.path("feed"), withIntermediateDirectories: true)
    chmod(folder.path, 0o755)
    chmod(folder.path("feed"), 0o777)
    let tls = try TLSServer.shared.get()
    let server = try NginxServer(
      root: folder.path("feed"), certificatesOf: tls,
      directives: "dav_methods PUT DELETE MKCOL; create_full_put_path on; client_max_body_size 64m;")
    var policy = TransferPolicy()
    policy.certificateFile = tls.authorityFile
    let connection = HostConnection(policy: policy)
    let address = try WebAddress(server.url)
    return TestHost(
      name: "dav",
      connect: {
        RemoteHost(
          WebFolder(address, authorization: "Basic dTpw", requests(connection)), patience: patience)
      }, keeps: [folder, server] as [any Sendable])
  }

  private static func seaweed() async throws -> TestHost {
    let server = try SeaweedServer.shared.get()
    let bucket = "b\(UInt32.random(in: 1...UInt32.max))"
    let environment = server.environment
    let connection = HostConnection()
    let settings = try ObjectStoreSettings("s3://\(bucket)/feed", environment) { _ in nil }
    let now: @Sendable () -> Timestamp = { Timestamp(secondsSinceEpoch: SystemClock.wallSeconds()) }
    let made = try await ObjectStore(settings, requests(connection), now: now).makeBucket()
    try #require(made == 200)
    return TestHost(
      name: "seaweed",
      connect: { RemoteHost(ObjectStore(settings, requests(connection), now: now), patience: patience) },
      keeps: server)
  }
}

extension ObjectStore {
  /// Makes the bucket, which a publisher never does.
  func makeBucket() async throws -> Int {
    let signed = try RequestSignature(credentials: settings.credentials, region: settings.region).sign(
      "PUT", host: settings.host, path: "/\(settings.bucket)", body: [],
      at: RequestSignature.text(of: Timestamp(secondsSinceEpoch: SystemClock.wallSeconds())))
    return try await requests.send(
      HostRequest("PUT", "http://\(settings.host)\(signed.pathAndQuery)", fields: signed.fields, body: [])
    ).status
  }
}

/// SeaweedFS, an object store that honours conditions, one for the whole run of tests.
final class SeaweedServer: Sendable {
  static let shared = Result { try SeaweedServer() }

  /// The program that `ci/setup` installs; `nil` without it.
  static var program: String? {
    let path = "\(BuiltProducts.packageRoot())/.build/peers/bin/weed"
    return access(path, X_OK) == 0 ? path : nil
  }

  let environment: [String: String]
  private let process: ChildProcess
  private let folder: TemporaryDirectory

  private init() throws {
    guard let program = Self.program else { throw SystemFailure("weed is not installed") }
    folder = try TemporaryDirectory()
    let configuration =
      #"{"identities":[{"name":"t","credentials":[{"accessKey":"AKTEST","secretKey":"SKTESTSECRET"}],"actions":["Admin","Read","Write","List"]}]}"#
    try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder.path("s3.json")))
    try FileManager.default.createDirectory(atPath: folder.path("data"), withIntermediateDirectories: true)
    // Each port has a second one 10000 above it.
    let port = Int.random(in: 12_000...20_000)
    let script = "\"$@\" > \(folder.path("log")) 2>&1 & read nothing; kill -9 $!"
    process = try ChildProcess(
      "/bin/sh",
      [
        "-c", script, "sh", program, "-logtostderr", "server", "-dir=\(folder.path("data"))", "-ip=127.0.0.1",
        "-ip.bind=127.0.0.1", "-master.port=\(port)", "-volume.port=\(port + 1)", "-filer",
        "-filer.port=\(port + 2)",
        "-s3", "-s3.port=\(port + 3)", "-s3.config=\(folder.path("s3.json"))", "-s3.port.iceberg=0",
        "-s3.port.lance=0", "-volume.max=400",
        "-master.volumeSizeLimitMB=64", "-metricsPort=0",
      ])
    environment = [
      "AWS_ACCESS_KEY_ID": "AKTEST", "AWS_SECRET_ACCESS_KEY": "SKTESTSECRET",
      "AWS_ENDPOINT_URL": "http://127.0.0.1:\(port + 3)",
    ]
    let deadline = ContinuousClock.now + .seconds(40)
    while ContinuousClock.now < deadline {
      let answer = try run(
        "/usr/bin/env",
        [
          "python3", "-c",
          "import urllib.request as u;u.urlopen('http://127.0.0.1:\(port + 3)/healthz',timeout=1)",
        ])
      if answer.status == .exited(0) { return }
      usleep(100_000)
    }
    throw SystemFailure("weed did not start")
  }
}
