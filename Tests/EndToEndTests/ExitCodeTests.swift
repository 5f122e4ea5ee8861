import Foundation
import TestSupport
import Testing

/// The exit status says who must act: every verb against what can go wrong, by the table of the README.
///
/// Missing, unreadable and other kinds of files and folders are in `InputFileTests` and `SigningFileTests`, option by option;
/// hosts, locks and rights are in `VerbHazardTests`, verb by verb.
@Suite(.ownThreads) struct ExitCodeTests {
  private static let files = "--bundle bundle-3.js --sources sources.json"
  private static let keys = "--root-key root.pem --release-key release.pem"

  /// Command lines by what is wrong; `page` is an HTML page, `damaged` a feed with a broken manifest.
  static let wrongContent = [
    "init --feed other --checksums-only --adopt damaged",
    "check --bundle page --sources sources.json", "check --bundle bundle-3.js --sources page",
    "check \(files) --against damaged --checksums-only", "check \(files) --against feed --root page",
    "publish --feed feed --bundle page --sources sources.json",
    "publish --feed feed --bundle bundle-3.js --sources page", "publish --feed damaged \(files)",
    "publish --feed signed \(files) --release-key page", "rollback --feed damaged --yes",
    "rollback --feed signed --release-key page --yes", "refresh --feed signed --release-key page",
    "export --feed damaged --out out.tar.zst", "export --feed signed --root page --out out.tar.zst",
    "import page --feed feed", "import signed.tar.zst --root page --feed feed",
    "device import page --store store", "verify page", "verify signed.tar.zst --root page",
    "embed --from page --out out",
    "embed --from signed.tar.zst --root page --out out",
    "releases --feed damaged", "verify --feed damaged", "verify --feed signed --root page",
    "embed --feed damaged --out out",
    "run list --bundle page --sources sources.json --source ALPHA",
    "run list --bundle bundle-3.js --sources page --source ALPHA",
    "record --bundle page --sources sources.json --source ALPHA --out recordings",
    "bisect --feed damaged --source ALPHA --fixtures fixtures --engine engine",
    "device init --store other --feed feed --checksums-only --embedded damaged",
    "device init --store other --feed feed --root page --embedded app",
    "device check --store lost", "device update --store lost",
    "device explain --store store --manifest page", "key public --key page",
    "key status --feed signed --public page", "key list --feed unsigned",
    "key add --feed signed --role root --public page \(keys)",
    "key remove --feed signed --role root --key-id SPARE_ID --root-key page",
    "key rotate --feed signed --role release --from RELEASE_ID --to-public page \(keys)",
    "key threshold --feed signed --role root --threshold 2 --root-key page",
    "root prepare --feed signed --out new.json --add release=page",
    "root sign page --root-key root.pem", "root sign next.root.json --root-key page",
    "root commit page --feed signed", "source resolve --sources page ALPHA",
    "source resolve --sources sources.json --manifest page ALPHA",
  ]

  @Test("content that is not what it must be ends with 3, and nothing is changed", arguments: [false, true])
  func content(isPointer: Bool) throws {
    try withScene { playground in
      let page = isPointer ? "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n" : "<html>"
      try playground.writeSecret("page", page)
      let before = try ["feed", "signed", "store"].map(playground.snapshot)
      for line in Self.wrongContent {
        let answer = try playground.tool(SignedScene.filled(line))
        #expect(answer.code == 3, "\(answer)")
        if isPointer, line.contains(" page"), !line.contains("-key page"), !line.contains("-public page"),
          !line.contains("--public page"), !line.contains("--key page"), !line.contains("=page"),
          !line.contains("--root page"), !line.hasPrefix("check --bundle"), !line.hasPrefix("check --sources")
        {
          #expect(answer.errors.contains("is a Git LFS pointer"), "\(answer)")
        }
      }
      #expect(try ["feed", "signed", "store"].map(playground.snapshot) == before)
    }
  }

  @Test(
    "a place where this user may not write ends with 8, whatever the verb writes",
    .enabled(if: Stranger.isPossible, "needs setpriv"),
    arguments: [
      "init --feed closed/feed --checksums-only", "export --feed feed --out closed/out.tar.zst",
      "embed --feed feed --out closed/app",
      "check \(files) --sarif closed/out.sarif", "check \(files) --junit closed/out.xml",
      "device init --store closed/store --feed feed --checksums-only --embedded app",
      "key generate --out closed/new.pem", "key public --key release.pem --out closed/new.pub",
      "root prepare --feed signed --out closed/new.json", "device activate --store store --out closed/run",
    ])
  func noPermission(line: String) throws {
    try withScene { playground in
      try FileManager.default.createDirectory(
        atPath: playground.path("closed"), withIntermediateDirectories: false)
      let answer = try Stranger(playground).run(line, forbidding: "closed", mode: 0o555)
      #expect(answer.code == 8, "\(answer)")
      #expect(answer.errors.contains(playground.path("closed")), "\(answer)")
    }
  }

  @Test(
    "metadata that this user may not change ends with 8", .enabled(if: Stranger.isPossible, "needs setpriv"),
    arguments: [
      "refresh --feed signed --force --release-key release.pem",
      "key add --feed signed --role root --public other.pem.pub \(keys)",
    ])
  func readOnlyMetadata(line: String) throws {
    try withScene { playground in
      let answer = try Stranger(playground).run(line, forbidding: "signed/metadata", mode: 0o555)
      #expect(answer.code == 8, "\(answer)")
    }
  }

  @Test("what signs nothing is no success: keys that are missing or replaced end with what must be done")
  func keysThatDoNotSign() throws {
    try withScene { playground in
      let rotate = "key rotate --feed signed --role release --from RELEASE_ID --to-public other.pem.pub"
      for (line, status) in [
        (rotate, Int32(2)), ("\(rotate) --root-key other.pem", 1), ("refresh --feed signed", 2),
        ("refresh --feed signed --force --release-key other.pem", 1),
        ("key add --feed signed --role root --public other.pem.pub", 2),
      ] {
        let answer = try playground.tool(SignedScene.filled(line))
        #expect(answer.code == status, "\(answer)")
      }
      try playground.must(
        SignedScene.filled("\(rotate) --root-key root.pem --release-key other.pem --release-key release.pem"))
      let replaced = try playground.tool("refresh --feed signed --force --release-key release.pem")
      #expect(replaced.code == 1, "\(replaced)")
      try playground.must("refresh --feed signed --force --release-key other.pem")
    }
  }

  @Test("a fresh feed without a release is whole, and says that it has none")
  func fresh() throws {
    try withScene { playground in
      try playground.must("init --feed fresh --checksums-only")
      try playground.must("init --feed sealed --root-key root.pem --release-key release.pem")
      for feed in ["fresh", "sealed"] {
        let verified = try playground.must("verify --feed \(feed)")
        #expect(verified.output.contains("has no release yet"), "\(verified)")
        let listed = try playground.must("releases --feed \(feed)")
        #expect(listed.output.isEmpty && listed.errors.contains("no releases yet"), "\(listed)")
      }
    }
  }

  /// A confirmed device, a signed feed, and damaged copies of what the lines name.
  private func withScene(_ body: (Playground) throws -> Void) throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      try playground.makeSignedFeed()
      for (name, of) in [("damaged", "feed"), ("unsigned", "signed"), ("lost", "store")] {
        try playground.copy(of, to: name)
      }
      try playground.write("damaged/manifest.json", "garbage")
      try playground.write("unsigned/metadata/timestamp.json", "garbage")
      let settings = String(decoding: try playground.read("lost/device.json"), as: UTF8.self)
      try playground.write(
        "lost/device.json", settings.replacing(playground.path("feed"), with: playground.path("damaged")))
      try body(playground)
    }
  }
}
