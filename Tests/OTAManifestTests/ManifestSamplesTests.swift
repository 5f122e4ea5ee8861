import Foundation
import OTAManifest
import TestSupport
import Testing

/// The files under `manifests/`, read as they are.
private enum Samples {
  static let root = BuiltProducts.packageRoot(of: #filePath) + "/manifests"

  /// A line of `refused/EXPECTED.tsv`.
  struct Refusal: Sendable, CustomTestStringConvertible {
    let file: String
    let reason: String
    let field: String

    var testDescription: String { file }
  }

  static func names(in folder: String) -> [String] {
    ((try? namesInDirectory("\(root)/\(folder)")) ?? []).filter { $0.hasSuffix(".json") }
  }

  static func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(path)")))
  }

  static func refusals() -> [Refusal] {
    let table = (try? String(contentsOfFile: "\(root)/refused/EXPECTED.tsv", encoding: .utf8)) ?? ""
    return table.split(separator: "\n").dropFirst().map { line in
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return Refusal(file: columns[0], reason: columns[1], field: columns[2])
    }
  }
}

@Suite("The sample manifests mean what their folder says")
struct ManifestSamplesTests {
  @Test(
    "Samples that must be read are read, and writing them again loses nothing",
    arguments: Samples.names(in: "accepted"))
  func accepted(name: String) throws {
    let manifest = try Manifest.decode(Samples.bytes("accepted/\(name)"))
    let written = manifest.encoded()
    let again = try Manifest.decode(written)
    #expect(again == manifest)
    #expect(again.encoded() == written)
  }

  @Test(
    "Samples that must be read keep their values as Foundation reads them",
    arguments: Samples.names(in: "accepted"))
  func values(name: String) throws {
    let bytes = try Samples.bytes("accepted/\(name)")
    let manifest = try Manifest.decode(bytes)
    let theirs = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
    let ours = try #require(
      try JSONSerialization.jsonObject(with: Data(manifest.json.encoded(indented: false))) as? NSDictionary)
    for case let (key as String, value) in ours where theirs[key] != nil {
      #expect(comparable(value) == comparable(theirs[key] ?? NSNull()), "\(name): \(key)")
    }
    let invented = Set(ours.allKeys.compactMap { $0 as? String }).subtracting(
      theirs.allKeys.compactMap { $0 as? String })
    #expect(invented.isSubset(of: ["channel", "content"]), "fields that were not in the file")
  }

  /// What two readings of a field must share: digests and the schemes and hosts of URLs have no case, unknown fields
  /// are dropped.
  private func comparable(_ value: Any) -> NSObject {
    switch value {
    case let file as NSDictionary where file["sha256"] != nil:
      let known = ["url", "sha256", "bytes"].map { comparable(file[$0] ?? NSNull()) }
      return known as NSArray
    case let text as String: return text.lowercased() as NSString
    case let other as NSObject: return other
    default: return NSNull()
    }
  }

  @Test(
    "Samples that must be refused are, with the reason and the field of the table",
    arguments: Samples.refusals())
  fileprivate func refused(sample: Samples.Refusal) throws {
    let bytes = try Samples.bytes("refused/\(sample.file)")
    let error = try #require(throws: InputError.self) { try Manifest.decode(bytes) }
    #expect(error.reason.rawValue == sample.reason, "\(error.message)")
    #expect(error.field == sample.field, "\(error.message)")
    #expect(error.message.hasPrefix(sample.field), "\(error.message)")
    #expect(typeNames(in: error) == [], "\(error.message)")
    #expect(error.detail.utf8.count <= 200 && !error.message.contains("\n"), "\(error.message)")
    #expect(error.detail.first?.isLowercase == true && error.detail.last != ".", "\(error.message)")
  }

  /// Words in what a person reads that look like names of Swift code: `InputError`, `Optional(…)`, `.wrongType`.
  private func typeNames(in error: InputError) -> [String] {
    // The field is a name of the file's own, whatever its spelling; so are the texts that the detail quotes.
    let detail = error.detail.replacing(/"[^"]*"/, with: "")
    return detail.matches(
      of:
        /\b(?:[A-Z][a-z]+[A-Z]\w*|[A-Z]{2,}[a-z]\w*|[a-z]+[A-Z]\w*|Optional\(|Swift\.|nil\b)|\B\.[a-z]+[A-Z]\w*/
    )
    .map { String($0.output) }
    .filter { !["UTF-8"].contains($0) }
  }

  @Test("The search for names of Swift code finds some")
  func typeNamesAreFound() {
    for text in ["is JSONValue.null", "is Optional(5)", "failed: InputError", "has .wrongType"] {
      #expect(!typeNames(in: InputError(.syntax, text)).isEmpty, "\(text)")
    }
  }

  @Test(
    "B31 B33 B34 B50 B67: each refused file has its line, is named after its reason, and no reason is forgotten"
  )
  func tableIsComplete() {
    let refusals = Samples.refusals()
    #expect(refusals.map(\.file) == Samples.names(in: "refused"))
    for refusal in refusals { #expect(refusal.file.hasPrefix("\(refusal.reason)--"), "\(refusal.file)") }
    let catalogsOnly: Set<String> = [InputError.Reason.duplicateID.rawValue]
    let reasons = Set(InputError.Reason.allCases.map(\.rawValue)).subtracting(catalogsOnly)
    #expect(Set(refusals.map(\.reason)) == reasons)
    #expect(Samples.names(in: "accepted").contains("old-feed.json"))
  }

  @Test("The field names of an old feed are all that an old feed needs")
  func oldFeed() throws {
    let manifest = try Manifest.decode(Samples.bytes("accepted/old-feed.json"))
    #expect(manifest.version.number == 37 && manifest.content.number == 37 && manifest.channel == .stable)
    #expect(manifest.bundle.location.text == "https://parsers.example/parsers.bundle.js")
    #expect(manifest.bundle.bytes == 547_986 && manifest.sources.bytes == 64_210)
    #expect(manifest.contract == nil && manifest.minimumAppVersion == nil && manifest.released == nil)
    #expect(manifest.withdrawn.isEmpty && manifest.aliases.isEmpty && manifest.requires.isEmpty)
  }
}

@Suite("The JSON Schema of manifests agrees with the samples")
struct ManifestSchemaTests {
  /// Validates every sample and prints one line for each: folder, name, and `passes`, `refuses` or `unreadable`.
  private static let program = """
    import glob, json, sys
    from jsonschema import Draft202012Validator
    root = sys.argv[1]
    schema = json.load(open(root + "/manifest.schema.json", encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for folder in ("accepted", "refused"):
        for path in sorted(glob.glob(root + "/" + folder + "/*.json")):
            name = path.rsplit("/", 1)[1]
            try:
                document = json.loads(open(path, "rb").read().decode("utf-8"))
            except (ValueError, RecursionError):
                print(folder, name, "unreadable")
                continue
            print(folder, name, "passes" if validator.is_valid(document) else "refuses")
    """

  private static let python = "/usr/bin/python3"
  private static var hasJSONSchema: Bool {
    (try? run(python, ["-c", "import jsonschema"]))?.status == .exited(0)
  }

  @Test(
    "Accepted samples pass the schema; it refuses all that a schema can refuse",
    .enabled(if: hasJSONSchema, "python3-jsonschema is not installed: run ci/setup"))
  func schemaAgrees() throws {
    let result = try run(Self.python, ["-c", Self.program, Samples.root])
    #expect(result.status == .exited(0), "\(result.errors)")
    let lines = result.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    let accepted = lines.filter { $0[0] == "accepted" }
    #expect(accepted.count == Samples.names(in: "accepted").count)
    for line in accepted { #expect(line[2] == "passes", "\(line[1])") }

    let passed = lines.filter { $0[0] == "refused" && $0[2] == "passes" }.map { $0[1] }
    for name in passed { #expect(Self.isBeyondSchemas(name), "the schema lets \(name) pass") }
    #expect(lines.count { $0[0] == "refused" && $0[2] == "refuses" } > 100)
  }

  /// Whether a refused sample is wrong in a way that `manifests/README.md` says no schema can see.
  private static func isBeyondSchemas(_ name: String) -> Bool {
    let bytesOnly = [
      "duplicate-key--", "ambiguous-key--", "syntax--half-a-surrogate-pair", "too-deep--",
      "too-large--64-kib",
    ]
    let integersToASchema = ["38.0", "3.8e1", "1e2", "-exponent", "-fraction"]
    let meaning = [
      "impossible-date", "withdrawn-itself", "content-later", "dot-dot-absolute", "encoded-slash",
      "encoded-nul",
      "encoded-back-slash", "number-as-host", "fixtures-sum", "port-0", "port-65536",
    ]
    return bytesOnly.contains { name.hasPrefix($0) }
      || (name.hasPrefix("wrong-type--") && integersToASchema.contains { name.contains($0) })
      || meaning.contains { name.contains($0) }
  }
}
