import Testing

/// The rules for error texts are worth something only if a bad text breaks them.
@Suite struct ErrorRulesTests {
  @Test(
    "check 8: a text that breaks a rule is found",
    arguments: [
      ("error: sources.json is missing\n", "neither a hint nor"),
      ("sources.json is missing\nhint: build it\n", "0 error lines"),
      ("error: one\nerror: two\nhint: build it\n", "2 error lines"),
      ("error: The file is missing\nhint: build it\n", "capital"),
      ("error: the file is missing.\nhint: build it\n", "full stop"),
      ("error: the file is missing\nhint: Build it\n", "capital"),
      ("error: cannot open x: error 13\nhint: build it\n", "bare number"),
      ("error: the key is no public key\nhint: build it\n", "says \"is no\""),
      ("error: ask whoever made it\nhint: build it\n", "says \"whoever\""),
      ("error: StorageError of x\nhint: build it\n", "the type StorageError"),
      ("error: no version: Optional(3)\nkept: all\n", "optional"),
      ("error: a\nhint: SourceCatalog.decode said no\n", "the type SourceCatalog"),
    ])
  func broken(text: String, violation: String) throws {
    let found = try ErrorRules.shared.get().violations(in: text)
    #expect(found.contains { $0.contains(violation) }, "\(found)")
  }

  @Test("check 8: a good text breaks no rule")
  func good() throws {
    let text = "error: /srv/feed/sources.json: 0.className is missing\nkept: release 2 is still live\n"
    #expect(try ErrorRules.shared.get().violations(in: text) == [])
    #expect(try ErrorRules.shared.get().typeNames.count > 100)
  }
}
