import OTAManifest
import ParserFaults
import Testing

/// How faults are written, and in which order a script plays them.
@Suite("Faults by name")
struct FaultScriptTests {
  @Test("a rule reads as it is written, and says what it concerns")
  func rules() throws {
    let rule = try FaultRule("429=120:sources.json*2")
    #expect(rule == FaultRule(.rateLimited, value: 120, file: "sources.json", times: 2))
    #expect(rule.description == "429=120:sources.json*2")
    for fault in Fault.allCases { #expect(try FaultRule(fault.rawValue).fault == fault) }
  }

  @Test(
    "a rule with a slip is refused with what is wrong",
    arguments: [
      "truncate": "no fault \"truncate\"", "429=x": "no number", "reset=3": "takes none",
      "truncated:": "names no file", "truncated*0": "no number", "": "no fault",
    ])
  func slips(text: String, reason: String) {
    do throws(InputError) {
      _ = try FaultRule(text)
      Issue.record("\(text) was taken")
    } catch {
      #expect(error.detail.contains(reason), "\(error.detail)")
    }
  }

  @Test("a script is read line by line, and a slip names its line")
  func script() throws {
    let script = try FaultScript(decoding: Array("# first\n500*2 reset:a.json\n\n none*3\n".utf8))
    #expect(script.steps.count == 2 && script.steps[0].count == 2)
    do throws(InputError) {
      _ = try FaultScript(decoding: Array("500\nnothing\n".utf8))
      Issue.record("it was taken")
    } catch {
      #expect(error.field == "line 2")
    }
  }
}
