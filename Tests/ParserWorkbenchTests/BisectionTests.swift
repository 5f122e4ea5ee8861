import Testing

@testable import ParserWorkbench

@Suite("Which release broke it")
struct BisectionTests {
  /// Runs a search over a history, such as `..X.` for good, good, bad, good.
  private func search(
    _ history: String, triesAll: Bool = false, withdrawn: [Int] = []
  ) -> (finding: Bisection.Finding, trials: Int, assumes: Bool) {
    let isGood = history.map { $0 == "." }
    var search = Bisection(count: isGood.count, triesAll: triesAll, withdrawn: withdrawn)
    var trials = 0
    while let position = search.next, trials <= isGood.count {
      search.note(isGood[position], at: position)
      trials += 1
    }
    return (search.finding, trials, search.assumesOneChange)
  }

  @Test(
    "short histories are tried whole, and the last change from good to bad is named",
    arguments: [
      ("", Bisection.Finding.neverGood), (".", .good), ("X", .neverGood), ("..", .good), ("XX", .neverGood),
      (".X", .broken(good: 0, bad: 1)), ("X.", .good), ("...XXX", .broken(good: 2, bad: 3)),
      (".X.X", .broken(good: 2, bad: 3)), (".XX.X.XX", .broken(good: 5, bad: 6)),
      ("X.X.", .undone(good: 1, bad: 2)), ("..X.", .undone(good: 1, bad: 2)),
    ])
  func short(history: String, finding: Bisection.Finding) {
    let result = search(history)
    #expect(result.finding == finding)
    #expect(result.trials == history.count)
    #expect(!result.assumes)
  }

  @Test("a long history is halved: few trials find every place of a fault that came once")
  func halved() {
    for count in 13...70 {
      for bad in 1..<count {
        let history = String(repeating: ".", count: bad) + String(repeating: "X", count: count - bad)
        let result = search(history)
        #expect(result.finding == .broken(good: bad - 1, bad: bad))
        #expect(result.trials <= 9 && result.assumes, "\(count) \(bad): \(result.trials)")
      }
    }
  }

  @Test("a long history whose newest is good takes one trial, one whose oldest is bad two")
  func ends() {
    let good = search(String(repeating: "X", count: 20) + ".")
    #expect(good.finding == .good && good.trials == 1)
    let bad = search(String(repeating: "X", count: 21))
    #expect(bad.finding == .neverGood && bad.trials == 2)
  }

  @Test("D8: in a long history with a good end, the withdrawn releases lead to the fault that was undone")
  func undone() {
    for count in 14...40 {
      for bad in 1..<(count - 1) {
        let history =
          String(repeating: ".", count: bad) + String(repeating: "X", count: count - 1 - bad) + "."
        let result = search(history, withdrawn: [count - 2])
        #expect(result.finding == .undone(good: bad - 1, bad: bad), "\(history)")
        #expect(result.trials <= 10 && result.assumes)
      }
    }
    // The newest withdrawn release was withdrawn for something else.
    let other = search("........XX............", withdrawn: [9, 15])
    #expect(other.finding == .undone(good: 7, bad: 8))
    #expect(search(String(repeating: ".", count: 20), withdrawn: [7]).finding == .good)
  }

  @Test("halving always ends at a good release with a bad one behind it; all trials find the last such place")
  func comesAndGoes() {
    let history = "....XX...XX....X..XX"
    guard case .broken(let good, let bad) = search(history).finding else {
      Issue.record("nothing was found")
      return
    }
    let marks = Array(history)
    #expect(bad == good + 1 && marks[good] == "." && marks[bad] == "X")
    #expect(search(history, triesAll: true).finding == .broken(good: 17, bad: 18))
    #expect(search(history, triesAll: true).trials == 20)
  }
}
