import Foundation
import TestSupport
import Testing

@Suite("The pipelines that maintainers copy can be trusted as they stand")
struct PipelineTests {
  private static let root = BuiltProducts.packageRoot(of: #filePath)
  private static let python = "/usr/bin/python3"
  /// Linters from PyPI, in the environment that ci/setup makes.
  private static let linters = "\(root)/.build/linters/bin"
  private static let hasLinters = FileManager.default.isExecutableFile(atPath: "\(linters)/zizmor")

  /// The verbs of the tool that a pipeline may use, and their options.
  private static let options: [String: Set<String>] = [
    "init": ["--feed", "--base-url", "--adopt", "--root-key", "--release-key", "--checksums-only"],
    "key": ["--out", "--encrypt"],
    "refresh": ["--feed"],
    "publish": ["--feed", "--bundle", "--sources", "--notes"],
    "export": ["--feed", "--out"],
    "import": ["--feed", "--allow"],
    "embed": ["--feed", "--out"],
    "check": ["--bundle", "--sources", "--against", "--allow", "--coverage", "--junit"],
    "survey": ["--bundle", "--sources", "--out"],
    "rollback": ["--feed", "--to", "--reason", "--yes"],
    "verify": ["--feed"],
  ]

  /// Prints every text under a `run` or `script` key of a YAML file, as a JSON array.
  private static let shellTexts = """
    import json, sys, yaml

    yaml.SafeLoader.add_constructor("!reference", lambda loader, node: [])

    def texts(node, inside=False):
        if isinstance(node, str):
            return [node] if inside else []
        if isinstance(node, list):
            return [text for item in node for text in texts(item, inside)]
        if isinstance(node, dict):
            return [text for key, item in node.items()
                    for text in texts(item, key in ("run", "script", "before_script"))]
        return []

    print(json.dumps(texts(yaml.safe_load(open(sys.argv[1], encoding="utf-8")))))
    """

  static let names = ["publish", "refresh", "check", "survey"]
  static let github = (names + ["rollback", "deploy"]).map { "ci/github/\($0).yml" }
  static let gitlab = names.map { "ci/gitlab/\($0).yml" }
  static let pipelines = github + gitlab
  /// Those with a job that signs.
  static let signing = [
    "ci/github/publish.yml", "ci/github/rollback.yml", "ci/github/refresh.yml", "ci/gitlab/publish.yml",
  ]

  private func shellBlocks(of file: String) throws -> [String] {
    let result = try run(Self.python, ["-c", Self.shellTexts, "\(Self.root)/\(file)"])
    try #require(result.status == .exited(0), "\(result.errors)")
    return try JSONDecoder().decode([String].self, from: Data(result.stdout))
  }

  /// The lines of a file that call the tool, those in its comments too.
  private func commands(of file: String) throws -> [String] {
    let text = try String(contentsOfFile: "\(Self.root)/\(file)", encoding: .utf8)
    return text.split(separator: "\n").map { $0.drop { " #".contains($0) } }
      .filter { $0.hasPrefix("parser-ota ") }.map(String.init)
  }

  @Test("Every shell block is one that bash can read", arguments: pipelines)
  func shellSyntax(file: String) throws {
    let blocks = try shellBlocks(of: file)
    #expect(!blocks.isEmpty)
    for block in blocks {
      let result = try run("/bin/bash", ["-n"], stdin: Array(block.utf8))
      #expect(result.status == .exited(0), "\(result.errors)\n\(block)")
    }
  }

  @Test("Only verbs and options that exist are used", arguments: pipelines)
  func options(file: String) throws {
    for command in try commands(of: file) {
      let verb = String(command.split(separator: " ")[1])
      let known = try #require(Self.options[verb], "\(command)")
      for option in command.matches(of: /--[a-z][a-z-]*/).map({ String($0.output) }) {
        #expect(known.contains(option), "\(command)")
      }
    }
  }

  @Test(
    "B56: the release key comes from a secret through the environment of one step, and the root key not at all",
    arguments: signing)
  func keys(file: String) throws {
    let text = try String(contentsOfFile: "\(Self.root)/\(file)", encoding: .utf8)
    let shell = try shellBlocks(of: file).joined(separator: "\n")
    #expect(text.contains("PARSER_OTA_RELEASE_KEY"))
    #expect(!text.contains("PARSER_OTA_ROOT_KEY"))
    #expect(!shell.contains("_KEY") && !shell.contains("-key"))
    #expect(text.contains("environment: parser-feed"), "who may use the key is set there")
    if file.hasPrefix("ci/github/") {
      let steps = text.split(separator: "\n").filter {
        $0.contains("PARSER_OTA_RELEASE_KEY: ${{ secrets.PARSER_OTA_RELEASE_KEY }}")
      }
      #expect(steps.count == 1)
    }
  }

  @Test("What runs bundles has no key: no pipeline beside the signing ones names it", arguments: pipelines)
  func noKey(file: String) throws {
    guard !Self.signing.contains(file), file != "ci/gitlab/refresh.yml" else { return }
    let lines = try String(contentsOfFile: "\(Self.root)/\(file)", encoding: .utf8).split(separator: "\n")
    #expect(!lines.contains { !$0.hasPrefix("#") && ($0.contains("_KEY") || $0.contains("secrets.")) })
  }

  @Test(
    "Actions are pinned by commit, images by digest, and no credentials stay on disk", arguments: pipelines)
  func pins(file: String) throws {
    let lines = try String(contentsOfFile: "\(Self.root)/\(file)", encoding: .utf8).split(separator: "\n")
      .map(String.init)
    for line in lines where line.contains("uses: ") && !line.hasPrefix("#") && !line.contains("uses: ./") {
      #expect(line.firstMatch(of: /@[0-9a-f]{40}( |$)/) != nil, "\(line)")
    }
    for line in lines where line.contains("image: ") {
      #expect(line.contains("@sha256:"), "\(line)")
    }
    let checkouts = lines.count { $0.contains("uses: actions/checkout@") }
    #expect(lines.count { $0.contains("persist-credentials: false") } == checkouts)
  }

  @Test(
    "The schemas of the hosts and the linter of one have nothing against them",
    .enabled(if: hasLinters, "ci/setup installs the linters"))
  func lint() throws {
    func check(_ schema: String, _ files: [String]) throws {
      let result = try run(
        "\(Self.linters)/check-jsonschema",
        ["--data-transform", "gitlab-ci", "--builtin-schema", "vendor.\(schema)"] + files,
        directory: Self.root)
      #expect(result.status == .exited(0), "\(result.output)\(result.errors)")
    }
    try check("github-workflows", Self.github + [".github/workflows/test.yml"])
    try check("github-actions", ["ci/github/action/action.yml"])
    try withTemporaryDirectory { folder in
      // A component is two documents: what it takes, and its jobs.
      let component = try String(contentsOfFile: "\(Self.root)/ci/gitlab/component.yml", encoding: .utf8)
      let body = try #require(component.components(separatedBy: "\n---\n").last)
      try body.write(toFile: folder.path("component.yml"), atomically: true, encoding: .utf8)
      try check("gitlab-ci", Self.gitlab + [folder.path("component.yml")])
    }
    let result = try run(
      "\(Self.linters)/zizmor",
      ["--offline", "--no-progress", "--min-severity", "low", "--config", "ci/zizmor.yml"] + Self.github
        + ["ci/github/action/action.yml", ".github/workflows/test.yml"], directory: Self.root)
    #expect(result.status == .exited(0), "\(result.output)\(result.errors)")
  }

  @Test("Two pipelines never write at the same time", arguments: signing + ["ci/gitlab/refresh.yml"])
  func schedule(file: String) throws {
    let text = try String(contentsOfFile: "\(Self.root)/\(file)", encoding: .utf8)
    #expect(text.contains("group: parser-feed") || text.contains("extends: .signing"))
  }

  @Test("Nothing is pushed with force, and no secret is an argument", arguments: pipelines)
  func pushes(file: String) throws {
    let shell = try shellBlocks(of: file).joined(separator: "\n")
    #expect(!shell.contains("--force") && !shell.contains("push -f") && !shell.contains(" +HEAD"))
    #expect(!shell.contains("PARSER_OTA_RELEASE") && !shell.contains("secrets."))
    #expect(!shell.contains("${{"), "a text of an event in a shell block is a way to run commands")
  }

  @Test(
    "A roll back goes to the release that was asked for, else to the one before",
    arguments: ["ci/github/rollback.yml", "ci/gitlab/publish.yml"])
  func rollbackTarget(file: String) throws {
    let command = try #require(try commands(of: file).first { $0.hasPrefix("parser-ota rollback ") })
    let script = "parser-ota() { printf '%s\\n' \"$@\"; }\n\(command)"
    func words(_ to: String?) throws -> [String] {
      var environment = ["REASON": "pages do not load"]
      environment["TO"] = to
      let result = try run("/bin/bash", ["-eu"], environment: environment, stdin: Array(script.utf8))
      #expect(result.status == .exited(0), "\(result.errors)")
      return result.output.split(separator: "\n").map(String.init)
    }
    let usual = ["rollback", "--feed", "feed", "--reason=pages do not load", "--yes"]
    #expect(try words("") == usual)
    #expect(try words(nil) == usual)
    #expect(try words("36") == ["rollback", "--feed", "feed", "--to=36"] + usual.suffix(2))
  }
}

@Suite("The rules of the house can fail, and hold")
struct HouseRulesTests {
  private static let root = BuiltProducts.packageRoot(of: #filePath)

  @Test("Every rule of ci/check refuses an example, B08 among them")
  func selfTest() throws {
    let result = try run("\(Self.root)/ci/check", ["--self-test"], directory: "/")
    #expect(result.status == .exited(0), "\(result.output)\(result.errors)")
  }

  @Test("An unknown argument of ci/check is no silent success")
  func usage() throws {
    #expect(try run("\(Self.root)/ci/check", ["--selftest"]).status == .exited(2))
  }

  @Test("The scripts are ones that bash can read", arguments: ["ci/setup", "ci/test", ".ci/run"])
  func scripts(name: String) throws {
    let result = try run("/bin/bash", ["-n", "\(Self.root)/\(name)"])
    #expect(result.status == .exited(0), "\(result.errors)")
  }
}
