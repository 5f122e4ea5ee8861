import Testing

@testable import ParserOTACommand

@Suite struct SpellingTests {
  @Test(
    "edits are counted",
    arguments: [
      ("", "", 0), ("a", "", 1), ("abc", "abc", 0), ("abc", "acb", 1), ("sources", "surces", 1),
      ("kitten", "sitting", 3), ("ab", "ba", 1),
    ])
  func distance(left: String, right: String, edits: Int) {
    #expect(Spelling.distance(Array(left), Array(right)) == edits)
    #expect(Spelling.distance(Array(right), Array(left)) == edits)
  }

  @Test("only a near word is offered")
  func nearest() {
    #expect(Spelling.nearest(to: "--srces", among: ["--feed", "--sources"]) == "--sources")
    #expect(Spelling.nearest(to: "--bundle", among: ["--feed", "--sources"]) == nil)
    #expect(Spelling.nearest(to: "--x", among: ["--to"]) == nil, "nothing of the word would be left")
    #expect(Spelling.nearest(to: "--s", among: ["--sources", "--stable"]) == nil, "two words begin so")
    #expect(Spelling.nearest(to: "", among: ["publish"]) == nil)
  }
}
