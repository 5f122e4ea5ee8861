import Foundation
import TestSupport
import Testing

/// `ci/release` in a copy of this repository.
@Suite struct ReleaseTests {
  @Test("a release names its version in the tool and in the changelog, and is tagged in one commit")
  func release() throws {
    try withCopy { copy in
      let dry = try copy.release("9.8.7", "--dry-run")
      #expect(dry.status == .exited(0), "\(dry.errors)")
      #expect(try copy.git("status", "--porcelain") == "" && copy.git("tag") == "")
      let result = try copy.release("9.8.7", "--no-archive")
      #expect(result.status == .exited(0), "\(result.errors)")
      #expect(try copy.git("describe", "--tags") == "v9.8.7\n")
      #expect(try copy.git("log", "-1", "--format=%s") == "Release 9.8.7\n")
      #expect(try copy.git("status", "--porcelain") == "")
      let files = try copy.git("show", "--format=", "--name-only")
      #expect(files == "CHANGELOG.md\nSources/ParserOTACommand/Verbs/VersionVerb.swift\n")
      #expect(try copy.text("Sources/ParserOTACommand/Verbs/VersionVerb.swift").contains("\"9.8.7\""))
      let changelog = try copy.text("CHANGELOG.md")
      #expect(changelog.contains(#/\n## Unreleased\n\n## 9\.8\.7 \(\d{4}-\d\d-\d\d\)\n\n### Added\n/#))
    }
  }

  @Test(
    "what cannot be released changes nothing",
    arguments: [
      ("1.2", "name a version"), ("1.02.0", "name a version"), ("v1.2.0", "name a version"),
      ("9.8.7", "is there already"), ("9.8.6", "below the newest release"),
      ("10.0.0", "nothing under Unreleased"),
    ])
  func refusals(version: String, reason: String) throws {
    try withCopy { copy in
      #expect(try copy.release("9.8.7", "--no-archive").status == .exited(0))
      let before = try copy.git("rev-parse", "HEAD")
      let result = try copy.release(version, "--no-archive")
      #expect(result.status == .exited(1) && result.errors.contains(reason), "\(result.errors)")
      #expect(try copy.git("rev-parse", "HEAD") == before && copy.git("status", "--porcelain") == "")
    }
  }

  @Test("uncommitted changes are not swept into a release")
  func changes() throws {
    try withCopy { copy in
      try "mine".write(toFile: copy.folder.path("copy/notes.txt"), atomically: false, encoding: .utf8)
      let result = try copy.release("9.8.7", "--no-archive")
      #expect(result.status == .exited(1) && result.errors.contains("has changes"), "\(result.errors)")
      #expect(try copy.git("tag") == "")
    }
  }

  private struct Copy {
    let folder: TemporaryDirectory

    func release(_ arguments: String...) throws -> ChildResult {
      try run(folder.path("copy/ci/release"), arguments)
    }

    @discardableResult
    func git(_ arguments: String...) throws -> String {
      let result = try run("/usr/bin/git", ["-C", folder.path("copy")] + arguments)
      #expect(result.status == .exited(0), "\(arguments): \(result.errors)")
      return result.output
    }

    func text(_ path: String) throws -> String {
      try String(contentsOfFile: folder.path("copy/\(path)"), encoding: .utf8)
    }
  }

  /// A repository of its own with the files of this one that a release reads, without a history.
  private func withCopy(_ body: (Copy) throws -> Void) throws {
    try withTemporaryDirectory { folder in
      let copy = Copy(folder: folder)
      let files = [
        "ci/release", "CHANGELOG.md", "Sources/ParserOTACommand/Verbs/VersionVerb.swift", "Package.swift",
      ]
      for file in files {
        let target = folder.path("copy/\(file)")
        let parent = String(target[..<(target.lastIndex(of: "/") ?? target.endIndex)])
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: "\(BuiltProducts.packageRoot())/\(file)", toPath: target)
      }
      try copy.git("init", "--quiet", "--initial-branch", "main")
      for (key, value) in [("user.name", "Tester"), ("user.email", "tester@parsers.example")] {
        try copy.git("config", key, value)
      }
      try copy.git("add", ".")
      try copy.git("commit", "--quiet", "-m", "Start")
      try body(copy)
    }
  }
}
