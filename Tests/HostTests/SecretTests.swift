import OTAFeed
import Foundation
import OTAManifest
import TestSupport
import Testing

@testable import ParserPublisher

/// Secrets are for whoever needs them: what the system sees of a publish to each host.
@Suite struct SecretTests {
  private static let strace = "/usr/bin/strace"
  private static let secrets = [
    "AWS_SECRET_ACCESS_KEY": "s3cr3t-of-the-store", "AWS_SESSION_TOKEN": "t0ken-of-the-store",
    "PARSER_OTA_DAV_PASSWORD": "passw0rd-of-the-server", "PARSER_OTA_GIT_TOKEN": "t0ken-of-git",
    "PARSER_OTA_RELEASE_KEY_PASSPHRASE": "passphr4se-of-the-key",
  ]

  @Test(
    "no argument, no error and no environment of a program that is started has a secret of another host",
    .enabled(if: access(strace, X_OK) == 0, "strace is not installed"),
    arguments: ["git", "deploy", "store", "dav"])
  func secrets(kind: String) async throws {
    let folder = try TemporaryDirectory()
    let feed = try await place(kind, folder)
    let maintainer = try Maintainer(kind)
    let request = try maintainer.request("one")
    let log = folder.path("log")
    var environment = [
      "PATH": "/usr/bin:/bin", "HOME": folder.path, "TMPDIR": folder.path, "AWS_ACCESS_KEY_ID": "AK",
      "AWS_ENDPOINT_URL": "http://127.0.0.1:9", "PARSER_OTA_DAV_USER": "me",
      "PARSER_OTA_ENGINE": "/nonexistent",
    ]
    environment.merge(Self.secrets) { $1 }
    // Stores that nobody listens for fail soon, which is where errors could tell too much.
    let result = try run(
      Self.strace,
      [
        "-f", "-qq", "-v", "-s", "100000", "-e", "trace=execve", "-o", log,
        try BuiltProducts.path(of: "parser-ota"),
      ]
        + ["publish", "--feed"] + feed
        + ["--bundle", request.bundlePath, "--sources", request.sourcesPath, "--allow", "no-engine"],
      environment: environment, timeout: .seconds(50))
    let isReached = ["git", "deploy"].contains(kind)
    #expect(result.status == .exited(isReached ? 0 : 4), "\(result.errors)")
    let started = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").dropFirst()
    #expect(started.isEmpty != isReached)
    for (name, secret) in Self.secrets {
      #expect(!result.errors.contains(secret) && !result.output.contains(secret), "\(name)")
      // What a deploy command does is its own affair: it gets what such commands read, and nothing of this tool.
      if kind == "deploy", name.hasPrefix("AWS_") { continue }
      #expect(!started.contains { $0.contains(secret) }, "\(name) reaches a program")
    }
  }

  private func place(_ kind: String, _ folder: TemporaryDirectory) async throws -> [String] {
    switch kind {
    case "git":
      let made = try run("/usr/bin/git", ["init", "--quiet", "--bare", folder.path("feed.git")])
      #expect(made.status == .exited(0))
      let text = "git+file://\(folder.path("feed.git"))#feed"
      let place = HostPlace(
        text, environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path, "TMPDIR": folder.path])
      try await Maintainer(kind).begin(try place.host(), signed: false)
      return [text]
    case "deploy":
      var request = InitRequest(directory: folder.path("feed"), trust: .checksumsOnly)
      request.date = Maintainer.date
      _ = try await Publisher.initialise(request)
      return [folder.path("feed"), "--deploy", "cat > /dev/null"]
    case "store": return ["s3://bucket/feed"]
    default: return ["dav+http://127.0.0.1:9/feed/"]
    }
  }
}
