import Foundation
import OTAManifest
import TestSupport
import Testing

@Suite("the page of codes")
struct CodesTests {
  @Test("B47: every code is documented once, with the status that follows from who must act")
  func everyCodeIsDocumented() throws {
    let path = BuiltProducts.packageRoot() + "/Sources/ParserUpdater/ParserUpdater.docc/Codes.md"
    let page = try String(contentsOfFile: path, encoding: .utf8)
    var documented: [String: String] = [:]
    for line in page.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      documented[cells[0].trimmingCharacters(in: ["`"])] = cells[1]
    }
    let statuses: [Responsibility: String] = [
      .notAchieved: "1", .misuse: "2", .untrustedContent: "3", .tryLater: "4", .localDisk: "5",
      .conflict: "6",
      .busy: "7", .notPermitted: "8",
    ]
    for code in ProblemCode.allCases {
      #expect(documented[code.rawValue] == statuses[code.responsibility], "\(code.rawValue)")
    }
    #expect(documented.count == ProblemCode.allCases.count)
  }
}
