/// What can be walked: a value that steps change, equal worlds being the same place.
protocol ExploredWorld: Hashable {
  associatedtype Step: CaseIterable & Sendable

  /// Takes a step; the promises that it broke, each as a sentence, or `nil` when it is none here.
  mutating func take(_ step: Step) -> [String]?
  /// What a reader of a counterexample should see.
  var sketch: String { get }
}

/// All worlds that some number of steps lead to, nearest first, so that the first counterexample is a shortest one.
struct BreadthFirstSearch<World: ExploredWorld> {
  /// How many different worlds were reached.
  private(set) var worlds = 0
  /// How many steps were tried.
  private(set) var steps = 0
  /// The worlds that were reached by each number of steps.
  private(set) var layers: [Int] = []
  /// The shortest way to a broken promise, told step by step; `nil` when there is none.
  private(set) var counterexample: String?

  private struct Place {
    let world: World
    let origin: (place: Int, step: World.Step)?
  }

  /// Walks up to `depth` steps from `start`, and stops at the first promise that is broken.
  init(from start: World, depth: Int) {
    var places = [Place(world: start, origin: nil)]
    var known: Set<World> = [start]
    var layer = 0..<1
    while layers.count < depth, !layer.isEmpty {
      for place in layer {
        for step in World.Step.allCases {
          var next = places[place].world
          guard let broken = next.take(step) else { continue }
          steps += 1
          guard broken.isEmpty else {
            counterexample = Self.tell(broken, step, from: place, places)
            worlds = places.count
            return
          }
          if known.insert(next).inserted { places.append(Place(world: next, origin: (place, step))) }
        }
      }
      layer = layer.upperBound..<places.count
      layers.append(layer.count)
    }
    worlds = places.count
  }

  /// The way to a broken promise, one numbered line a step, each with the world that it leads to.
  private static func tell(
    _ broken: [String], _ last: World.Step, from place: Int, _ places: [Place]
  ) -> String {
    var lines: [String] = []
    var world = places[place].world
    _ = world.take(last)
    lines.append("\(last): \(world.sketch)")
    var walked = place
    while let origin = places[walked].origin {
      lines.append("\(origin.step): \(places[walked].world.sketch)")
      walked = origin.place
    }
    let numbered = lines.reversed().enumerated().map { "  \($0 + 1). \($1)" }
    return (["broken after \(lines.count) steps: \(broken.joined(separator: "; "))"] + numbered)
      .joined(separator: "\n")
  }
}
