import Foundation
import TestSupport
import Testing

/// One verb of the tool, with a command line that works in a playground with a confirmed device and a signed feed, and
/// one that does not.
struct VerbRow: CustomTestStringConvertible, Sendable {
  let words: String
  let success: String
  let failure: String
  let failureStatus: Int32

  init(_ words: String, _ success: String, fails failure: String, _ failureStatus: Int32) {
    (self.words, self.success, self.failure) = (words, success, failure)
    self.failureStatus = failureStatus
  }

  var testDescription: String { words }
  var successLine: String { "\(words) \(success)" }
  var failureLine: String { "\(words) \(failure)" }
  /// The words of the verb and the arguments that stand before the options of the success.
  var wordsAndArguments: [String] {
    (words.split(separator: " ") + success.split(separator: " ").prefix { !$0.hasPrefix("-") }).map(
      String.init)
  }

  private static let files = "--bundle bundle-3.js --sources sources.json"
  private static let parser = "--bundle bundle-1.js --sources sources.json"
  private static let change = "--feed signed --root-key root.pem"

  /// Every verb; a test compares the list with the help of the tool.
  static let all = [
    VerbRow("init", "--feed other --checksums-only", fails: "--feed bundle-1.js --checksums-only", 2),
    VerbRow("check", "\(files) --against feed", fails: "\(files) --against nowhere", 2),
    VerbRow("publish", "--feed feed \(files)", fails: "--feed store \(files)", 2),
    VerbRow(
      "promote", "--feed steps --from beta --to stable", fails: "--feed steps --from bete --to stable", 1),
    VerbRow("rollout status", "--feed steps", fails: "--feed feed", 1),
    VerbRow("rollout advance", "--feed steps", fails: "--feed feed", 1),
    VerbRow("rollout set", "25% --feed steps", fails: "25% --feed feed", 1),
    VerbRow("rollout halt", "--feed steps", fails: "--feed feed", 1),
    VerbRow("rollout resume", "--feed steps", fails: "--feed feed", 1),
    VerbRow("rollout complete", "--feed steps", fails: "--feed feed", 1),
    VerbRow("channels", "--feed steps", fails: "--feed store", 2),
    VerbRow("channel retire", "beta --feed steps --yes", fails: "bete --feed steps --yes", 1),
    VerbRow("advise", "ALPHA --state broken --feed steps", fails: "NOBODY --state broken --feed steps", 1),
    VerbRow("rollback", "--feed feed --yes", fails: "--feed feed --to 99 --yes", 1),
    VerbRow(
      "refresh", "--feed signed --release-key release.pem",
      fails: "--feed signed --release-key other.pem", 1),
    VerbRow("releases", "--feed feed", fails: "--feed store", 2),
    VerbRow("verify", "--feed feed", fails: "--feed app", 3),
    VerbRow("doctor", "--feed feed", fails: "--feed bundle-1.js", 2),
    VerbRow("repair", "--feed feed", fails: "--feed store", 2),
    VerbRow("prune", "--feed feed", fails: "--feed store", 2),
    VerbRow("mirror", "--from feed --to copied", fails: "--from feed --to signed", 2),
    VerbRow("embed", "--feed feed --out out", fails: "--feed feed --out out --version 99", 1),
    VerbRow("export", "--feed feed --out out.tar.zst", fails: "--feed feed --out bundle-1.js", 1),
    VerbRow("import", "signed.tar.zst --feed feed", fails: "bundle-1.js --feed feed", 3),
    VerbRow("faults", "--feed feed --seconds 1", fails: "--feed store", 2),
    VerbRow(
      "run", "list \(parser) --source ALPHA --fixtures fixtures --engine engine",
      fails: "list \(parser) --source NOBODY", 1),
    VerbRow(
      "record", "\(parser) --source ALPHA --out recordings --engine engine",
      fails: "\(parser) --source NOBODY --out recordings", 1),
    VerbRow(
      "bisect", "--feed feed --source ALPHA --fixtures fixtures --engine engine",
      fails: "--feed feed --source BETA --fixtures fixtures", 1),
    VerbRow("config", "", fails: "--config nowhere.json", 2),
    VerbRow(
      "config init", "--yes --out made.json --base-url https://parsers.example/feed/",
      fails: "--out bundle-1.js", 1),
    VerbRow("status", "--feed feed", fails: "--feed store", 2),
    VerbRow(
      "diff", "1 live --feed feed --no-gate", fails: "1 99 --feed feed --no-gate", 1),
    VerbRow(
      "survey", "\(parser) --source ALPHA --fixtures fixtures --engine engine",
      fails: "\(parser) --source NOBODY", 1),
    VerbRow(
      "device init", "--store other --feed feed --checksums-only --embedded app",
      fails: "--store other --feed feed --checksums-only --embedded feed", 3),
    VerbRow("device check", "--store store", fails: "--store feed", 2),
    VerbRow("device update", "--store store", fails: "--store feed", 2),
    VerbRow("device import", "release.tar.zst --store store", fails: "bundle-1.js --store store", 3),
    VerbRow("device activate", "--store store", fails: "--store feed", 2),
    VerbRow("device confirm", "--store store", fails: "--store store --release 9", 1),
    VerbRow("device close", "--store store", fails: "--store store --release 9", 1),
    VerbRow("device fail", "--store store --reason blank", fails: "--store store --release 99", 1),
    VerbRow("device rollback", "--store store", fails: "--store feed", 2),
    VerbRow("device pin", "--store store", fails: "99 --store store", 1),
    VerbRow("device unpin", "--store store", fails: "--store feed", 2),
    VerbRow("device forget", "--store store", fails: "99 --store store", 1),
    VerbRow("device channel", "beta --store store", fails: "--store feed", 2),
    VerbRow("device advisories", "--store store", fails: "--store feed", 2),
    VerbRow("device status", "--store store", fails: "--store feed", 2),
    VerbRow("device history", "--store store", fails: "--store feed", 2),
    VerbRow("device explain", "--store store", fails: "--store store --manifest bundle-1.js", 3),
    VerbRow("key generate", "--out new.pem", fails: "--out release.pem", 1),
    VerbRow("key public", "--key release.pem", fails: "--key release.pem --out sources.json", 1),
    VerbRow("key list", "--feed signed", fails: "--feed feed", 1),
    VerbRow("key status", "--feed signed --public other.pem.pub", fails: "--feed feed", 1),
    VerbRow(
      "key add", "\(change) --role release --public other.pem.pub --release-key release.pem",
      fails: "\(change) --role root --public root.pem.pub", 1),
    VerbRow(
      "key remove", "\(change) --role root --key-id SPARE_ID",
      fails: "\(change) --role root --key-id RELEASE_ID", 1),
    VerbRow(
      "key rotate",
      "\(change) --role release --from RELEASE_ID --to-public other.pem.pub --release-key other.pem",
      fails: "\(change) --role release --from SPARE_ID --to-public other.pem.pub", 1),
    VerbRow(
      "key threshold", "\(change) --root-key spare.pem --role root --threshold 2",
      fails: "\(change) --role root --threshold 9", 1),
    VerbRow("root prepare", "--feed signed --out new.root.json", fails: "--feed signed --out root.pem", 1),
    VerbRow(
      "root sign", "next.root.json --root-key root.pem",
      fails: "next.root.json --root-key other.pem --previous signed/metadata/1.root.json", 1),
    VerbRow(
      "root commit", "next.root.json --feed signed --root-key root.pem",
      fails: "next.root.json --feed signed", 1),
    VerbRow("source list", "--sources sources.json", fails: "--sources bundle-1.js", 3),
    VerbRow("source resolve", "--sources sources.json ALPHA", fails: "--sources sources.json NOBODY", 1),
    VerbRow("simulate", "--plan plan.json", fails: "--plan bundle-1.js", 3),
    VerbRow("contract", "", fails: "x", 2),
    VerbRow("help", "publish", fails: "publisch", 2),
    VerbRow("version", "", fails: "now", 2),
    VerbRow("completions", "bash", fails: "tcsh", 2),
  ]
}

/// What the reference page says about one option.
struct ReferenceOption: Sendable {
  let name: String
  let valueName: String?
  let isRequired: Bool
  let isRepeatable: Bool

  /// A value that is read without complaint by most readers; what it means is of no matter to the tests of the scanner.
  var sample: String {
    switch valueName {
    case "N", "VERSION": "1"
    case "V": "1.0"
    case "SHA256": String(repeating: "0", count: 64)
    case "URL": "https://feed.example/"
    case "OLD=NEW": "A=B"
    case "ID" where name == "--launch": "0123456789abcdef"
    case "ROLE": "release"
    case "CODE[:ID]": "size"
    case "NAME" where name == "--global": "Parsers"
    case "ROLE=FILE": "release=x"
    case "ROLE=N": "release=1"
    case "ROLE=KEYID": "release=\(String(repeating: "0", count: 64))"
    case "WHAT": "bundle"
    case "FORMAT": "shell"
    case "TAG": "v1.0"
    case "SECONDS": "9"
    case "STEPS": "10%"
    case "RANGE": "1.0..2.0"
    case "STATE": "broken"
    case "DATE": "7d"
    case "HOST": "new.example"
    default: "x"
    }
  }
}

/// The reference that the tool prints, read back; so a new verb or option is covered without a word here.
struct Reference: Sendable {
  /// Options by the words of their verb.
  let options: [String: [ReferenceOption]]
  /// Example command lines by the words of their verb.
  let examples: [String: [String]]

  static let shared = Result { try Reference() }

  private init() throws {
    let text = try run(Tool.path(), ["help", "--markdown"], environment: Tool.bareEnvironment).output
    var options: [String: [ReferenceOption]] = [:]
    var examples: [String: [String]] = [:]
    for section in text.components(separatedBy: "\n## ").dropFirst() {
      let lines = section.split(separator: "\n").map(String.init)
      guard let title = lines.first, title.hasPrefix("parser-ota ") else { continue }
      let words = String(title.dropFirst("parser-ota ".count))
      options[words] = lines.compactMap(Self.option)
      let code = section.components(separatedBy: "Examples:").dropFirst().first ?? ""
      examples[words] = code.split(separator: "\n").map(String.init).filter { $0.hasPrefix("parser-ota ") }
    }
    (self.options, self.examples) = (options, examples)
  }

  /// Options in a hint that neither the verb of the command line has nor the command that the hint shows.
  func strangers(in hint: String, of arguments: [String]) -> [String] {
    let own = verb(arguments)
    var verb = own
    var strangers: [String] = []
    let words = hint.split(separator: " ").map(String.init)
    for (index, word) in words.enumerated() {
      if word == "parser-ota" { verb = self.verb(Array(words[(index + 1)...])) }
      if let option = word.prefixMatch(of: #/[('"]?(--[a-z][a-z-]*)/#).map({ String($0.output.1) }),
        !Self.common.contains(option),
        verb.isEmpty || options[verb]?.contains(where: { $0.name == option }) != true
      {
        strangers.append(option)
      }
      // A command ends where its sentence does.
      if word.hasSuffix(";") { verb = own }
    }
    return strangers
  }

  private static let common = ["--json", "--quiet", "--no-color", "--help", "--version"]

  /// The words at the beginning that call a verb; empty when none do.
  private func verb(_ words: [String]) -> String {
    for count in [2, 1] {
      let name = words.prefix(count).map { $0.trimmingCharacters(in: [",", ";", ":"]) }.joined(separator: " ")
      if options[name] != nil { return name }
    }
    return ""
  }

  private static func option(_ line: String) -> ReferenceOption? {
    guard line.hasPrefix("| `"), let match = line.firstMatch(of: #/`(--[a-z-]+)( [^`]+)?`/#) else {
      return nil
    }
    return ReferenceOption(
      name: String(match.output.1), valueName: match.output.2.map { String($0.dropFirst()) },
      isRequired: line.contains("(required") || line.contains(", required"),
      isRepeatable: line.contains("may be repeated"))
  }
}
