import OTACrypto
import OTAManifest
import OTATrust
import Testing
import TrustFixtures

/// Which role is asked about a path, and in which order.
@Suite("Delegations")
struct DelegationTests {
  @Test(
    "patterns match part by part",
    arguments: [
      ("targets/*.tgz", "targets/foo.tgz", true), ("targets/*.tgz", "targets/foo.txt", false),
      ("foo-version-?.tgz", "foo-version-2.tgz", true), ("foo-version-?.tgz", "foo-version-alpha.tgz", false),
      ("*.tgz", "foo.tgz", true), ("*.tgz", "targets/foo.tgz", false), ("foo.tgz", "foo.tgz", true),
      ("foo.tgz", "Foo.tgz", false), ("*", "a", true), ("*", "a/b", false), ("*", "", true), ("?", "é", true),
      ("a*b*c", "aXbYbZc", true), ("a*b*c", "aXbYbZ", false), ("*/*", "a/b", true), ("**", "a/b", false),
      ("[a-c].js", "b.js", true), ("[a-c].js", "d.js", false), ("[!a-c].js", "d.js", true),
      ("[]a].js", "].js", true), ("[a", "[a", true), ("a.js", "a-js", false), ("", "", true),
      ("", "a", false),
      ("a/", "a", false), ("*a*a*a*a*a*a*a*b", String(repeating: "a", count: 200), false),
    ])
  func patterns(pattern: String, path: String, matches: Bool) {
    #expect(PathPattern(pattern).matches(path) == matches)
  }

  /// Roles with what they delegate to; each vouches for nothing itself unless listed in `files`.
  private struct Graph {
    var roles: [String: [(child: String, paths: [String], terminating: Bool)]]
    var files: [String: [String]] = [:]
  }

  /// Walks as a client does: the order of visits, and whether the path was found.
  private func walk(_ graph: Graph, for path: String) throws -> (visited: [String], isFound: Bool) {
    var feed = try TestFeed()
    feed.files = Dictionary(uniqueKeysWithValues: (graph.files["targets"] ?? []).map { ($0, [1]) })
    feed.delegations = try delegations(of: "targets", in: graph)
    for role in Set(graph.roles.values.flatMap { $0.map(\.child) }) {
      let files = Dictionary(uniqueKeysWithValues: (graph.files[role] ?? []).map { ($0, [UInt8(1)]) })
      let body = try feed.targetsBody(files).with("delegations", try delegations(of: role, in: graph))
      feed.delegated[role] = try signed(body, by: [TestKey(40)])
    }
    var set = try TrustedMetadataSet(trustedRoot: feed.rootBytes(), now: TestFeed.now)
    _ = try set.updateTimestamp(feed.timestampBytes())
    try set.updateSnapshot(feed.snapshotBytes())
    var search = DelegationSearch(for: path)
    var visited: [String] = []
    while let edge = try search.next() {
      visited.append(edge.role)
      let bytes = try edge == .top ? feed.targetsBytes() : #require(feed.delegated[edge.role])
      if try search.visit(edge, set.updateTargets(bytes, of: edge)) != nil { return (visited, true) }
    }
    return (visited, false)
  }

  private func delegations(of role: String, in graph: Graph) throws -> JSONValue? {
    guard let children = graph.roles[role] else { return nil }
    let key = try TestKey(40)
    let roles = try children.map { child in
      TestFeed.role(
        try TestFeed.Signers(40),
        [
          JSONMember("name", .string(child.child)), JSONMember("terminating", .bool(child.terminating)),
          JSONMember("paths", .array(child.paths.map { .string($0) })),
        ])
    }
    return object([
      JSONMember("keys", object([JSONMember(key.id, key.entry)])), JSONMember("roles", .array(roles)),
    ])
  }

  @Test("children come before siblings, in the order of the metadata")
  func preOrder() throws {
    let graph = Graph(roles: [
      "targets": [("A", ["*"], false), ("B", ["*"], false)], "A": [("C", ["*"], false), ("D", ["*"], false)],
    ])
    #expect(try walk(graph, for: "x").visited == ["targets", "A", "C", "D", "B"])
  }

  @Test("a terminating role that covers the path ends the search below it")
  func terminating() throws {
    let graph = Graph(
      roles: ["targets": [("A", ["*.js"], true), ("B", ["*"], false)], "A": [("C", ["*"], false)]],
      files: ["B": ["x.js", "x.txt"]])
    let hidden = try walk(graph, for: "x.js")
    #expect(hidden.visited == ["targets", "A", "C"] && !hidden.isFound)
    let found = try walk(graph, for: "x.txt")
    #expect(found.visited == ["targets", "B"] && found.isFound)
  }

  @Test("a role is believed only below patterns that all cover the path")
  func chain() throws {
    let graph = Graph(
      roles: ["targets": [("A", ["a/*"], false)], "A": [("C", ["*/*"], false)]], files: ["C": ["a/1", "b/1"]])
    #expect(try walk(graph, for: "a/1").isFound)
    #expect(try !walk(graph, for: "b/1").isFound)
  }

  @Test("a cycle ends")
  func cycle() throws {
    let graph = Graph(roles: [
      "targets": [("A", ["*"], false)], "A": [("B", ["*"], false)], "B": [("A", ["*"], false)],
    ])
    #expect(try walk(graph, for: "x").visited == ["targets", "A", "B"])
  }

  @Test("more roles, or deeper ones, than an honest feed has end the search with a reason")
  func limits() throws {
    let wide = Graph(roles: ["targets": (0..<40).map { ("R\($0)", ["*"], false) }])
    let tooMany = #expect(throws: TrustError.self) { try walk(wide, for: "x") }
    #expect(tooMany?.reason == .limit)
    var deep = Graph(roles: ["targets": [("R0", ["*"], false)]])
    for level in 0..<20 { deep.roles["R\(level)"] = [("R\(level + 1)", ["*"], false)] }
    let tooDeep = #expect(throws: TrustError.self) { try walk(deep, for: "x") }
    #expect(tooDeep?.reason == .limit)
  }

  @Test("hash prefixes choose a role by the digest of the path")
  func hashPrefixes() throws {
    let digest = try sha256(Array("dir/file".utf8)).hex
    for (prefix, expected) in [(String(digest.prefix(2)), true), (digest, true), ("zz", nil), ("", nil)] {
      #expect(try hashedRole(prefix)?.covers("dir/file") == expected)
    }
    let other = digest.hasPrefix("0") ? "1" : "0"
    #expect(try hashedRole(other)?.covers("dir/file") == false)
  }

  /// A role whose scope is one prefix; `nil` when it is refused.
  private func hashedRole(_ prefix: String) throws -> DelegatedRole? {
    let key = try TestKey(40)
    let role = TestFeed.role(
      try TestFeed.Signers(40),
      [JSONMember("name", "bin"), JSONMember("path_hash_prefixes", .array([.string(prefix)]))])
    return try targets(delegating: [role], key)?.delegations.role(named: "bin")
  }

  private func targets(delegating roles: [JSONValue], _ key: TestKey) throws -> Targets? {
    var feed = try TestFeed()
    feed.delegations = object([
      JSONMember("keys", object([JSONMember(key.id, key.entry)])), JSONMember("roles", .array(roles)),
    ])
    var set = try TrustedMetadataSet(trustedRoot: feed.rootBytes(), now: TestFeed.now)
    _ = try set.updateTimestamp(feed.timestampBytes())
    try set.updateSnapshot(feed.snapshotBytes())
    do {
      return try set.updateTargets(feed.targetsBytes(), of: .top)
    } catch let error as TrustError {
      #expect(error.reason == .malformed)
      return nil
    }
  }

  @Test("a name twice, a top-level name, both kinds of scope or none are refused")
  func malformed() throws {
    let key = try TestKey(40)
    func role(_ name: String, _ more: [JSONMember]) throws -> JSONValue {
      TestFeed.role(try TestFeed.Signers(40), [JSONMember("name", .string(name))] + more)
    }
    let all = JSONMember("paths", ["*"])
    let bins = JSONMember("path_hash_prefixes", ["0"])
    #expect(try targets(delegating: [role("a", [all]), role("b", [bins])], key) != nil)
    #expect(try targets(delegating: [role("a", [all]), role("a", [all])], key) == nil)
    for name in ["", "root", "targets", "snapshot", "timestamp"] {
      #expect(try targets(delegating: [role(name, [all])], key) == nil)
    }
    #expect(try targets(delegating: [role("a", [all, bins])], key) == nil)
    #expect(try targets(delegating: [role("a", [])], key) == nil)
  }
}
