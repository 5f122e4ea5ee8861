import Foundation
import TestSupport
import Testing

/// The pipelines that maintainers copy, run step by step as their hosts do, with the archive that `ci/dist` makes.
@Suite(.ownThreads) struct PipelineRunTests {
  private static let root = BuiltProducts.packageRoot()
  private static let git = "/usr/bin/git"
  private static let isPossible = (try? run("/usr/bin/python3", ["-c", "import yaml"]))?.status == .exited(0)
  private static let archive = Result { try Archive() }

  /// An archive of the built programs, made once: packing takes seconds.
  private final class Archive: Sendable {
    let folder: TemporaryDirectory

    init() throws {
      folder = try TemporaryDirectory()
      let programs = folder.path("programs")
      try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: false)
      for name in ["parser-ota", "parser-ota-engine"] {
        try PipelineRunTests.makeScript(
          "\(programs)/\(name)", "exec \(try BuiltProducts.path(of: name)) \"$@\"")
      }
      let made = try run(
        "\(PipelineRunTests.root)/ci/dist", ["--programs", programs, "--out", folder.path("dist")],
        timeout: .seconds(120))
      guard made.status == .exited(0) else { throw SystemFailure("ci/dist: \(made.errors)") }
    }
  }

  /// Writes a program through another process: a file that this one has open for writing cannot be run meanwhile by a child
  /// that another thread starts.
  private static func makeScript(_ path: String, _ script: String) throws {
    let made = try run(
      "/bin/sh", ["-c", "cat > \"$1\" && chmod 755 \"$1\"", "sh", path],
      stdin: Array("#!/bin/sh\n\(script)\n".utf8))
    guard made.status == .exited(0) else { throw SystemFailure("\(path): \(made.errors)") }
  }

  /// What pipelines find in a world beside the repository: programs that builds and hosts have.
  private static let standIns = [
    "npm":
      "[ \"$1\" != run ] || { mkdir -p dist; cp bundle.js dist/parsers.bundle.js; cp sources.json dist/; }",
    "gh": "printf 'gh %s\\n' \"$*\" >> \"$WORLD/log\"",
    "apt-get": "exit 0", "sudo": "exec \"$@\"",
  ]

  private struct World {
    let playground: Playground

    /// A repository with the branches main, with a release that is to be published, and feed, with two that are.
    init(_ playground: Playground) throws {
      self.playground = playground
      try playground.makeSignedFeed()
      try playground.makeRecording()
      symlink(PipelineRunTests.root, playground.path("root"))
      symlink(try PipelineRunTests.archive.get().folder.path("dist"), playground.path("dist"))
      try playground.writeSecret("key", String(decoding: playground.read("release.pem"), as: UTF8.self))
      try FileManager.default.createDirectory(
        atPath: playground.path("bin"), withIntermediateDirectories: false)
      for (name, script) in PipelineRunTests.standIns {
        try PipelineRunTests.makeScript(playground.path("bin/\(name)"), script)
      }
      try git("init --quiet --bare --initial-branch main origin.git")
      try git("-C origin.git config receive.advertisePushOptions true")
      try git("-C signed init --quiet --initial-branch feed")
      try commit("signed", "Start the feed")
      try git("-C signed push --quiet ../origin.git HEAD:refs/heads/feed")
      try git("init --quiet --initial-branch main work")
      try playground.copy("sources.json", to: "work/sources.json")
      try putBundle("three")
    }

    /// Pushes a bundle that is whole, as the gate's engine asks for.
    func putBundle(_ marker: String) throws {
      let catalog = String(decoding: try playground.read("sources.json"), as: UTF8.self)
      try putBundle(
        Array(
          """
          "use strict";
          var NyoraParsers = (() => {
            const sources = \(catalog);
            class Parser {
              constructor(context, source) { this.context = context; this.source = source; this.marker = "\(marker)"; }
              async page(path) {
                const url = new URL(path, `https://${this.source.domain}`).href;
                return this.context.parseHTML(await this.context.httpGet(url, {}, this));
              }
              async getListPage(page, order, filter) {
                const found = await this.page(filter.query ? `/search?q=${filter.query}` : `/list?page=${page}`);
                return [...found.querySelectorAll("a")].map((link) => (
                  { url: link.getAttribute("href"), title: link.textContent }));
              }
              async getDetails(manga) {
                const found = await this.page(manga.url);
                const chapters = [...found.querySelectorAll("a")].map((link) => ({ url: link.getAttribute("href") }));
                return { ...manga, chapters };
              }
              async getPages(chapter) {
                const found = await this.page(chapter.url);
                return [...found.querySelectorAll("img")].map((image) => ({ url: image.getAttribute("src") }));
              }
            }
            return {
              getAllSources: () => sources,
              getParser: (id, context) => {
                const source = sources.find((entry) => entry.id === id);
                return source ? new Parser(context, source) : null;
              },
            };
          })();

          """.utf8))
    }

    @discardableResult
    func git(_ line: String) throws -> String {
      let result = try run(
        PipelineRunTests.git, line.split(separator: " ").map(String.init),
        directory: playground.directory.path)
      guard result.status == .exited(0) else { throw SystemFailure("git \(line): \(result.errors)") }
      return result.output
    }

    private func commit(_ folder: String, _ message: String) throws {
      try git("-C \(folder) add --all")
      let who = ["-C", playground.path(folder), "-c", "user.name=a", "-c", "user.email=a@example.org"]
      let result = try run(PipelineRunTests.git, who + ["commit", "--quiet", "-m", message])
      guard result.status == .exited(0) else {
        throw SystemFailure("git commit: \(result.errors)\(result.output)")
      }
    }

    /// Pushes a bundle to main.
    func putBundle(_ bytes: [UInt8]) throws {
      try playground.write("work/bundle.js", bytes)
      try commit("work", "Asura: dates")
      try git("-C work push --quiet ../origin.git HEAD:refs/heads/main")
    }

    /// The newest manifest of the branch feed, or of what is served.
    func live(_ place: String = "feed") throws -> JSONAnswer {
      let text =
        place == "feed"
        ? try git("-C origin.git show feed:manifest.json")
        : String(decoding: try playground.read("site/manifest.json"), as: UTF8.self)
      return try JSONAnswer(text)
    }

    func commits() throws -> Int { try git("-C origin.git rev-list feed").split(separator: "\n").count }

    /// Pushes a change of the feed by hand.
    func byHand(_ line: String) throws {
      try git("clone --quiet --branch feed origin.git hand")
      defer { try? playground.remove("hand") }
      try playground.must(line)
      try commit("hand", "By hand")
      try git("-C hand push --quiet ../origin.git HEAD:refs/heads/feed")
    }

    func pipeline(_ line: String, standIn: Bool = false, api: String = "") throws -> ChildResult {
      var environment = ["PATH": "/usr/bin:/bin", "API": api]
      if standIn { environment["STAND_IN"] = playground.path("engine") }
      var words = line.split(separator: "|").map(String.init)
      words.insert(playground.directory.path, at: 1)
      return try run(
        "/usr/bin/python3", ["\(PipelineRunTests.root)/Tests/EndToEndTests/Pipelines/pipelines.py"] + words,
        environment: environment, timeout: .seconds(600))
    }

    func must(_ line: String, standIn: Bool = false, api: String = "") throws {
      let result = try pipeline(line, standIn: standIn, api: api)
      try #require(result.status == .exited(0), "\(line)\n\(result.output)\(result.errors)")
    }

    /// The steps that had the key.
    var spread: [String] {
      let text = (try? playground.read("spread")).map { String(decoding: $0, as: UTF8.self) } ?? ""
      return text.split(separator: "\n").map(String.init)
    }

    var log: String { (try? playground.read("log")).map { String(decoding: $0, as: UTF8.self) } ?? "" }
  }

  private struct JSONAnswer {
    let object: [String: Any]

    init(_ text: String) throws {
      object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    }

    var version: Int? { object["version"] as? Int }
    var content: Int? { object["content"] as? Int }
  }

  @Test(
    "GitHub: publish, publish again, break, roll back, refresh, a push by hand, a check, a survey",
    .enabled(if: isPossible, "python3-yaml is not installed"))
  func github() throws {
    try withPlayground { playground in
      let world = try World(playground)
      try world.must("github|publish.yml")
      #expect(try world.live().version == 3 && world.live("site").version == 3)
      #expect(try world.live().object["notes"] as? String == "Asura: dates")
      #expect(
        world.spread.allSatisfy { $0.contains("/sign: Sign") } && !world.spread.isEmpty, "\(world.spread)")
      let commits = try world.commits()
      try world.must("github|publish.yml")
      #expect(try world.commits() == commits, "the same content is nothing to publish")

      try world.putBundle(Array("var NyoraParsers = { getParser".utf8))
      let refused = try world.pipeline("github|publish.yml")
      #expect(
        refused.status == .exited(1) && refused.output.contains("FAILED publish.yml/gate"),
        "\(refused.output)")
      #expect(try world.commits() == commits, "a broken bundle stays in the job that has no key")

      try world.must("github|rollback.yml|to=|reason=pages do not load")
      #expect(try world.live().version == 4 && world.live().content == 2 && world.live("site").version == 4)
      try world.must("github|refresh.yml")
      #expect(try (commits + 1...commits + 2).contains(world.commits()))

      try world.byHand(
        "rollback --feed hand --to 3 --allow-withdrawn --reason again --yes --release-key release.pem")
      try world.must("github|deploy.yml")
      #expect(try world.live("site").version == 5, "what was pushed by hand is served")

      try world.putBundle("four")
      try world.must("github|check.yml")
      #expect(world.log.contains("gh pr comment 5 --body-file comment.md"), "\(world.log)")
      try world.must("github|survey.yml", standIn: true)
      #expect(FileManager.default.fileExists(atPath: playground.path("artifacts/survey/survey.json")))
      #expect(world.log.contains("gh issue list"), "\(world.log)")
      try playground.must("verify --feed site")
    }
  }

  @Test(
    "GitLab: publish, publish again, break, roll back, refresh, a check, a survey",
    .enabled(if: isPossible, "python3-yaml is not installed"))
  func gitlab() throws {
    try withPlayground { playground in
      let world = try World(playground)
      try world.must("gitlab|build,gate,publish,pages")
      #expect(try world.live().version == 3 && world.live("site").version == 3)
      #expect(world.spread.allSatisfy { $0 == "publish" } && !world.spread.isEmpty, "\(world.spread)")
      let commits = try world.commits()
      try world.must("gitlab|build,gate,publish,pages")
      #expect(try world.commits() == commits)
      try world.putBundle(Array("var NyoraParsers = { getParser".utf8))
      #expect(try world.pipeline("gitlab|build,gate,publish").status == .exited(1))
      #expect(try world.commits() == commits)

      try world.must("gitlab|rollback,pages|REASON=pages do not load")
      #expect(try world.live().version == 4 && world.live().content == 2 && world.live("site").version == 4)
      try world.must("gitlab|refresh,pages")
      // The roll back, and the refresh unless the signatures are a moment old.
      #expect(try (commits + 1...commits + 2).contains(world.commits()))
      try world.putBundle("four")
      try world.must("gitlab|build,check")
      let api = try LoopbackServer { _ in .ok(Array("[]".utf8), contentType: "application/json") }
      defer { api.stop() }
      try world.must("gitlab|survey,issue", standIn: true, api: "\(api.url)api")
      #expect(api.requests.first?.path == "/api/projects/3/issues", "\(api.requests.map(\.target))")
      #expect(Set(world.spread) == ["publish", "rollback", "refresh"])
      try playground.must("verify --feed site")
    }
  }

  @Test("an archive with another digest is not installed")
  func digest() throws {
    try withPlayground { playground in
      let dist = try Self.archive.get().folder.path("dist")
      let name = try #require(try namesInDirectory(dist).first { $0.hasSuffix(".tar.gz") })
      let version = try #require(name.split(separator: "-").dropFirst(2).first).description
      let install = try run(
        "\(Self.root)/ci/github/action/install", [],
        environment: [
          "PATH": "/usr/bin:/bin", "VERB": "rollback", "VERSION": version, "FROM": dist,
          "SHA256": String(repeating: "0", count: 64), "RUNNER_TEMP": playground.directory.path,
          "GITHUB_PATH": playground.path("path"),
        ])
      #expect(install.status == .exited(2), "\(install.output)\(install.errors)")
      #expect(install.errors.contains("::error::"))
      #expect(!FileManager.default.fileExists(atPath: playground.path("parser-ota/prefix")))
    }
  }
}
