import Testing

@testable import ParserPublisher

@Suite("A bundle gets its instruments without a line moving")
struct InstrumentedBundleTests {
  private func instrumented(_ text: String) -> InstrumentedBundle {
    InstrumentedBundle(TextPosition(Array(text.utf8)))
  }

  @Test(
    "blocks say that they ran and catch clauses what they caught; objects, classes and choices stay as they are"
  )
  func places() {
    let text = """
      class A extends make({ a: 1 }) { get x() { return { b: 2 }; } }
      const f = (y) => { switch (y) { case 1: try { g(); } catch (e) { h(e); } } };
      try { g(); } catch { } finally { }
      p.catch((e) => ({ e }));
      function s() { "use strict"; if (a) { b(); } else { c(); } }
      """
    let lines = instrumented(text).text.split(separator: "\n").map(String.init)
    func block(_ number: Int) -> String { "\(Instruments.blocks)[\(number)]=1;" }
    #expect(lines[0] == "class A extends make({ a: 1 }) { get x() {\(block(0)) return { b: 2 }; } }")
    #expect(
      lines[1]
        == "const f = (y) => {\(block(1)) switch (y) { case 1: try {\(block(2)) g(); } catch (e) {\(block(3))\(Instruments.caught)(e); h(e); } } };"
    )
    #expect(
      lines[2]
        == "try {\(block(4)) g(); } catch (\(Instruments.thrown)){\(block(5))\(Instruments.caught)(\(Instruments.thrown)); } finally {\(block(6)) }"
    )
    #expect(lines[3] == "p.catch((e) => ({ e }));")
    #expect(
      lines[4] == "function s() { \"use strict\"; if (a) {\(block(7)) b(); } else {\(block(8)) c(); } }")
  }

  @Test("columns of the engine lead back to the text as it was, beyond other letters than Latin ones too")
  func columns() {
    let text = "const a = '漫画'; if (a) { b(); } else { c(); }\nd();"
    let bundle = instrumented(text)
    for (line, source) in bundle.text.split(separator: "\n").enumerated() {
      for name in ["b()", "c()", "d()"] {
        let original = text.split(separator: "\n")[line]
        guard let now = source.firstRange(of: name), let before = original.firstRange(of: name) else {
          continue
        }
        let column = source[..<now.lowerBound].utf16.count + 1
        #expect(
          bundle.column(column, inLine: line + 1) == original[..<before.lowerBound].utf16.count + 1, "\(name)"
        )
      }
    }
    #expect(bundle.column(5, inLine: 99) == 5)
  }

  @Test("selectors are read as the engine would read them, and only where a method takes them")
  func selectors() {
    let bundle = instrumented(
      #"d.querySelector("a[b='c']"); e?.closest('p\n'); x.matches(`q`); y.querySelectorAll(`a${b}`); "a".split("x"); querySelector("z");"#
    )
    #expect(bundle.selectors.map(\.text) == ["a[b='c']", "p\n", "q"])
    #expect(bundle.selectors.first?.offset == 16)
  }

  @Test("names that may get a value are assigned, keys, or texts; a method of a class is none")
  func settable() {
    let names = instrumented(
      "this.a = 1; self.b ??= 2; Object.assign(x, { c: 3, d }); this['e'] = 4; class A { f() { return this.g == 1; } }"
    )
    .settableNames
    #expect(names.isSuperset(of: ["a", "b", "c", "d", "e"]) && names.isDisjoint(with: ["f", "g"]))
  }
}

@Suite("Sources are tried in batches")
struct BatchTests {
  @Test("a family is tried whole once for each set of overrides, and no batch grows with the catalog")
  func plan() {
    let sources = (0..<10_000).map {
      DryRunner.Source(id: "S\($0)", domain: "d", family: "F", isWhole: $0 % 2 == 0)
    }
    let batches = DryRunner.batches(sources)
    #expect(batches.flatMap(\.self) == sources && batches.count > 5)
    #expect(batches.allSatisfy { $0.reduce(0) { $0 + $1.weight } <= 16_000 })
    #expect(DryRunner.batches([]).flatMap(\.self).isEmpty)
  }
}
