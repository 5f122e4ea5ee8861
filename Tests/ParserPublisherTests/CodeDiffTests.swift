import OTAFeed
import OTAManifest
import TestSupport
import Testing

@testable import ParserPublisher

/// What a change of code touches: told part by part, without running anything.
@Suite struct CodeDiffTests {
  private static func catalog() throws -> SourceCatalog {
    let entries = [("A", "Alpha"), ("B", "Beta"), ("C", "Alpha")].map { id, family in
      "{\"id\":\"\(id)\",\"className\":\"X\(id)\",\"title\":\"\(id)\",\"locale\":\"en\",\"domain\":\"\(id).example\","
        + "\"family\":\"\(family)\",\"isNsfw\":false,\"overrides\":{}}"
    }
    return try SourceCatalog.decode(Array("[\(entries.joined(separator: ","))]".utf8))
  }

  private static let bundle = """
    (function () {
      // A comment.
      function helper(x) { return x + 1 }
      class Base { list() { return [] } }
      class Alpha extends Base { a() { return helper(1) } }
      class Beta extends Base { b() { return "}" + `class Gamma {` } }
      const catalog = [{ id: "A", domain: "A.example" }, { id: "B" }, { id: "C" }];
      const limit = 10;
      globalThis.NyoraParsers = { getAllSources: () => catalog };
    })();
    """

  private func diff(_ change: (String) -> String) throws -> CodeDiff {
    let catalog = try Self.catalog()
    return try CodeDiff(
      from: Array(Self.bundle.utf8), catalog, to: Array(change(Self.bundle).utf8), catalog)
  }

  @Test("white space, comments and the bundle's copy of the catalog are no change of code")
  func noChange() throws {
    #expect(try diff { $0 }.isEmpty)
    #expect(try diff { $0.replacing("// A comment.", with: "/* Another one */\n\n") }.isEmpty)
    #expect(try diff { $0.replacing("domain: \"A.example\"", with: "domain: \"moved.example\"") }.isEmpty)
  }

  @Test("a class touches the sources of its family; a base and a helper touch all that lead to them")
  func touched() throws {
    let beta = try diff { $0.replacing("return \"}\"", with: "return \"{\"") }
    #expect(beta.changed == ["Beta"] && beta.touched.map(\.text) == ["B"] && !beta.isSharedCodeChanged)
    let base = try diff { $0.replacing("return []", with: "return [1]") }
    #expect(base.changed == ["Base"] && Set(base.touched.map(\.text)) == ["A", "B", "C"])
    let helper = try diff { $0.replacing("x + 1", with: "x + 2") }
    #expect(helper.changed == ["helper"] && helper.touched.map(\.text) == ["A", "C"])
    #expect(helper.families.map(\.name) == ["Alpha"])
  }

  @Test("classes that come and go are named, and code outside of them is shared")
  func parts() throws {
    let added = try diff { $0.replacing("const limit", with: "class Delta extends Base {}\nconst limit") }
    #expect(added.added == ["Delta"] && added.removed.isEmpty && added.touched.isEmpty)
    let shared = try diff { $0.replacing("limit = 10", with: "limit = 20") }
    #expect(shared.isSharedCodeChanged && shared.changed.isEmpty)
  }

  @Test("any bytes can be compared, whatever brackets they lack")
  func broken() throws {
    for text in [
      "class {", "class A extends (", "function f(", "x = (function", "`${", "class A { b() {", "",
    ] {
      let catalog = try Self.catalog()
      _ = try CodeDiff(from: Array(text.utf8), catalog, to: Array("class A {}".utf8), catalog)
      _ = try CodeDiff(from: Array("class A {}".utf8), catalog, to: Array(text.utf8), catalog)
    }
  }

  @Test("a release, its files and the live one are compared; a number that is not kept is named")
  func releases() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one")
    try await feed.publish("two", ids: ["ABC", "DEF", "GHI"])
    let location = FeedLocation.directory(feed.feed)
    let old = try await ComparedRelease(
      try #require(ReleaseVersion(1)), of: location, trust: nil, allowsPlainHTTPOnLoopback: false)
    let live = try await ComparedRelease(
      live: .stable, of: location, trust: nil, allowsPlainHTTPOnLoopback: false)
    let comparison = try await ReleaseComparison(from: old, to: live)
    #expect(comparison.catalog.added.map(\.text) == ["GHI"])
    #expect(comparison.old.name == "release 1" && comparison.new.sourceCount == 3)
    let same = try await ReleaseComparison(from: live, to: live)
    #expect(same.isEmpty)
    let problem = await #expect(throws: Problem.self) {
      _ = try await ComparedRelease(
        try #require(ReleaseVersion(9)), of: location, trust: nil, allowsPlainHTTPOnLoopback: false)
    }
    #expect(problem?.code == .noSuchRelease)
  }
}
