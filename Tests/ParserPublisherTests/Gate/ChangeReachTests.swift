import Testing

@testable import ParserPublisher

@Suite("What a change can reach runs twice, and nothing else")
struct ChangeReachTests {
  private static let bundle = """
    function helper(x) { return x; }
    class Base {
      page(url) { return helper(url); }
    }
    class Alpha extends Base {
      getListPage() {
        return [];
      }
    }
    var Beta = class extends Alpha {
      getPages() { return Gamma.images(); }
    };
    class Gamma extends Base {
      static images() { return []; }
    }
    class Delta extends Base {
      getPages() { return []; }
    }
    var FAMILIES = { Alpha, Beta, Gamma, Delta };
    """

  private func reach(_ old: String, _ new: String) -> Set<String>? {
    let (old, new) = (Self.bundle, Self.bundle.replacing(old, with: new))
    return ChangeReach(
      from: InstrumentedBundle(TextPosition(Array(old.utf8))),
      to: InstrumentedBundle(TextPosition(Array(new.utf8)))
    ).classes
  }

  @Test("a class reaches those that inherit from it and those that name it; a comment reaches none")
  func classes() {
    #expect(reach("getPages() { return []; }", "getPages() { return [1]; }") == ["Delta"])
    #expect(reach("    return [];\n", "    return [{}];\n") == ["Alpha", "Beta"])
    #expect(reach("    return [];\n", "") == ["Alpha", "Beta"], "a line that is gone")
    #expect(reach("static images() { return []; }", "static images() { return 1; }") == ["Gamma", "Beta"])
    #expect(reach("helper(url)", "helper(url + 1)") == ["Base", "Alpha", "Beta", "Gamma", "Delta"])
    #expect(
      reach("class Base {", "// changed\n\nclass Base {")?.isSubset(of: [
        "Base", "Alpha", "Beta", "Gamma", "Delta",
      ]) == true)
    #expect(reach("};\nclass Gamma", "};\n// a note\n\nclass Gamma") != nil)
  }

  @Test("a helper, a table, and a class that other code reads from reach everything")
  func everything() {
    #expect(reach("return x; }", "return x + 1; }") == nil)
    #expect(reach("Gamma, Delta }", "Gamma }") == nil)
    #expect(reach("var FAMILIES", "Delta.title = 'd';\nvar FAMILIES") == nil)
    #expect(reach("class Delta extends Base {", "class Delta extends Gamma {") == ["Delta"])
    #expect(reach("class Delta", "let loose = 1; class Delta") == nil)
  }

  @Test("one line of minified code is one line: everything counts as changed")
  func minified() {
    let old = Array("class A{a(){}}class B{b(){}}".utf8)
    let new = Array("class A{a(){}}class B{b(){return 1}}".utf8)
    let reach = ChangeReach(
      from: InstrumentedBundle(TextPosition(old)), to: InstrumentedBundle(TextPosition(new)))
    #expect(reach.classes == nil)
  }
}
