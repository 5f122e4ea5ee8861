import OTAStorage
import TestSupport
import Testing

@testable import ParserPublisher

@Suite("The codes of the gate are documented")
struct GateCodeTests {
  @Test("the article Gate has one row for each code and no other")
  func article() throws {
    let article = BuiltProducts.packageRoot() + "/Sources/ParserPublisher/ParserPublisher.docc/Gate.md"
    let text = String(decoding: try readFile(at: article, maxBytes: 1 << 20), as: UTF8.self)
    let table = try #require(text.split(separator: "## Overview").last).prefix { $0 != "#" }
    let codes = table.matches(of: /(?m)^\| `([a-z-]+)` \|/).map { String($0.output.1) }
    #expect(codes.count == Set(codes).count)
    #expect(Set(codes) == Set(GateCode.allCases.map(\.rawValue)))
  }

  @Test("each code says in one phrase what must hold")
  func summaries() {
    for code in GateCode.allCases {
      #expect(!code.summary.isEmpty && code.summary.utf8.count <= 150 && !code.summary.hasSuffix("."))
    }
    #expect(Set(GateCode.allCases.map(\.summary)).count == GateCode.allCases.count)
  }
}
