/// Tests that publish for another reason than the gate say so here, in one place: no engine, and that this is meant.
///
/// The checks that need no engine run all the same.
public enum WithoutEngine {
  /// Names an engine that is nowhere, so that the one that was built beside the tool is not used.
  public static let environment = ["PARSER_OTA_ENGINE": "/nonexistent/parser-ota-engine"]

  /// A command line that publishes without an engine; any other one as it is.
  public static func arguments(_ arguments: [String]) -> [String] {
    guard let verb = arguments.first, ["publish", "promote"].contains(verb),
      !arguments.contains("no-engine"), !arguments.contains("--engine")
    else { return arguments }
    return [verb, "--allow", "no-engine"] + arguments.dropFirst()
  }
}
