import OTAManifest
import Testing

/// Files that a checkout, a merge or a host put in the place of another.
@Suite struct StrayContentTests {
  @Test(
    "N25: a stray file is named as what it is",
    arguments: [
      ("", StrayContent.empty), (" \r\n\t", .empty),
      ("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n", .lfsPointer),
      ("[\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> theirs\n]\n", .mergeConflict(line: 2)),
      ("{\n<<<<<<< HEAD\n", .mergeConflict(line: 2)), (" [1,\n>>>>>>> x\n2]", .mergeConflict(line: 2)),
      ("{\n||||||| merged\n", .mergeConflict(line: 2)), (">>>>>>> x\nvar a", .mergeConflict(line: 1)),
      ("<<<<<<< HEAD\r\n=======\r\n>>>>>>> theirs", .mergeConflict(line: 1)),
      ("\n <!DOCTYPE html>", .page), ("<html>", .page),
    ])
  func recognised(text: String, expected: StrayContent) {
    #expect(StrayContent(Array(text.utf8)) == expected)
    #expect(!expected.message.isEmpty && !expected.advice.isEmpty)
  }

  @Test(
    "what only looks like one is left alone",
    arguments: [
      "[]", "{\"version\":1}", "var a = \"<<<<<<< HEAD\";\n=======\n",
      "// version https://git-lfs.github.com/spec/v1",
      "a\n=======\n<<<<<<< HEAD\n", "var a = `\n<<<<<<< HEAD\n`", "{\n=======\n}", "a <b>",
      "=======\n>>>>>>> x\n",
    ])
  func others(text: String) {
    #expect(StrayContent(Array(text.utf8)) == nil)
  }
}
