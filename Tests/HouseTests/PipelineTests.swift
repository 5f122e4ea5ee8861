import Foundation
import TestSupport
import Testing

@Suite("The pipelines that maintainers copy can be trusted as they stand")
struct PipelineTests {
  private static let root = BuiltProducts.packageRoot(of: #filePath)
  private static let python = "/usr/bin/python3"

  /// The verbs of the tool that a pipeline may use, and their options.
  private static let options: [String: Set<String>] = [
    "init": ["--feed", "--base-url", "--adopt", "--root-key", "--release-key"],
    "key": ["--out", "--encrypt"],
    "refresh": ["--feed"],
    "publish": [
      "--feed", "--bundle", "--sources", "--notes", "--channel", "--contract", "--minimum-app-version",
      "--dry-run",
    ],
    "rollback": ["--feed", "--to", "--reason", "--yes"],
    "verify": ["--feed"],
  ]

  /// Prints every text under a `run` or `script` key of a YAML file, as a JSON array.
  private static let shellTexts = """
    import json, sys, yaml

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

  static let publishing = ["ci/github/publish.yml", "ci/gitlab/publish.yml"]
  static let refreshing = ["ci/github/refresh.yml", "ci/gitlab/refresh.yml"]
  static let pipelines = publishing + refreshing

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
    #expect(blocks.count >= (Self.publishing.contains(file) ? 4 : 2))
    for block in blocks {
      let result = try run("/bin/bash", ["-n"], stdin: Array(block.utf8))
      #expect(result.status == .exited(0), "\(result.errors)\n\(block)")
    }
  }

  @Test("Only verbs and options that exist are used", arguments: pipelines)
  func options(file: String) throws {
    let commands = try commands(of: file)
    for command in commands {
      let verb = String(command.split(separator: " ")[1])
      let known = try #require(Self.options[verb], "\(command)")
      for option in command.matches(of: /--[a-z][a-z-]*/).map({ String($0.output) }) {
        #expect(known.contains(option), "\(command)")
      }
    }
    let verbs = Set(commands.map { $0.split(separator: " ")[1] })
    #expect(
      verbs
        == (Self.publishing.contains(file)
          ? ["key", "init", "publish", "rollback", "verify"] : ["refresh", "verify"]))
  }

  @Test("The shell runs every command that is not in a comment", arguments: pipelines)
  func commandsAreRun(file: String) throws {
    let run = try shellBlocks(of: file).joined(separator: "\n").split(separator: "\n")
      .filter { $0.hasPrefix("parser-ota ") }.map(String.init)
    // A block that several jobs share is there once for each.
    #expect(Set(run) == Set(try commands(of: file).filter { !Self.isDoneByHand($0) }))
  }

  /// The feed and its keys are made once, on a machine of the maintainer.
  private static func isDoneByHand(_ command: String) -> Bool {
    command.hasPrefix("parser-ota init ") || command.hasPrefix("parser-ota key ")
  }

  @Test(
    "B56: the release key comes from a secret through the environment, and the root key not at all",
    arguments: pipelines)
  func keys(file: String) throws {
    let text = try String(contentsOfFile: "\(Self.root)/\(file)", encoding: .utf8)
    let shell = try shellBlocks(of: file).joined(separator: "\n")
    #expect(text.contains("PARSER_OTA_RELEASE_KEY"))
    #expect(!text.contains("PARSER_OTA_ROOT_KEY"))
    #expect(!shell.contains("_KEY") && !shell.contains("-key"))
    if file.hasPrefix("ci/github/") {
      let steps = text.split(separator: "\n").filter {
        $0.contains("PARSER_OTA_RELEASE_KEY: ${{ secrets.PARSER_OTA_RELEASE_KEY }}")
      }
      #expect(steps.count == (Self.publishing.contains(file) ? 2 : 1))
    }
  }

  @Test("The engine that runs bundles is built and lies beside the tool", arguments: publishing)
  func engine(file: String) throws {
    let shell = try shellBlocks(of: file).joined(separator: "\n")
    #expect(shell.contains("--product parser-ota-engine"))
    #expect(shell.contains(".build/release/parser-ota-engine /usr/local/bin/"))
    #expect(!shell.contains("--allow"), "nobody is told to look away")
  }

  @Test("A refresh never runs beside a publish, and on a schedule", arguments: refreshing)
  func schedule(file: String) throws {
    let text = try String(contentsOfFile: "\(Self.root)/\(file)", encoding: .utf8)
    #expect(text.contains("group: parser-feed") || text.contains("extends: .release"))
    #expect(text.contains("schedule"))
  }

  @Test("Nothing is pushed with force, and no secret is an argument", arguments: pipelines)
  func pushes(file: String) throws {
    let shell = try shellBlocks(of: file).joined(separator: "\n")
    #expect(shell.contains("HEAD:"))
    #expect(!shell.contains("--force") && !shell.contains("push -f") && !shell.contains(" +HEAD"))
    #expect(!shell.contains("PARSER_OTA_") && !shell.contains("secrets."))
    #expect(!shell.contains("${{"), "a text of an event in a shell block is a way to run commands")
  }

  @Test("A roll back goes to the release that was asked for, else to the one before", arguments: publishing)
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
