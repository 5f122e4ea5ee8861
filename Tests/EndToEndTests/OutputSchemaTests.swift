import Foundation
import TestSupport
import Testing

/// What every verb prints with `--json`, held against the schemas that are documented in `manifests/output`.
@Suite(.ownThreads) struct OutputSchemaTests {
  /// Reads lines of a verb, a tab and what it printed; prints one line for each that its schema refuses.
  ///
  /// Members that no schema names are refused here: a new one must be documented.
  private static let program = """
    import json, os, sys
    from jsonschema import Draft202012Validator

    ROOT = sys.argv[1]


    def within(node, name):
        # A schema as a part of one document: references lead to the files under $defs, unknown members are refused.
        if isinstance(node, list):
            return [within(part, name) for part in node]
        if not isinstance(node, dict):
            return node
        result = {key: within(value, name) for key, value in node.items()}
        if isinstance(node.get("$ref"), str):
            file, _, path = node["$ref"].partition("#")
            result["$ref"] = "#/$defs/" + (os.path.basename(file) or name) + path
        if name != "manifest.schema.json" and isinstance(node.get("properties"), dict) and "type" in node:
            result["additionalProperties"] = False
        return result


    files = {name: json.load(open(f"{ROOT}/output/{name}", encoding="utf-8"))
             for name in sorted(os.listdir(f"{ROOT}/output")) if name.endswith(".json")}
    files["manifest.schema.json"] = json.load(open(f"{ROOT}/manifest.schema.json", encoding="utf-8"))
    for schema in files.values():
        Draft202012Validator.check_schema(schema)
    parts = {name: within(schema, name) for name, schema in files.items()}


    def faults(error):
        causes = [cause for part in error.context for cause in faults(part)]
        return causes or ["/".join(map(str, error.absolute_path)) + ": " + error.message[:200]]


    for line in sys.stdin:
        verb, text = line.rstrip("\\n").split("\\t", 1)
        validator = Draft202012Validator({"$ref": f"#/$defs/{verb}.schema.json", "$defs": parts})
        for error in validator.iter_errors(json.loads(text)):
            print(verb, "; ".join(faults(error)), text[:300], sep="\\t")
    """
  private static let manifests = BuiltProducts.packageRoot() + "/manifests"
  private static let python = "/usr/bin/python3"
  private static let isPossible = (try? run(python, ["-c", "import jsonschema"]))?.status == .exited(0)

  /// Command lines that print what the rows of the other tests do not, in this order.
  private static let more = [
    "init --feed signed", "check --bundle bad.js --sources sources.json --against feed --allow size",
    "check --bundle page --sources sources.json", "check --bundle bad.js --sources sources.json --coverage",
    "publish --feed feed --bundle bad.js --sources sources.json",
    "publish --feed feed --bundle bundle-3.js --sources fewer.json",
    "publish --feed feed --bundle bundle-3.js --sources more.json --dry-run",
    "publish --feed feed --bundle bundle-3.js --sources more.json --notes new",
    "publish --feed feed --bundle bundle-3.js --sources more.json", "device check --store store --exit-code",
    "device update --store store", "device check --store store", "device status --store store",
    "device explain --store store --manifest feed/manifest.json", "device activate --store store --out run",
    "device activate --store store --print sources", "device close --store store",
    "device activate --store store --trial-load", "device fail --store store --reason blank",
    "device check --store store", "device update --store store", "device status --store store",
    "device history --store store", "device pin --store store", "device check --store store",
    "device unpin --store store", "device forget --store store", "device check --store nowhere",
    "releases --feed feed", "repair --feed feed", "verify --feed feed", "verify --feed signed",
    "verify --feed signed --root signed/metadata/1.root.json",
    "device init --store far --feed signed --root signed/metadata/1.root.json --embedded app --contract 5 --app-version 2.1",
    "device update --store far", "device status --store far", "device explain --store far",
    "key status --feed signed --root-key root.pem", "rollback --feed feed --yes --reason blank",
    "releases --feed feed", "repair --feed signed --dry-run", "help --markdown",
    "help --man publish",
    "source resolve --sources sources.json ALPHA local NOBODY",
    "key public --key release.pem --out new.pub", "verify --feed http://127.0.0.1:9/ --allow-http-loopback",
  ]

  @Test("every verb has a schema, and every schema a verb")
  func files() throws {
    let names = try namesInDirectory("\(Self.manifests)/output").filter { $0.hasSuffix(".schema.json") }
    let verbs = VerbRow.all.map { $0.words.replacing(" ", with: "-") }
    let common = ["common", "event", "failure"]
    #expect(Set(names) == Set((verbs + common).map { "\($0).schema.json" }))
    let page = try String(contentsOfFile: "\(Self.manifests)/output/README.md", encoding: .utf8)
    for name in common { #expect(page.contains("`\(name).schema.json`"), "\(name)") }
  }

  @Test(
    "what verbs print with --json is what their schemas say, on success and on failure",
    .enabled(if: isPossible, "python3-jsonschema is not installed: run ci/setup"))
  func outputs() throws {
    var lines: [String] = []
    for row in VerbRow.all {
      try withScene { playground in
        let (success, failure) = try (
          SignedScene.filled(row.successLine), SignedScene.filled(row.failureLine)
        )
        lines.append(try line(failure, of: row.words, playground))
        lines.append(try line(success, of: row.words, playground))
        lines.append(try line("\(row.words) --bogus", of: row.words, playground))
      }
    }
    try withScene { playground in
      for words in Self.more {
        let verb = try #require(
          VerbRow.all.map(\.words).filter { words.hasPrefix($0 + " ") }.max { $0.count < $1.count })
        lines.append(try line(words, of: verb, playground))
      }
    }
    let found = try faults(lines)
    #expect(found.isEmpty, "\(found)")
    // The check itself can fail.
    let wrong = try faults(["version\t{\"ok\":true}", lines[1].replacing("\"exit\":", with: "\"odd\":")])
    #expect(wrong.split(separator: "\n").count == 2, "\(wrong)")
  }

  private func line(_ words: String, of verb: String, _ playground: Playground) throws -> String {
    let answer = try playground.tool("\(words) --json")
    #expect(answer.output.split(separator: "\n").count == 1, "\(answer)")
    return verb.replacing(" ", with: "-") + "\t" + answer.output.replacing("\n", with: "")
  }

  private func faults(_ lines: [String]) throws -> String {
    let input = Array((lines.joined(separator: "\n") + "\n").utf8)
    let result = try run(
      Self.python, ["-c", Self.program, Self.manifests], stdin: input, timeout: .seconds(60))
    #expect(result.status == .exited(0), "\(result.errors)")
    return result.output
  }

  private func withScene(_ body: (Playground) throws -> Void) throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      try playground.makeSignedFeed()
      try playground.write("bad.js", "a;\ndebugger;\n\"http://localhost/x\";\n")
      try playground.write("page", "<html>")
      try playground.write("fewer.json", Fixtures.smallCatalog(ids: ["ALPHA"]))
      try playground.write("more.json", Fixtures.smallCatalog(ids: Playground.ids + ["DELTA"]))
      try body(playground)
    }
  }
}
