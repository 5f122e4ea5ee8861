import Testing

@testable import ParserPublisher

@Suite("JavaScript is told from the text in it")
struct ScriptTests {
  private func tokens(_ text: String) -> [String] {
    var scanner = ScriptScanner(Array(text.utf8))
    var found: [String] = []
    while let token = scanner.next() { found.append(scanner.text(token)) }
    return found
  }

  @Test(
    "a slash divides or begins a pattern, by what stands before it",
    arguments: [
      ("a / b / c", ["a", "/", "b", "/", "c"]), ("x = /a b/g;", ["x", "=", "/a b/g", ";"]),
      ("f(/[/'\"]/)", ["f", "(", "/[/'\"]/", ")"]), ("(a) / b / c", ["(", "a", ")", "/", "b", "/", "c"]),
      ("if (a) /b/.test(c)", ["if", "(", "a", ")", "/b/", ".", "test", "(", "c", ")"]),
      ("return /x\\/y/i", ["return", "/x\\/y/i"]), ("i++ / 2 / j", ["i", "++", "/", "2", "/", "j"]),
      ("a[0] / 2 / b", ["a", "[", "0", "]", "/", "2", "/", "b"]),
      ("x => /a/", ["x", "=>", "/a/"]), ("`${a}` / 2 / b", ["`${", "a", "}`", "/", "2", "/", "b"]),
      // A pattern never goes beyond its line, so a wrong guess costs a line and no more.
      ("} / 2\nb /", ["}", "/", "2", "b", "/"]),
    ])
  func slashes(text: String, expected: [String]) { #expect(tokens(text) == expected) }

  @Test(
    "strings, templates and comments are whole, whatever is in them",
    arguments: [
      (#"'a\'b' "c\"d""#, [#"'a\'b'"#, #""c\"d""#]), ("a // b ' c\nd", ["a", "// b ' c", "d"]),
      ("/* ' */ a", ["/* ' */", "a"]), ("`a ' // b`", ["`a ' // b`"]),
      ("`a${ f({ b: `c${d}` }) }e`", ["`a${", "f", "(", "{", "b", ":", "`c${", "d", "}`", "}", ")", "}e`"]),
      ("'never closed\nb", ["'never closed\n", "b"]), ("/* never closed", ["/* never closed"]),
      ("a?.b ?. c ? .5 : d", ["a", "?.", "b", "?.", "c", "?", ".", "5", ":", "d"]),
      ("é$_1", ["é$_1"]),
    ])
  func texts(text: String, expected: [String]) { #expect(tokens(text) == expected) }

  @Test("any bytes come to an end, and every byte is in a token or a blank")
  func anyBytes() {
    var generator = SystemRandomNumberGenerator()
    let alphabet = Array("`'\"/\\*${}()[]ab.\n ?=>".utf8)
    for _ in 0..<300 {
      let bytes = (0..<40).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
      var scanner = ScriptScanner(bytes)
      var end = 0
      while let token = scanner.next() {
        #expect(
          token.range.lowerBound >= end && !token.range.isEmpty, "\(String(decoding: bytes, as: UTF8.self))")
        #expect(bytes[end..<token.range.lowerBound].allSatisfy { $0 <= 0x20 })
        end = token.range.upperBound
      }
      #expect(bytes[end...].allSatisfy { $0 <= 0x20 })
    }
  }

  @Test("places are lines and columns as editors count them")
  func places() {
    let positions = TextPosition(Array("a\n😀 b\r\nc".utf8))
    #expect(positions.place(of: 0, in: "f") == .init(file: "f", line: 1, column: 1))
    #expect(positions.place(of: 7, in: "f") == .init(file: "f", line: 2, column: 4))
    #expect(positions.place(of: 10, in: "f") == .init(file: "f", line: 3, column: 1))
    #expect(positions.place(of: 10, in: "f").text == "f:3:1")
    #expect(positions.offset(of: Array("b".utf8)) == 7 && positions.offset(of: Array("z".utf8)) == nil)
  }
}

@Suite("Calls of a parser's own methods")
struct MemberCallsTests {
  private func calls(_ text: String) -> [String] { MemberCalls(of: Array(text.utf8)).calls.map(\.name) }

  @Test(
    "code of the method's own counts, nested code with another this does not",
    arguments: [
      ("async getDetails(m) { const a = await this.load(m); return this.of(a); }", ["load", "of"]),
      ("x() { return [1].map((a) => this.y(a)); }", ["y"]),
      ("x() { return [1].map(function (a) { return this.y(a); }) + this.z(); }", ["z"]),
      ("x() { return { y() { return this.z(); } }; }", []),
      ("x() { class A { y() { this.z(); } } this.w(); }", ["w"]),
      (
        "x() { if (a) { this.b(); } for (const c of d) { this.e(); } while (f) { this.g(); } }",
        ["b", "e", "g"]
      ),
      ("x() { try { this.a(); } catch (e) { this.b(e); } }", ["a", "b"]),
      ("x(a = () => { }) { this.b(); }", ["b"]), ("x({ a, b } = {}) { this.c(); }", ["c"]),
      ("function (...args) { return this.a(args); }", ["a"]), ("() => { this.a(); }", ["a"]),
      ("x => this.a(x)", ["a"]), ("get title() { return this.a(); }", ["a"]),
      ("*items() { yield this.a(); }", ["a"]), ("async *[Symbol.iterator]() { this.a(); }", ["a"]),
      ("x() { return this?.a(1); }", ["a"]), ("x() { return `${this.a()} ${`${this.b()}`}`; }", ["a", "b"]),
      ("x() { return 'this.a()' + \"this.b()\" + /this.c()/.source; // this.d()\n }", []),
      ("x() { /* this.a() */ return other.this.a() + self.a(); }", []),
      ("x() { this.a.b(); this.c = 1; this.d; }", []),
      ("x(m) { return super.a(m) + super.b; }", ["a"]), ("x() { class A { y() { super.z(); } } }", []),
      ("x() { return this\n  .a\n  (1); }", ["a"]),
    ])
  func whose(text: String, expected: [String]) { #expect(calls(text) == expected) }

  @Test("what is asked for or given before it is called is not missing")
  func guards() {
    func guarded(_ text: String) -> Set<String> { MemberCalls(of: Array(text.utf8)).guarded }
    for text in [
      "x() { if (this.a) this.a(); }", "x() { this.a && this.a(); }", "x() { return this.a ? this.a() : 1; }",
      "x() { return this.a?.(1); }", "x() { if (typeof this.a === 'function') this.a(); }",
      "x() { if (!this.a) return; this.a(); }",
    ] {
      #expect(guarded(text) == ["a"], "\(text)")
    }
    #expect(guarded("x() { return this.a() + f(this.b); }") == [])
    #expect(
      MemberCalls(of: Array("x() { this.a = () => 1; return this.a() === this.b; }".utf8)).assigned == ["a"])
    #expect(MemberCalls(of: Array("x() { return this.a == 1 || this.b === 2; }".utf8)).assigned == [])
  }
}
