import Foundation
import OTAManifest
import Testing

@Suite("Timestamps are UTC to the second")
struct TimestampTests {
  /// Numbers that look random and are the same in each run.
  private struct Sequence: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  @Test(
    "Ten thousand moments read and write as Foundation does", arguments: [UInt64.random(in: 0...UInt64.max)])
  func agreesWithFoundation(seed: UInt64) throws {
    var random = Sequence(state: seed)
    let style = Date.ISO8601FormatStyle()
    for _ in 0..<10_000 {
      let seconds = Int64.random(in: 0...253_402_300_799, using: &random)
      let theirs = Date(timeIntervalSince1970: Double(seconds)).formatted(style)
      let moment = Timestamp(secondsSinceEpoch: seconds)
      guard moment.description == theirs, Timestamp(theirs) == moment else {
        Issue.record("\(seconds) is \(moment) here and \(theirs) in Foundation (seed \(seed))")
        return
      }
    }
  }

  @Test("Every day of 400 years has its own number")
  func everyDay() {
    for day in Int64(0)..<146_097 {
      let moment = Timestamp(secondsSinceEpoch: day * 86_400 + 86_399)
      guard Timestamp(moment.description) == moment else {
        Issue.record("\(moment) does not survive")
        return
      }
    }
  }

  @Test(
    "Known moments",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:00:00Z", 951_825_600),
      ("2024-02-29T23:59:59Z", 1_709_251_199),
      ("2026-06-11T09:12:44Z", 1_781_169_164), ("2038-01-19T03:14:08Z", 2_147_483_648),
      ("9999-12-31T23:59:59Z", 253_402_300_799),
    ])
  func known(text: String, seconds: Int64) {
    #expect(Timestamp(text)?.secondsSinceEpoch == seconds)
    #expect(Timestamp(secondsSinceEpoch: seconds).description == text)
  }

  @Test("A leap second is the second after")
  func leapSecond() {
    #expect(Timestamp("2016-12-31T23:59:60Z")?.description == "2017-01-01T00:00:00Z")
    #expect(Timestamp("9999-12-31T23:59:60Z")?.description == "9999-12-31T23:59:59Z")
  }

  @Test(
    "Impossible moments and other forms are none",
    arguments: [
      "", "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-00-01T00:00:00Z",
      "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
      "2026-01-01T00:00:61Z", "1969-12-31T23:59:59Z", "2026-01-01t00:00:00z", "2026-01-01 00:00:00Z",
      "2026-01-01T00:00:00", "2026-01-01T00:00:00+00:00", "2026-01-01T00:00:00.0Z", "2026-1-1T00:00:00Z",
      "２026-01-01T00:00:0Z", " 2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z\n", "10000-01-01T00:00:00Z",
    ])
  func others(text: String) {
    #expect(Timestamp(text) == nil)
  }

  @Test("Sums stay within the years that have a text")
  func sums() {
    let moment = Timestamp(secondsSinceEpoch: 100)
    #expect(moment.advanced(bySeconds: 1) > moment)
    #expect(moment.advanced(bySeconds: .min).secondsSinceEpoch == 0)
    #expect(moment.advanced(bySeconds: .max).description == "9999-12-31T23:59:59Z")
    #expect(Timestamp(secondsSinceEpoch: -1).secondsSinceEpoch == 0)
  }
}
