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
struct MemberUsesTests {
  private func calls(_ text: String) -> [String] { MemberUses(of: Array(text.utf8)).calls.map(\.name) }

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
      ("x() { const self = this; f(function () { self.a(); }); }", ["a"]),
      ("x() { return this['a'](1) + this[b](); }", ["a"]), ("x() { return this.a`b`; }", ["a"]),
      ("x() { this.a.b(); this.c = 1; this.d; }", []),
      ("x(m) { return super.a(m) + super.b; }", ["a"]), ("x() { class A { y() { super.z(); } } }", []),
      ("x() { return this\n  .a\n  (1); }", ["a"]),
    ])
  func whose(text: String, expected: [String]) { #expect(calls(text) == expected) }

  @Test(
    "what is asked for before it is called may be missing",
    arguments: [
      "x() { if (this.a) this.a(); }", "x() { this.a && this.a(); }", "x() { return this.a ? this.a() : 1; }",
      "x() { return this.a?.(1); }", "x() { if (typeof this.a === 'function') this.a(); }",
      "x() { if (!this.a) return; this.a(); }", "x() { if (this.a !== undefined) this.a(); }",
      "x() { if ('a' in this) this.a(); }", "x() { if (Object.hasOwn(this, 'a')) this.a(); }",
      "x() { const { a } = this; if (a) this.a(); }",
      "x() { const { b, a = null } = this; if (a) this.a(); }",
      "x() { if (typeof this['a'] === 'function') this.a(); }", "x() { if (Boolean(this.a)) this.a(); }",
    ])
  func tests(text: String) { #expect(MemberUses(of: Array(text.utf8)).tested.contains("a"), "\(text)") }

  @Test("what the code gives a value, under its own name or another one")
  func assignments() {
    func uses(_ text: String) -> MemberUses { MemberUses(of: Array(text.utf8)) }
    for text in [
      "x() { this.a = () => 1; return this.a() === this.b; }", "x() { this.a ??= 1; }",
      "x() { this.a ||= 1; }",
      "x() { const self = this; self.a = 1; }", "x() { ({ a: this.a } = y); }", "x() { [this.a] = y; }",
    ] {
      #expect(uses(text).assigned == ["a"], "\(text)")
    }
    #expect(uses("x() { return this.a == 1 || this.b === 2 || f(this.c) >= 3; }").assigned == [])
    for text in [
      "x() { this[k] = 1; }", "x() { Object.assign(this, y); }", "x() { Object.defineProperty(this, k, v); }",
    ] {
      #expect(uses(text).makesMembers, "\(text)")
    }
    #expect(!uses("async x() { return this.context.httpGet(y, this) + this[k] + f(this.z); }").makesMembers)
  }

  @Test("a call that is all that an empty catch can be for is an optional one")
  func catching() {
    func catching(_ text: String) -> [MemberUses.Call.Catching] {
      MemberUses(of: Array(text.utf8)).calls.map(\.catching)
    }
    #expect(catching("x() { try { this.a(); } catch {} }") == [.optional])
    #expect(catching("async x() { try { await this.a() } catch (e) {} }") == [.optional])
    #expect(catching("x() { try { return this.a(); } catch { return 1; } }") == [.caught])
    #expect(catching("x() { try { this.a(); y(); } catch {} }") == [.caught])
    #expect(catching("x() { try { y(); } catch { this.a(); } finally { this.b(); } }") == [.none, .none])
    #expect(catching("x() { try { this.a(); } finally { y(); } }") == [.none])
  }

  @Test("a method that is read as a text, and a this that is lost")
  func misuse() {
    func uses(_ text: String) -> MemberUses { MemberUses(of: Array(text.utf8)) }
    for text in [
      "x() { return `${this.a}/b`; }", "x() { return 'b' + this.a; }", "x() { return this.a + '/b'; }",
      "x() { return this.a.split('/'); }",
    ] {
      #expect(uses(text).readings.map(\.name) == ["a"], "\(text)")
    }
    for text in [
      "x() { return `${this.a()}`; }", "x() { y.map(this.a); }", "x() { return this.a.bind(this); }",
    ] {
      #expect(uses(text).readings == [], "\(text)")
    }
    for text in [
      "x() { return y.map(function (z) { return this.a(z); }); }",
      "x() { return y.then(async function () { await this.a(); }); }",
      "x() { function f() { return this.a(); } return f(); }",
    ] {
      #expect(uses(text).lost.map(\.name) == ["a"], "\(text)")
    }
    for text in [
      "x() { return y.map(function (z) { return this.a(z); }, this); }",
      "x() { return y.map(function (z) { return this.a(z); }.bind(this)); }",
      "x() { return each(y, function () { this.a(); }); }", "x() { return { f() { this.a(); } }; }",
      "x() { function F() { this.a = 1; } return new F(); }", "x() { y.map((z) => this.a(z)); }",
    ] {
      #expect(uses(text).lost == [], "\(text)")
    }
  }
}
