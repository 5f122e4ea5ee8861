internal import GateScripts
internal import OTAManifest

/// What is asked about a bundle.
struct CodeQuestion: Sendable {
  /// The bundle, and the live one that excuses what it has as well.
  let bundle: [UInt8]
  let live: [UInt8]?
  /// The text of the source map beside the bundle.
  let sourceMap: [UInt8]?
  /// Words by which the catalog makes members of parsers: keys of overrides.
  let catalogWords: [String]
  /// Declarations beside the contract's own.
  let contracts: [ContractTypes]
  /// The engines that must be able to run it.
  let engines: [OldEngine]

  /// The question with the reader's own files, as JSON.
  func encoded(folders: [String]) -> [UInt8] {
    let contracts = [ContractTypes.standard] + contracts
    let question = JSONValue.object([
      JSONMember("bundle", Self.text(bundle)), JSONMember("live", live.map(Self.text) ?? .null),
      JSONMember("sourceMap", sourceMap.map(Self.text) ?? .null),
      JSONMember("catalogWords", .array(catalogWords.map { .string($0) })),
      JSONMember(
        "contracts",
        .array(
          contracts.map {
            .object([JSONMember("name", .string($0.name)), JSONMember("text", .string($0.text))])
          })),
      JSONMember(
        "engines",
        .array(
          engines.map {
            .object([
              JSONMember("name", .string($0.kind.rawValue)), JSONMember("version", .string($0.version.text)),
            ])
          })),
      JSONMember("folders", .array(folders.map { .string($0) })),
    ])
    let files = JSONValue.object(GateScripts.reader.map { JSONMember($0.name, Self.text($0.bytes)) })
    return JSONValue.object([JSONMember("files", files), JSONMember("question", question)]).encoded(
      indented: false)
  }

  private static func text(_ bytes: [UInt8]) -> JSONValue { .string(String(decoding: bytes, as: UTF8.self)) }
}

/// TypeScript declarations of what apps and parsers agreed on.
public struct ContractTypes: Sendable, Equatable {
  /// What findings call the file.
  public var name: String
  /// Its text.
  public var text: String

  /// Names declarations.
  public init(name: String, text: String) { (self.name, self.text) = (name, text) }

  /// The contract that every app keeps.
  public static let standard = ContractTypes(
    name: "parser-contract.d.ts", text: GateScripts.contract)
}
