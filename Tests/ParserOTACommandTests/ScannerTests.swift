import Testing

@testable import ParserOTACommand

@Suite struct ScannerTests {
  @Test(
    "each argument becomes one token",
    arguments: [
      ("--feed", Token.option(name: "--feed", inlineValue: nil, position: 1)),
      ("--feed=a=b", .option(name: "--feed", inlineValue: "a=b", position: 1)),
      ("--feed=", .option(name: "--feed", inlineValue: "", position: 1)),
      ("--=x", .option(name: "--", inlineValue: "x", position: 1)),
      ("-h", .option(name: "-h", inlineValue: nil, position: 1)),
      ("-c=beta", .option(name: "-c", inlineValue: "beta", position: 1)),
      ("-qh", .option(name: "-qh", inlineValue: nil, position: 1)),
      ("-", .value(text: "-", position: 1)),
      ("", .value(text: "", position: 1)),
      ("a b", .value(text: "a b", position: 1)),
      ("é--x", .value(text: "é--x", position: 1)),
      ("--", .end(position: 1)),
    ])
  func table(argument: String, token: Token) {
    #expect(Scanner.tokens(of: [argument]) == [token])
  }

  @Test("after -- everything is a value, a second -- included")
  func end() {
    #expect(
      Scanner.tokens(of: ["x", "--", "--json", "--", "-q"]) == [
        .value(text: "x", position: 1), .end(position: 2), .value(text: "--json", position: 3),
        .value(text: "--", position: 4), .value(text: "-q", position: 5),
      ])
  }
}
