import TestSupport
import Testing

/// Check 4: whatever a help page shows can be typed as it stands.
@Suite(.ownThreads) struct ExamplesTests {
  @Test("every example of every help runs and ends with 0")
  func examples() throws {
    let script = BuiltProducts.packageRoot() + "/ci/examples"
    let result = try run(script, [try Tool.path()], environment: Tool.bareEnvironment, timeout: .seconds(300))
    #expect(result.status == .exited(0), "\(result.output)\(result.errors)")
    #expect(result.output.contains("all fine"))
  }
}
