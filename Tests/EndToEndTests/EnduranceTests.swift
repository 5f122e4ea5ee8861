import Foundation
import Glibc
import TestSupport
import Testing

/// The commands that race and live long, in their shortest form; they have their own checks, and must find nothing.
@Suite(.ownThreads, .enabled(if: access("/usr/bin/python3", X_OK) == 0))
struct EnduranceTests {
  private func command(_ name: String, _ arguments: String...) throws -> ChildResult {
    try run(
      "\(BuiltProducts.packageRoot())/ci/\(name)", arguments + ["--products", BuiltProducts.directory()],
      environment: Tool.bareEnvironment, timeout: .seconds(300))
  }

  @Test(
    "B42, B80: processes race on one store and one feed, readers see whole releases, and no publish is lost")
  func races() throws {
    let result = try command("races", "6")
    #expect(result.status == .exited(0), "\(result.output)\(result.errors)")
    #expect(result.output.contains("violations 0"))
    for done in ["launches", "publishes", "looks at the store", "looks at the feed"] {
      #expect(result.output.contains(" \(done)\n"), "nothing of the kind: \(done)\n\(result.output)")
    }
  }

  @Test("release after release, published and taken: what is kept is counted")
  func longLife() throws {
    let result = try command("long-life", "4")
    #expect(result.status == .exited(0), "\(result.output)\(result.errors)")
    #expect(result.output.contains("ci/long-life: 4 releases in "))
  }
}
