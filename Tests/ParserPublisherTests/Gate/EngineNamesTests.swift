import GateScripts
import OTAManifest
import ParserEngine
import TestSupport
import Testing

@testable import ParserPublisher

// Within a suite whose tests look whether an engine is left, so that no two of them run engines at a time.
extension HistoryTests {
  /// A name that the engine has and the table lacks would be called undeclared, and a release refused for it.
  @Suite("The table of names knows all that the engine has")
  struct EngineNamesTests {
    @Test("globals of the page")
    func globals() async throws {
      let file = try #require(GateScripts.reader.first { $0.name == "engine-names.json" })
      let table = try JSONObject(JSONReader.read(file.bytes, maxBytes: 1 << 20, maxDepth: 4))
      let known = Set(try table.string("globals").split(separator: " ").map(String.init))
      let engine = BundleEngine(
        program: try BuiltProducts.path(of: "parser-ota-engine"), environment: ["PATH": "/usr/bin:/bin"])
      let session = try await engine.open(pages: NoPages())
      try await session.install(
        EngineScript(
          name: "names.js", text: "probes.names = () => Object.getOwnPropertyNames(page.window).sort();"))
      let answer = try await session.ask("names", .object([]))
      await session.close()
      guard case .array(let items) = answer else {
        Issue.record("the page tells no names")
        return
      }
      let names = items.compactMap { if case .string(let name) = $0 { name } else { nil } }
      #expect(names.count > 500)
      // What the bridge of apps leaves in their pages is none of the engine's.
      #expect(names.filter { !known.contains($0) && $0 != "__context" } == [])
    }
  }
}
