internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let contract = Verb(
    VerbSpec(
      ["contract"], summary: "print what apps and parsers agreed on, as TypeScript declarations",
      manual: VerbManual(
        details: [
          "The declarations by which check and publish judge types. An editor reads them beside the parsers: it then"
            + " completes names and underlines what the check would refuse. What an app's bridge offers beside them goes into a file of"
            + " its own, for --contract-types."
        ],
        examples: ["parser-ota contract > src/parser-contract.d.ts"])),
    run: { _, _ throws(CommandFailure) in
      let types = ContractTypes.standard
      var result = CommandResult.answer("contract", "the contract between apps and parsers", lines: [])
      result.output = .bytes(Array(types.text.utf8))
      result.payload = [
        JSONMember("name", .string(types.name)), JSONMember("declarations", .string(types.text)),
      ]
      return result
    })
}
