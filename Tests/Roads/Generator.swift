/// Makes sequences of steps: any order is possible, and the orders that people really take are frequent.
package struct Generator {
  private var random: SeededRandom

  package init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// A sequence that begins with an `init`.
  package mutating func sequence(steps: Int) -> [Step] {
    var sequence = [Step(.start(start()), deploy: random.oneIn(3) ? .nothing : .whole)]
    while sequence.count < steps {
      // Out of impatience, or because a job is started again, the same thing is done twice in a row.
      if sequence.count > 1, random.oneIn(8), let last = sequence.last {
        sequence.append(Step(last.verb, minutes: 1 + random.below(10), deploy: last.deploy))
      } else {
        sequence.append(step())
      }
    }
    return sequence
  }

  private mutating func start() -> Start {
    Start(
      random.pick([(3, .nothing), (3, .address), (2, .folder), (1, .inPlace), (1, .unmentioned)]),
      signed: !random.oneIn(3), keep: random.oneIn(3) ? 2 + random.below(3) : nil,
      shape: random.pick([(3, .plain), (2, .numbered), (1, .relative)]))
  }

  private mutating func step() -> Step {
    let verb = random.oneIn(10) ? killed() : random.oneIn(16) ? together() : verb()
    // 45 days are more than what a timestamp is good for.
    let minutes = random.pick([(12, 1 + random.below(20)), (4, 90), (2, 60 * 24), (1, 60 * 24 * 45)])
    let deploy: Deploy = random.pick([
      (8, .nothing), (10, .whole), (2, .withoutBundle), (2, .withoutCatalog),
      (1, .cutShort(random.below(100))),
    ])
    return Step(verb, minutes: minutes, deploy: deploy)
  }

  private mutating func killed() -> Verb {
    let verb: Verb = random.pick([
      (4, .publish(publication(), beta: random.oneIn(8))), (3, .rollback(target())),
      (1, .refresh(force: true)), (2, .key(keyChange())), (1, .repair),
    ])
    return .killed(verb, afterWrites: random.below(9), again: random.oneIn(2))
  }

  /// Two publishers at once, of whom one must lose.
  private mutating func together() -> Verb {
    let first: Verb = random.pick([
      (3, .publish(publication(), beta: random.oneIn(8))), (2, .rollback(target())),
    ])
    let second: Verb = random.pick([
      (3, .publish(publication(), beta: random.oneIn(8))), (2, .rollback(target())),
      (1, .refresh(force: random.oneIn(2))), (1, .key(keyChange())),
    ])
    return .together(first, second)
  }

  private mutating func verb() -> Verb {
    let isBeta = random.oneIn(8)
    return random.pick([
      (30, .publish(publication(), beta: isBeta)), (16, .rollback(target(), beta: isBeta)),
      (4, .refresh(force: random.oneIn(2))), (6, .key(keyChange())), (2, .rootPrepare(keyChange())),
      (2, .rootSign), (2, .rootCommit), (3, .loseSettings), (3, lostFile()), (2, .repair),
      (1, .checkout(lineEnds: random.oneIn(3))), (2, .startAgain), (3, .sign), (1, .startOverLive),
    ])
  }

  private mutating func lostFile() -> Verb {
    .loseKept(random.pick([(3, .manifest), (1, .bundle), (1, .catalog)]), random.below(3))
  }

  private mutating func publication() -> Publication {
    let isAllowed = random.oneIn(2)
    return random.pick([
      (10, .new), (2, .same), (2, .newBundleOnly), (2, .newCatalogOnly), (2, .renamed),
      (1, .removed(allowed: isAllowed)), (1, .grown(allowed: isAllowed)), (3, .withdrawn(allowed: isAllowed)),
      (1, .earlier), (1, .promoted),
    ])
  }

  private mutating func target() -> Target {
    let isAllowed = random.oneIn(2)
    return random.pick([
      (6, .plain), (1, .back(1)), (2, .back(2)), (1, .back(3)), (2, .adopted),
      (1, .withdrawn(allowed: isAllowed)),
    ])
  }

  private mutating func keyChange() -> KeyChange {
    random.pick([(2, .add), (2, .remove), (3, .rotate), (1, .addRoot), (1, .removeRoot), (2, .rotateRoot)])
  }
}
